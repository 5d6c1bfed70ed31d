"""Numbers as people say them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from thoth_substrate.views.words import ago, many, size, span, without_password

NOW = datetime(2026, 5, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.34, "340 ms"), (2, "2 s"), (119, "119 s"), (60, "1 min"), (120, "2 min"), (7_199, "120 min"), (7_200, "2 h"),
      (172_800, "2 d"), (-3_600, "1 h"), (86_400, "1 d"), (5_400, "90 min"), (1, "1 s"), (730 * 86_400, "730 d"),
     (1301 * 86_400, "3.6 y")],
)  # fmt: skip
def test_a_span_is_said_in_the_largest_unit_of_which_there_are_two(seconds: float, said: str) -> None:
    assert span(timedelta(seconds=seconds)) == said


def test_ago_tells_past_future_and_never() -> None:
    assert ago(NOW - timedelta(minutes=5), NOW) == "5 min ago"
    assert ago(NOW + timedelta(hours=3), NOW) == "in 3 h"
    assert ago(NOW, NOW) == "just now"
    assert ago(None, NOW) == "never"


@pytest.mark.parametrize(
    ("of", "said"), [(0, "0 bytes"), (1023, "1023 bytes"), (1536, "1.5 kB"), (3 << 30, "3.0 GB"), (5 << 50, "5120 TB")]
)
def test_sizes_are_in_powers_of_1024(of: int, said: str) -> None:
    assert size(of) == said


def test_one_slice_and_many_slices() -> None:
    assert many(1, "slice") == "1 slice"
    assert many(12_000, "slice") == "12,000 slices"
    assert many(0, "of them has", "of them have") == "0 of them have"


@pytest.mark.parametrize(
    ("dsn", "shown"),
    [
        ("postgresql://me:s3cret@db.example:5432/thoth?sslmode=require", "postgresql://me@db.example:5432/thoth?sslmode=require"),
        ("postgresql://me:p%40ss%3Aw@db/thoth", "postgresql://me@db/thoth"),
        ("postgresql://me@db/thoth", "postgresql://me@db/thoth"),
        ("postgresql://db/thoth?user=me&password=s3cret&sslmode=require", "postgresql://db/thoth?user=me&sslmode=require"),
        ("postgresql://db/thoth?password=s3cret", "postgresql://db/thoth"),
        ("host=db password=s3cret dbname=thoth", "host=db dbname=thoth"),
        ("host=db dbname=thoth password = 'a b\\'c'", "host=db dbname=thoth"),
        ("postgresql:///thoth?host=/run/postgresql", "postgresql:///thoth?host=/run/postgresql"),
    ],
)
def test_a_dsn_is_shown_without_its_password(dsn: str, shown: str) -> None:
    assert without_password(dsn) == shown
