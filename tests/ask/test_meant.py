"""What a question means, read without a model."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from thoth_substrate.ask.meant import asks_what_happened, last_met, whole_words
from thoth_substrate.recall.periods import spans


@pytest.mark.parametrize(
    ("question", "person"),
    [
        ("Recap my last meeting with Maya", "Maya"),
        ("recap my last meeting with maya.", "maya"),
        ("What was decided in the most recent project call with Ana López about the budget?", "Ana López"),
        ("Summarise the latest 1:1 with Dr. Weiß, please", "Dr. Weiß"),
        ("What did he say when I last spoke to Tom on Monday?", "Tom"),
        ("resume mi última reunión con Jorge", "Jorge"),
        ("Fass mein letztes Gespräch mit Anna zusammen", "Anna zusammen"),
        ("My last meeting was long", None),
        ("Who is Maya?", None),
    ],
)
def test_whose_last_meeting_is_meant(question: str, person: str | None) -> None:
    assert last_met(question) == person


def test_what_happened_is_told_from_what_was_asked() -> None:
    assert all(
        map(asks_what_happened, ("What happened on 1 February?", "recap May", "¿Qué pasó ayer?", "Was ist gestern passiert?"))
    )
    assert not any(map(asks_what_happened, ("Which port is it?", "When did I move?")))


@pytest.mark.parametrize(
    ("words", "pattern"), [("Maya", r"\mMaya\M"), ("Ana López", r"\mAna\s+López\M"), ("C++", r"\mC\+\+"), ("", None)]
)
def test_words_become_a_pattern_that_means_only_them(words: str, pattern: str | None) -> None:
    assert whole_words(words) == pattern


def test_a_day_is_exactly_that_day_in_every_year_that_is_remembered() -> None:
    now = datetime(2026, 5, 15, 12, tzinfo=UTC)
    found = spans("what happened on 1 February?", now, datetime(2024, 1, 30, tzinfo=UTC), datetime(2025, 5, 2, tzinfo=UTC))
    assert found == tuple((datetime(year, 2, 1, tzinfo=UTC), datetime(year, 2, 2, tzinfo=UTC)) for year in (2024, 2025))
