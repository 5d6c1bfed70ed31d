"""Names are compared by one norm; what tells two names apart survives it."""

from __future__ import annotations

import pytest

from thoth_substrate.model.names import LONGEST_NAME, norm, script


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Zoë Müller", "zoe muller"), ("STRASSE", "straße"), ("Jean-Luc", "Jean Luc"), ("Dr. O’Neil's", "dr o'neil"),
        ("U.S.A.", "USA"), ("J. R. R. Tolkien", "J.R.R. Tolkien"), ("Ａｃｍｅ", "acme"), ("  Maya \n Lind ", "maya lind"),
        ("Maya’s", "Maya"), ("Андрей", "андрей"), ("ﬁn", "fin"), ("“Rex”", "Rex"), ("snake_case", "snake case"),
    ],
)  # fmt: skip
def test_ways_of_writing_one_name_are_one(one: str, other: str) -> None:
    assert norm(one) == norm(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("C++", "C#"), ("v1.2", "v12"), ("が", "か"), ("port 5432", "port 5433"), ("李明", "李伟"), ("Node.js", "node")],
)
def test_different_names_stay_different(one: str, other: str) -> None:
    assert norm(one) != norm(other)


def test_a_norm_is_its_own_norm_and_bounded() -> None:
    for name in ("U.S.A.", "Zoë Müller-Lüdenscheidt's", "李 明", "C++", "x" * 5000, "…", ""):
        assert norm(norm(name)) == norm(name)
        assert len(norm(name)) <= LONGEST_NAME


def test_the_script_of_a_name() -> None:
    assert [script(name) for name in ("Maya", "Мая", "マヤ", "李明", "…42")] == ["latin", "cyrillic", "katakana", "cjk", ""]
