"""The pages that are printed from the code are what the code prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house.write_docs import ROOT, pages

PAGES = pages()


@pytest.mark.parametrize("path", PAGES, ids=str)
def test_a_generated_page_is_what_the_code_prints(path: Path) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == PAGES[path], "run `make docs`"
