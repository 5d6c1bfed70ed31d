"""Citations, checked as the words come: what names a source of the prompt becomes its id, everything else is taken out. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from thoth_substrate.ask.sources import Source

LONGEST_MARK = 200  # characters between brackets
_KIND = r"(?:memor(?:y|ies)|facts?|insights?|patterns?)"
_CITES = re.compile(rf"^\s*{_KIND}\s*[:# ]", re.IGNORECASE)
_NUMBERS = re.compile(r"^\s*\d{1,4}(?:\s*[,;]\s*\d{1,4})*\s*$")
_ITEM = re.compile(rf"^(?:(?P<kind>{_KIND})\s*[:#]?\s*)?(?P<id>[\w-]+)$", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*[,;]\s*|\s+(?:and|und|y|et)\s+")


class Citing:
    """Reads an answer piece by piece. `cited` are the sources named so far, in order; `removed` counts marks that name none.

    Nothing is passed on before the first citation that holds: an answer that cites nothing is never begun.
    """

    def __init__(self, sources: Mapping[int, Source]) -> None:
        self._by_number = sources
        self._by_id = {(str(one.kind), one.id): one for one in sources.values()}
        self._unread = ""  # from a bracket that is not closed yet, or spaces that may have to go
        self._written: list[str] = []
        self._passed = 0
        self.cited: list[Source] = []
        self.removed = 0

    @property
    def text(self) -> str:
        """All that was written, whether passed on or not."""
        return "".join(self._written).strip()

    def feed(self, words: str) -> str:
        """Take the next words; answers what may be passed on now."""
        self._unread += words
        self._read(last=False)
        return self._pass()

    def finish(self) -> str:
        """No more words come."""
        self._read(last=True)
        return self._pass()

    def _read(self, *, last: bool) -> None:
        while True:
            before, bracket, after = self._unread.partition("[")
            if not bracket:
                stays = "" if last else before[len(before.rstrip(" ")) :]
                self._write(before[: len(before) - len(stays)])
                self._unread = stays
                return
            inside, closed, rest = after.partition("]")
            if not closed and not last and len(after) <= LONGEST_MARK:
                kept = before.rstrip(" ")
                self._write(kept)
                self._unread = before[len(kept) :] + bracket + after
                return
            if not closed or not (_CITES.match(inside) or _NUMBERS.match(inside)):
                self._write(before + bracket)
                self._unread = after
                continue
            marks = "".join(one.mark for one in self._named(inside))
            self._write(before + marks if marks else before.rstrip(" "))
            self._unread = rest

    def _named(self, inside: str) -> Iterator[Source]:
        """The sources that a bracket names, each once; what it names besides is counted."""
        kind, found = "", []
        for item in _BETWEEN.split(inside.strip()):
            match = _ITEM.match(item.strip())
            kind = _singular(match["kind"]) if match and match["kind"] else kind
            source = self._source(kind, match["id"]) if match else None
            if source is None:
                self.removed += 1
            elif source not in found:
                found.append(source)
        for source in found:
            if source not in self.cited:
                self.cited.append(source)
            yield source

    def _source(self, kind: str, word: str) -> Source | None:
        if word.isascii() and word.isdigit() and len(word) < 7:
            numbered = self._by_number.get(int(word))
            if numbered is not None and kind in ("", str(numbered.kind)):
                return numbered
        return self._by_id.get((kind, word.lower()))

    def _write(self, words: str) -> None:
        if words:
            self._written.append(words)

    def _pass(self) -> str:
        if not self.cited:
            return ""
        passed, self._passed = self._passed, len(self._written)
        words = "".join(self._written[passed:])
        return words.lstrip() if passed == 0 else words


def without(text: str, gone: Mapping[str, Source]) -> str:
    """The text without the citations of `gone`, by mark."""
    for mark in gone:
        text = text.replace(f" {mark}", "").replace(mark, "")
    return text


def _singular(kind: str) -> str:
    said = kind.lower()
    if said.startswith("memor"):
        return "memory"
    return "fact" if said.startswith("fact") else "insight"
