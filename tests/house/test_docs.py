"""The pages that are printed from the code are what the code prints, and what pages point to is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.source import prose
from tests.house.write_docs import ROOT, pages

PAGES = pages()


@pytest.mark.parametrize("path", PAGES, ids=str)
def test_a_generated_page_is_what_the_code_prints(path: Path) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == PAGES[path], "run `make docs`"


def test_what_a_page_points_to_is_there() -> None:
    linked = {(path, target) for path, text in prose().items() for target in re.findall(r"\]\((?!https?://)([^)#\s]+)", text)}
    assert {(str(path), target) for path, target in linked if not (ROOT / path.parent / target).exists()} == set()


def test_every_page_is_pointed_to() -> None:
    pointed = {
        (ROOT / path.parent / target).resolve()
        for path, text in prose().items()
        for target in re.findall(r"\]\((?!https?://)([^)#\s]+)", text)
    }
    alone = {path for path in prose() if path.parts[0] == "docs" and path.parts[1] != "decisions"} - {
        page.relative_to(ROOT) for page in pointed if page.is_relative_to(ROOT)
    }
    assert alone == set()
