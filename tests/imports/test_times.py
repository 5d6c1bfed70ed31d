"""Dates as files write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoth_substrate.imports.times import when


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2023-05-08T13:56:00Z", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("2023-05-08T13:56:00.123456789+05:30",
         datetime(2023, 5, 8, 13, 56, 0, 123456, tzinfo=timezone(timedelta(hours=5, minutes=30)))),
        ("2023-05-08 13:56", datetime(2023, 5, 8, 13, 56)),
        ("2023-05-08", datetime(2023, 5, 8)),
        ("20230508", datetime(2023, 5, 8)),
        ("2023-05", datetime(2023, 5, 1)),
        ("2023", datetime(2023, 1, 1)),
        ("2023/05/08 13:56", datetime(2023, 5, 8, 13, 56)),
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56)),
        ("8 May 2023", datetime(2023, 5, 8)),
        ("May 8, 2023", datetime(2023, 5, 8)),
        ("Mon, 08 May 2023 13:56:00 +0200", datetime(2023, 5, 8, 13, 56, tzinfo=timezone(timedelta(hours=2)))),
        (1683554160, datetime(2023, 5, 8, 13, 56)),
        (1683554160.5, datetime(2023, 5, 8, 13, 56, 0, 500_000)),
        (1683554160000, datetime(2023, 5, 8, 13, 56)),
        (1683554160000000, datetime(2023, 5, 8, 13, 56)),
        (1683554160000000000, datetime(2023, 5, 8, 13, 56)),
        ("1683554160", datetime(2023, 5, 8, 13, 56)),
        (0, datetime(1970, 1, 1)),
        (-86400, datetime(1969, 12, 31)),
    ],
)  # fmt: skip
def test_a_date_is_understood_with_its_offset_if_it_has_one(written: Any, meant: datetime) -> None:
    found = when(written)
    assert found == meant
    assert found is not None
    assert found.utcoffset() == meant.utcoffset()


@pytest.mark.parametrize(
    "written",
    [None, True, "", "soon", "yesterday", [], {}, float("nan"), float("inf"), 10**400, "0001-01-01T00:00:00+14:00",
     "9999-12-31T23:59:59-12:00", "9" * 60, "-", ".", "2023-13-45", "x" * 10_000],
)  # fmt: skip
def test_what_cannot_be_read_or_stored_is_no_date_and_no_error(written: Any) -> None:
    """faults: partial dates; a time that cannot be read is never an error."""
    assert when(written) is None


@given(st.one_of(st.text(), st.integers(), st.floats(), st.decimals(), st.datetimes().map(str)))
def test_nothing_at_all_makes_it_raise_and_what_it_finds_can_be_moved_to_utc(written: Any) -> None:
    found = when(written)
    if found is not None:
        found.astimezone(UTC)
