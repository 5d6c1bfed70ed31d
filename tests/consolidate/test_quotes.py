"""Quotes are held against their sources: what a model says it read must stand there, inside one passage."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from thoth_substrate.consolidate.quotes import Checker
from thoth_substrate.model.knowledge import Quote, Source, Span
from thoth_substrate.model.passages import split

ONE, OTHER = UUID(int=1), UUID(int=2)
AT = datetime(2024, 3, 1, tzinfo=UTC)


def source(text: str, slice_id: UUID = ONE) -> Source:
    spans = tuple(Span(number, span.start, span.end) for number, span in enumerate(split(text)))
    return Source(slice_id, "thoth.world.note", "s1", "maya", AT, 1.0, "00", text, spans)


@pytest.mark.parametrize(
    ("text", "quote", "stands"),
    [
        ("We moved to Paris in May.", "moved to Paris", "moved to Paris"),
        ("We  moved\n to Paris in May.", "moved to paris", "moved\n to Paris"),
        ("She said: “I’m a baker”.", 'she said "I\'m a baker"', "She said: “I’m a baker"),
        ("Zoë ate a crêpe.", "zoe ate a crepe", "Zoë ate a crêpe"),
        ("Je suis né à Besançon.", "ne a Besancon", "né à Besançon"),
        ("昨天我搬到了札幌。", "我搬到了札幌", "我搬到了札幌"),
        ("The port is 5432, mostly.", "the port is 5432", "The port is 5432"),
        ("I moved, after much to and fro, to Paris.", "I moved … to Paris", "I moved, after much to and fro, to Paris"),
        ("Straße 7", "STRASSE 7", "Straße 7"),
    ],
)
def test_what_stands_there_is_found_as_it_stands(text: str, quote: str, stands: str) -> None:
    checker = Checker([source(text)])
    (found,) = checker.check([Quote(ONE, quote)])
    assert found.text == stands
    assert text[found.start : found.start + len(stands)] == stands
    assert checker.dropped == 0


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The port is 5432.", "the port is 5433"),
        ("It is not so.", "it is so"),
        ("The cart is here.", "art is here"),
        ("We moved to Paris.", "We moved to Rome"),
        ("We moved to Paris.", ""),
        ("We moved to Paris.", " … "),
        ("We moved to Paris.", "\x00"),
        ("3.5 litres", "35 litres"),
        ("Paris, then we moved.", "moved … Paris"),
    ],
)
def test_what_does_not_stand_there_is_dropped_and_counted(text: str, quote: str) -> None:
    checker = Checker([source(text)])
    assert checker.check([Quote(ONE, quote)]) == []
    assert checker.dropped == 1


def test_a_quote_of_a_slice_that_is_not_there_is_dropped() -> None:
    """faults: an index or id that does not exist."""
    checker = Checker([source("We moved to Paris.")])
    assert checker.check([Quote(OTHER, "We moved to Paris.")]) == []
    assert checker.dropped == 1


def test_a_quote_stands_inside_one_passage() -> None:
    text = " ".join(f"Sentence number {n} says that house {n} is of colour {n}." for n in range(100))
    long = source(text)
    assert len(long.passages) > 3
    checker = Checker([long])
    for number in (0, 37, 99):
        wanted = f"house {number} is of colour {number}"
        (found,) = checker.check([Quote(ONE, wanted)])
        span = long.passages[found.passage_no]
        assert span.char_start <= found.start
        assert found.start + len(found.text) <= span.char_end
    assert checker.check([Quote(ONE, text)]) == []


def test_the_same_place_counts_once() -> None:
    checker = Checker([source("We moved to Paris.")])
    assert len(checker.check([Quote(ONE, "moved to Paris"), Quote(ONE, "MOVED TO PARIS"), Quote(ONE, "We moved")])) == 2
