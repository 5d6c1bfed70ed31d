"""Periods that a question names.

faults: time expressions in queries: the strongest reading wins; one that cannot be read means "no time filter", never an error.
"""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoth_substrate.recall.periods import periods

NOW = datetime(2026, 5, 15, 12, tzinfo=UTC)  # a Friday
EARLIEST, LATEST = datetime(2023, 1, 1, tzinfo=UTC), datetime(2024, 6, 1, tzinfo=UTC)


def whole(text: str, earliest: datetime | None = EARLIEST, latest: datetime | None = LATEST) -> list[tuple[date, date]]:
    return [(p.starts.date(), p.ends.date()) for p in periods(text, NOW, earliest, latest) if p.weight == 1.0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What happened on 13 July 2024?", [(date(2024, 7, 13), date(2024, 7, 15))]),
        ("What happened on July 13th, 2024?", [(date(2024, 7, 13), date(2024, 7, 15))]),
        ("notes from 2024-07-13", [(date(2024, 7, 13), date(2024, 7, 15))]),
        ("Where were we in March 2023?", [(date(2023, 3, 1), date(2023, 4, 1))]),
        ("everything about 2023", [(date(2023, 1, 1), date(2024, 1, 1))]),
        ("Was war am 3. März 2023?", [(date(2023, 3, 3), date(2023, 3, 5))]),
        ("¿Qué pasó en mayo de 2023?", [(date(2023, 5, 1), date(2023, 6, 1))]),
        ("What did I do yesterday?", [(date(2026, 5, 14), date(2026, 5, 16))]),
        ("three days ago", [(date(2026, 5, 12), date(2026, 5, 14))]),
        ("last week", [(date(2026, 5, 4), date(2026, 5, 11))]),
        ("last weekend", [(date(2026, 5, 9), date(2026, 5, 11))]),
        ("last month", [(date(2026, 4, 1), date(2026, 5, 1))]),
        ("last year", [(date(2025, 1, 1), date(2026, 1, 1))]),
        ("last spring", [(date(2025, 3, 1), date(2025, 6, 1))]),
        ("last winter", [(date(2025, 12, 1), date(2026, 3, 1))]),
    ],
)
def test_a_period_is_read(text: str, expected: list[tuple[date, date]]) -> None:
    assert whole(text) == expected


def test_a_date_without_a_year_is_tried_in_every_year_there_is_a_memory_of() -> None:
    assert whole("What happened on 1 February?") == [(date(2023, 2, 1), date(2023, 2, 3)), (date(2024, 2, 1), date(2024, 2, 3))]


@pytest.mark.parametrize(
    "text", ["What may I eat?", "the week before the move", "on 31 February 2023", "march on", "99/99/9999", "2.5.17"]
)
def test_what_cannot_be_read_is_no_filter(text: str) -> None:
    assert all(ends > starts for starts, ends in whole(text))
    assert whole("What may I eat?") == []


def test_the_days_after_count_for_less() -> None:
    weights = {p.weight for p in periods("on 13 July 2024", NOW)}
    assert weights == {1.0, 0.6, 0.2}


@given(text=st.text(max_size=80))
def test_no_text_raises(text: str) -> None:
    assert len(periods(text, NOW)) <= 24
