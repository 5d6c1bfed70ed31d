"""Composing: the best that fits, repeats folded, numbers that stay."""

from __future__ import annotations

import re
from uuid import UUID

import bpe_openai
from hypothesis import given
from hypothesis import strategies as st

from tests.inject.lines import START, fact, line, numbered
from thoth_substrate.inject.compose import compose, with_free_handles
from thoth_substrate.inject.render import line_text
from thoth_substrate.model.projection import Kind, Missing
from thoth_substrate.model.tokens import count


def test_a_line_that_does_not_fit_is_skipped_and_the_next_one_tried() -> None:
    composed = compose([line(1, "short one"), line(2, "long " * 400), line(3, "short three")], 80)
    assert [kept.text for kept in composed.lines] == ["short one", "short three"]
    assert composed.skipped == 1


def test_no_token_reaches_into_a_second_word_nor_over_a_line_s_end_into_what_begins_a_line_of_the_block() -> None:
    """What is said of a text without counting, and of a block by its pieces, is true of every token that there is."""
    reaching = re.compile(rb"\n[0-9A-Za-z<]")
    tokens = bpe_openai.get_encoding("cl100k_base").token_byte_values()
    assert len(tokens) > 100_000
    assert [token for token in tokens if len(token.decode(errors="replace").split()) > 1 or reaching.search(token)] == []


@given(
    texts=st.lists(st.text(st.sampled_from("aZ1é中.!<'’ \t\n\u3000\ud83d"), max_size=12), max_size=12),
    budget=st.integers(30, 200),
)
def test_however_lines_begin_and_end_the_tokens_of_the_block_are_counted_exactly(texts: list[str], budget: int) -> None:
    composed = compose([line(number, text, session=f"s{number % 3}") for number, text in enumerate(texts)], budget)
    assert composed.tokens == count(composed.block) <= budget


@given(texts=st.lists(st.text(max_size=200), max_size=40), budget=st.integers(1, 400))
def test_the_block_never_exceeds_its_budget_fences_included(texts: list[str], budget: int) -> None:
    composed = compose([line(number, text, session=f"s{number % 5}") for number, text in enumerate(texts)], budget)
    assert composed.tokens == count(composed.block) <= budget
    assert bool(composed.lines) == bool(composed.block)


def test_special_tokens_are_ordinary_text() -> None:
    """faults: the literal <|endoftext|> or <|im_start|> as content: counting tokens must not raise."""
    composed = compose([line(1, "<|endoftext|><|im_start|>system")], 200)
    assert "<|endoftext|>" in composed.block
    assert count("<|endoftext|>") > 1


def test_a_lone_surrogate_does_not_break_composing() -> None:
    """faults: a lone surrogate as content."""
    assert compose([line(1, "\ud83d abc")], 200).lines


def test_one_fact_stated_forty_nine_times_is_said_once() -> None:
    """faults: one fact stated 49 times."""
    composed = compose([line(number, "My sister lives in Porto.") for number in range(49)], 1500)
    assert (len(composed.lines), composed.folded) == (1, 48)


def test_a_different_number_is_a_different_fact() -> None:
    """faults: "port 5432" against "port 5433": near-duplicate folding must not merge them."""
    text = "The staging database of the shop listens on port {} since the last move of the servers"
    assert len(compose([line(1, text.format(5432)), line(2, text.format(5433))], 1500).lines) == 2


def test_a_negation_is_a_different_fact() -> None:
    """faults: "is" against "is not"."""
    text = "The staging database of the shop is {} reachable from the office since the last move of the servers"
    assert len(compose([line(1, text.format("")), line(2, text.format("not"))], 1500).lines) == 2


def test_the_same_in_other_words_is_said_once_and_with_more_of_them_twice() -> None:
    nine = "one two three four five six seven eight nine"
    assert len(compose([line(1, nine), line(2, f"{nine} ten")], 1500).lines) == 1
    assert len(compose([line(1, nine), line(2, f"{nine} ten eleven")], 1500).lines) == 2


def test_two_speakers_saying_the_same_are_both_heard() -> None:
    assert len(compose([line(1, "I am allergic to peanuts"), line(2, "I am allergic to peanuts", actor="Ben")], 1500).lines) == 2


def test_a_handle_belongs_to_its_slice_and_stays_when_the_rest_changes() -> None:
    before = {kept.slice_id: kept.handle for kept in numbered([line(7, "a"), line(8, "b")])}
    after = {kept.slice_id: kept.handle for kept in numbered([line(9, "c"), line(8, "b"), line(7, "a")])}
    assert before == {slice_id: after[slice_id] for slice_id in before}


def test_colliding_handles_move_apart_and_passages_of_a_slice_share_one() -> None:
    handles = [kept.handle for kept in numbered([line(5, "a"), line(905, "b"), line(5, "c", passage_no=1)])]
    assert handles == ["105", "106", "105"]


def test_more_slices_than_three_digits_can_name_get_longer_handles() -> None:
    handles = {kept.handle for kept in numbered([line(number * 7, "x") for number in range(950)])}
    assert len(handles) == 950


# ── Facts ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_fact_stands_first_and_goes_when_all_it_rests_on_is_quoted() -> None:
    quotes = [line(number, f"quote number {number} of some length") for number in range(6)]
    told = [
        fact(1, "All of it is quoted.", 2, 3),
        fact(2, "Half of it is quoted.", 3, 99),
        fact(3, "It rests on nothing any more."),
    ]
    composed = compose([*told, *quotes], 1500)
    assert [kept.text for kept in composed.lines[:2]] == ["Half of it is quoted.", "It rests on nothing any more."]
    assert (len(composed.lines), composed.folded) == (8, 1)


def test_the_tokens_of_a_fact_that_is_folded_after_all_go_to_quotes() -> None:
    """Its source is quoted only after the facts had their turn."""
    quotes = [line(number, f"quote number {number} " + "word " * 30) for number in range(8)]
    alone = compose(quotes, 300)
    with_fact = compose([fact(1, "A fact about the last quote.", len(alone.lines) - 1), *quotes], 300)
    assert [kept.text for kept in with_fact.lines] == [kept.text for kept in alone.lines]
    assert with_fact.folded == 1


def test_facts_take_a_fifth_of_the_budget_at_most_and_quotes_keep_the_rest() -> None:
    told = [fact(number, f"Fact {number} says something that nothing else says.", 1000 + number) for number in range(60)]
    quotes = [line(number, f"quote {number} " + "word " * 30) for number in range(60)]
    composed = compose([*told, *quotes], 500)
    spent = sum(count(line_text(kept) + "\n") for kept in composed.lines if kept.kind is Kind.FACT)
    assert 60 < spent <= 100
    assert sum(kept.kind is Kind.QUOTE for kept in composed.lines) >= 8


def test_what_facts_do_not_use_goes_to_quotes() -> None:
    quotes = [line(number, f"quote {number} " + "word " * 30) for number in range(60)]
    assert len(compose([fact(1, "Short.", 99), *quotes], 500).lines) >= len(compose(quotes, 500).lines)


def test_a_fact_keeps_its_handle_and_shares_none() -> None:
    handles = [kept.handle for kept in numbered([fact(7, "a", 1), line(7919 * 7 % 900, "b"), fact(7, "a", 1)])]
    assert handles[0] == handles[2] != handles[1]


@given(texts=st.lists(st.text(max_size=80), max_size=20), budget=st.integers(1, 400))
def test_with_facts_too_the_block_never_exceeds_its_budget(texts: list[str], budget: int) -> None:
    lines = [fact(n, text, n) if n % 2 else line(n, text, session=f"s{n % 5}") for n, text in enumerate(texts)]
    composed = compose(lines, budget)
    assert composed.tokens == count(composed.block) <= budget
    assert bool(composed.lines) == bool(composed.block)


def test_what_is_missing_gets_handles_that_no_line_has() -> None:
    gone = [Missing("", UUID(int=5), "Maya", START, None), Missing("", UUID(int=905), "Maya", START, None)]
    missing = with_free_handles(gone, numbered([line(5, "a")]))
    assert [one.handle for one in missing] == ["106", "107"]
