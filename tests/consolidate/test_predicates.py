"""One word for one relation, and whether a newer object takes the place of an older one."""

from __future__ import annotations

import pytest

from thoth_substrate.consolidate.predicates import functional, normal


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("lives in", "lives_in"), ("Moved To", "lives_in"), ("currently_lives_in", "lives_in"), ("livesIn", "lives_in"),
        ("is employed by", "works_at"), ("works-for", "works_at"), ("has pet", "has_pet"), ("住在", "住在"), ("  ", ""),
        ("is_married_to", "married_to"), ("x" * 200, "x" * 64), ("is", "is"),
    ],
)  # fmt: skip
def test_predicates_are_written_in_one_way(said: str, meant: str) -> None:
    assert normal(said) == meant
    assert normal(meant) == meant


@pytest.mark.parametrize(
    ("predicate", "said", "words", "one"),
    [
        ("lives_in", None, "Maya lives in Paris.", True),
        ("lives_in", False, "Maya lives in Paris.", False),
        ("likes", True, "Maya likes sushi.", False),
        ("works_at", None, "Maya works at Acme.", True),
        ("works_at", True, "Maya also works at the bakery.", False),
        ("works_at", None, "Nebenbei arbeitet sie in der Bäckerei, auch am Wochenende.", False),
        ("commander_of", None, "Maya is commander of the fleet.", False),
        ("commander_of", True, "Maya is commander of the fleet.", True),
    ],
)
def test_whether_a_subject_has_one_object_at_a_time(predicate: str, said: bool | None, words: str, one: bool) -> None:
    assert functional(predicate, said, words) is one
