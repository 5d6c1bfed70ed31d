"""When two sayings are one, and when they are not."""

from __future__ import annotations

import pytest

from thoth_substrate.consolidate.patterns import KnownPattern, PatternProposal, says_again, settled, wording


def _known(statement: str, supports: list[int], number: int = 1) -> KnownPattern:
    return KnownPattern(number, "pattern", statement, 7, supports)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Maya goes hiking every weekend.", "Every weekend Maya goes on a hike."),
        ("Ben often drinks green tea", "Green tea: Ben drinks it often!"),
        ("玛雅每个周末都去爬山", "每个周末玛雅都去爬山"),
    ],
)
def test_the_same_terms_are_the_same_saying_whatever_it_rests_on(one: str, other: str) -> None:
    assert says_again(one, [1, 2], _known(other, [8, 9]))


def test_the_same_facts_are_the_same_saying_in_whatever_words() -> None:
    assert says_again("Maya is an outdoor person.", [1, 2], _known("Nature draws her.", [2, 1]))


def test_half_of_the_facts_and_some_of_the_words() -> None:
    known = _known("Maya spends weekends in the mountains.", [1, 2, 3])
    assert says_again("Most weekends Maya is in the hills.", [2, 3, 4], known)
    assert not says_again("Ben collects stamps.", [2, 3, 4], known)
    assert not says_again("Most weekends Maya is in the hills.", [4, 5], known)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Maya drinks coffee in the evening.", "Maya does not drink coffee in the evening."),
        ("Maya never drinks coffee in the evening.", "Maya drinks coffee in the evening."),
        ("The server listens on port 5432.", "The server listens on port 5433."),
    ],
)
def test_what_denies_or_numbers_otherwise_is_another(one: str, other: str) -> None:
    """faults: near-duplicate folding must not merge "port 5432" and "port 5433", "is" and "is not"."""
    assert not says_again(one, [1, 2], _known(other, [1, 3]))
    assert wording(one) != wording(other)


def test_a_batch_that_repeats_itself_is_one_and_rewords_what_is_known() -> None:
    proposals = [
        PatternProposal("pattern", "Maya goes hiking every weekend.", (1, 2), 0.8),
        PatternProposal("pattern", "Every weekend Maya goes on a hike.", (3, 4), 0.9),
        PatternProposal("pattern", "Ben drinks tea.", (5, 6), 0.5),
    ]
    kept, left_out = settled(proposals, [_known("Tea is what Ben drinks.", [6, 7], 42)], room=5)
    assert [(one.statement, one.rewords) for one in kept] == [
        ("Every weekend Maya goes on a hike.", None),
        ("Ben drinks tea.", 42),
    ]
    assert left_out == 0


def test_there_is_room_for_so_many() -> None:
    proposals = [
        PatternProposal("pattern", f"{letter * 3} {letter * 4}", (n, n + 1), 0.1 * n) for n, letter in enumerate("abcdef", 1)
    ]
    kept, left_out = settled(proposals, [], room=2)
    assert (len(kept), left_out) == (2, 4)
    assert kept[0].confidence == pytest.approx(0.6)


def test_a_batch_in_another_order_comes_to_the_same() -> None:
    proposals = [PatternProposal("pattern", f"Saying {letter}", (n, n + 1), 0.5) for n, letter in enumerate("abc", 1)]
    assert settled(proposals, [], 2) == settled(proposals[::-1], [], 2)
