"""Quotes are held against their sources: what a model says it read must stand there, inside one passage.

Exactly first; then without regard to case, spaces, punctuation and accents written apart, since models tidy what they quote.
Words and digits must all be there in their order. What is stored is the span as it stands in the source.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from thoth_substrate.model.knowledge import Quote, Source, Span

LONGEST_QUOTE = 2000
_ELISION = re.compile(r"\s*(?:…|\.{3,}|\[\.\.\.\]|\[…\])\s*")
_SPACELESS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]")


@dataclass(frozen=True, slots=True)
class Found:
    """A quote where it stands: `start` is its place in the slice's text, `text` the words as they are there."""

    source: Source
    passage_no: int
    start: int
    text: str

    @property
    def slice_id(self) -> UUID:
        return self.source.slice_id

    @property
    def event_time(self) -> datetime:
        return self.source.event_time


@dataclass(frozen=True, slots=True)
class _Folded:
    """A text as it is compared, and for each of its characters the place where that one stood."""

    text: str
    places: tuple[int, ...]


class Checker:
    """Checks quotes against sources, folding each passage once at most. Pure."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self._sources: Mapping[UUID, Source] = {source.slice_id: source for source in sources}
        self._passages: dict[tuple[UUID, int], _Folded] = {}
        self.dropped = 0

    def check(self, quotes: Sequence[Quote]) -> list[Found]:
        """The quotes that stand in their sources, each place once. The others are counted in `dropped`."""
        found: dict[tuple[UUID, int], Found] = {}
        for quote in quotes:
            one = self._find(quote)
            if one is None:
                self.dropped += 1
            else:
                found.setdefault((one.slice_id, one.start), one)
        return list(found.values())

    def _find(self, quote: Quote) -> Found | None:
        source = self._sources.get(quote.slice_id)
        wanted = quote.text.strip()[:LONGEST_QUOTE]
        if source is None or not any(c.isalnum() for c in wanted):
            return None
        for span in source.passages:
            at = source.text.find(wanted, span.char_start, span.char_end)
            if at >= 0 and _whole(source.text, at, at + len(wanted)):
                return Found(source, span.passage_no, at, wanted)
        pieces = [piece for part in _ELISION.split(wanted) if (piece := fold(part).text)]
        for span in source.passages:
            if (bounds := self._tolerant(source, span, pieces)) is not None:
                start, end = bounds
                return Found(source, span.passage_no, start, source.text[start:end])
        return None

    def _tolerant(self, source: Source, span: Span, pieces: Sequence[str]) -> tuple[int, int] | None:
        """Where the pieces stand in this passage, one after another, from the first's beginning to the last's end."""
        key = source.slice_id, span.passage_no
        folded = self._passages.get(key)
        if folded is None:
            folded = self._passages[key] = fold(source.text[span.char_start : span.char_end])
        first, after = None, 0
        for piece in pieces:
            at = _place(folded.text, piece, after)
            if at is None:
                return None
            first, after = at if first is None else first, at + len(piece)
        if first is None:
            return None
        return span.char_start + folded.places[first], span.char_start + folded.places[after - 1] + 1


def fold(text: str) -> _Folded:
    """Letters, digits and marks only, folded; what stands between them is one space. With the place of each character."""
    kept: list[str] = []
    places: list[int] = []
    gap = False
    for place, character in enumerate(text):
        parts = [
            c for c in unicodedata.normalize("NFKD", character.casefold()) if c.isalnum() or unicodedata.category(c)[0] == "M"
        ]
        letters = [c for c in parts if not "\u0300" <= c <= "\u036f"]
        if not parts and character not in "'’":
            gap = bool(kept)
        if letters and gap:
            kept.append(" ")
            places.append(place)
            gap = False
        kept.extend(letters)
        places.extend([place] * len(letters))
    return _Folded("".join(kept), tuple(places))


def _place(text: str, piece: str, after: int) -> int | None:
    at = text.find(piece, after)
    while at >= 0:
        if _whole(text, at, at + len(piece)):
            return at
        at = text.find(piece, at + 1)
    return None


def _whole(text: str, start: int, end: int) -> bool:
    """Whether a span does not begin or end within a word: `art` does not stand in `cart`. Scripts without spaces may."""
    return not (_joined(text, start) or _joined(text, end))


def _joined(text: str, at: int) -> bool:
    if at <= 0 or at >= len(text):
        return False
    left, right = text[at - 1], text[at]
    return left.isalnum() and right.isalnum() and not (_SPACELESS.match(left) or _SPACELESS.match(right))
