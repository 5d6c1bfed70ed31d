"""Passages: a text in searchable pieces that together are all of it."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thoth_substrate.model.passages import LONGEST_PASSAGE_CHARS, OVERLAP_CHARS, Flag, Span, flags, has_window, split

SENTENCES = [
    "The mill stands by the river. ",
    "Really? ",
    "No!\n",
    "我们昨天见面了。",
    "x" * 700 + " ",
    "y" * 1500,
    "\n\n",
    "“Yes.” ",
    "a b c d ",
]


def test_a_slice_of_ordinary_length_is_one_passage() -> None:
    assert split("We moved to Lisbon.") == [Span(0, 19)]
    assert split("x" * LONGEST_PASSAGE_CHARS) == [Span(0, LONGEST_PASSAGE_CHARS)]
    assert split("") == split("  \n\t") == []


@given(st.lists(st.sampled_from(SENTENCES), max_size=60).map("".join))
@settings(max_examples=200)
def test_the_pieces_cover_the_text_overlap_a_little_and_always_move_on(text: str) -> None:
    spans = split(text)
    assert bool(spans) == bool(text.strip())
    if not spans:
        return
    assert spans[0].start == 0
    assert spans[-1].end == len(text)
    for span in spans:
        assert 0 < span.end - span.start <= LONGEST_PASSAGE_CHARS
    for before, after in pairwise(spans):
        assert before.start < after.start <= before.end < after.end
        assert before.end - after.start <= OVERLAP_CHARS


@given(st.text(max_size=3000))
def test_any_text_can_be_split(text: str) -> None:
    spans = split(text)
    assert all(text[span.start : span.end] for span in spans)


def test_pieces_begin_and_end_at_sentences() -> None:
    text = "".join(f"Sentence number {n} tells of the mill. " for n in range(200))
    for span in split(text):
        piece = text[span.start : span.end]
        assert piece.startswith("Sentence")
        assert piece.endswith(("mill. ", "mill."))


def test_a_sentence_at_the_seam_is_in_both_pieces() -> None:
    text = "".join(f"Fact {n} is here. " for n in range(300))
    first, second = split(text)[:2]
    assert text[second.start : first.end].startswith("Fact")


def test_chinese_is_cut_at_its_own_full_stops() -> None:
    text = "我们昨天在图书馆见面了。" * 300
    assert all(text[span.start : span.end].endswith("。") for span in split(text))


def test_every_fact_of_a_long_document_is_whole_in_some_piece() -> None:
    """faults: an 88,000-character document with a fact in each slice of it: every one is found."""
    filler = "The committee met again and nothing of note was decided in the long afternoon. " * 11
    facts = [f"The code of gate {n} is {70_000 + n}." for n in range(100)]
    text = "".join(f"{filler}{fact} " for fact in facts)
    assert len(text) > 88_000
    pieces = [text[span.start : span.end] for span in split(text)]
    assert all(any(fact in piece for piece in pieces) for fact in facts)


@pytest.mark.parametrize("unit", ["a", " ", "\n", ".", ". ", "?\"'", "字", "。", "x ", ".)\n"])
def test_a_5_mb_text_is_split_in_time(unit: str) -> None:
    """faults: a 5 MB tool result."""
    started = time.process_time()
    split(unit * (5_000_000 // len(unit)))
    assert time.process_time() - started < 20


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where did you go?", Flag.QUESTION),
        ("¿Dónde estás?  ", Flag.QUESTION),
        ("你去哪里了？", Flag.QUESTION),
        ("She said “really?”", Flag.QUESTION),
        ("It was good [photo of a dog]", Flag(0)),
        ("I saw it", Flag.FIRST_PERSON),
        ("We saw our house", Flag.FIRST_PERSON),
        ("我看见了", Flag.FIRST_PERSON),
        ("They left yesterday", Flag.TIME),
        ("in March 2023", Flag.TIME),
        ("gestern", Flag.TIME),
        ("Nothing of the kind", Flag(0)),
    ],
)
def test_a_passage_is_told_by_its_words(text: str, expected: Flag) -> None:
    assert flags(text) & (Flag.QUESTION | Flag.FIRST_PERSON | Flag.TIME) == expected


def test_only_short_turns_have_a_window() -> None:
    assert has_window("word " * 40)
    assert not has_window("word " * 41)
