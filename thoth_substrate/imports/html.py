"""The words of an HTML page or mail, with its paragraphs. What cannot be seen is left out."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from thoth_substrate.model.documents import Document, Section, settled

_UNSEEN = frozenset(("script", "style", "head", "template", "noscript", "svg"))
_BREAKS = frozenset((
    "p", "div", "br", "li", "tr", "table", "ul", "ol", "blockquote", "pre", "section", "article", "header", "footer", "hr",
    "h1", "h2", "h3", "h4", "h5", "h6", "dt", "dd",
))  # fmt: skip


def words_of(html: str) -> str:
    """The text that a reader sees. Never raises: HTML in the wild is never quite right."""
    parser = _Words()
    parser.feed(html)
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.found).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def read(_name: str, text: str) -> Document:
    """A page as a document."""
    return Document("html", settled([Section(words_of(text))]), title_of(text))


def title_of(html: str) -> str:
    """The page's title."""
    found = re.search(r"<title[^>]*>(.*?)</title>", html[:100_000], re.IGNORECASE | re.DOTALL)
    return words_of(found[1])[:200] if found else ""


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self._unseen += 1
        elif tag in _BREAKS:
            self.found.append("\n")
        elif tag == "td":
            self.found.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._unseen = max(self._unseen - 1, 0)
        elif tag in _BREAKS:
            self.found.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.found.append(data)
