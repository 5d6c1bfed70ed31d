"""Composing: the best that fits, repeats folded, numbers that stay."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.inject.lines import line
from thoth_substrate.inject.compose import compose, with_handles
from thoth_substrate.model.tokens import count


def test_a_line_that_does_not_fit_is_skipped_and_the_next_one_tried() -> None:
    composed = compose([line(1, "short one"), line(2, "long " * 400), line(3, "short three")], 80)
    assert [kept.text for kept in composed.lines] == ["short one", "short three"]
    assert composed.skipped == 1


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


def test_two_speakers_saying_the_same_are_both_heard() -> None:
    assert len(compose([line(1, "I am allergic to peanuts"), line(2, "I am allergic to peanuts", actor="Ben")], 1500).lines) == 2


def test_a_handle_belongs_to_its_slice_and_stays_when_the_rest_changes() -> None:
    before = {kept.slice_id: kept.handle for kept in with_handles([line(7, "a"), line(8, "b")])}
    after = {kept.slice_id: kept.handle for kept in with_handles([line(9, "c"), line(8, "b"), line(7, "a")])}
    assert before == {slice_id: after[slice_id] for slice_id in before}


def test_colliding_handles_move_apart_and_passages_of_a_slice_share_one() -> None:
    handles = [kept.handle for kept in with_handles([line(5, "a"), line(905, "b"), line(5, "c", passage_no=1)])]
    assert handles == ["105", "106", "105"]


def test_more_slices_than_three_digits_can_name_get_longer_handles() -> None:
    handles = {kept.handle for kept in with_handles([line(number * 7, "x") for number in range(950)])}
    assert len(handles) == 950
