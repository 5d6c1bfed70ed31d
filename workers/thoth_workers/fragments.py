"""Text of slices as a model is shown it: in fragments with short ids, in portions of a bounded size, fenced as data. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from thoth_substrate.model.knowledge import Source

BYTES_A_TOKEN = 4  # of English; scripts whose characters take three bytes are about as dense in tokens
HEAD_TOKENS = 24  # of the line above a fragment
_ID = re.compile(r"(\d+)\W*$")


@dataclass(frozen=True, slots=True)
class Fragment:
    """One passage of one slice, without what the fragment before it shows already. Its id is its place in the portion."""

    source: Source
    passage_no: int
    text: str

    @property
    def tokens(self) -> int:
        """About how many it takes."""
        return len(self.text.encode("utf-8", "replace")) // BYTES_A_TOKEN + HEAD_TOKENS


@dataclass(frozen=True, slots=True)
class Portion:
    """What is put to a model in one call."""

    fragments: tuple[Fragment, ...]

    @property
    def slices(self) -> tuple[Source, ...]:
        """Its slices, in order, each once."""
        return tuple({fragment.source.slice_id: fragment.source for fragment in self.fragments}.values())

    def fragment(self, said: str) -> Fragment | None:
        """The fragment that a model names (p3, P3, 3, [s1 p3]), or None: there is none of that id."""
        number = _number(said)
        return self.fragments[number - 1] if number is not None and number <= len(self.fragments) else None

    def slice(self, said: str) -> Source | None:
        """The slice that a model names (s1, …), or None."""
        number = _number(said)
        return self.slices[number - 1] if number is not None and number <= len(self.slices) else None


def portions(
    sources: Iterable[Source], most_tokens: int, *, judged: Mapping[UUID, Collection[int]], alone: Collection[UUID] = ()
) -> Iterator[Portion]:
    """The passages of `sources` in order, in portions of at most `most_tokens` (one passage at the least).

    `judged` names passages that are done already; slices in `alone` share no portion, so that one that makes every reply
    fail does not take its neighbours down with it.
    """
    portion: list[Fragment] = []
    for source in sources:
        for fragment in _fragments(source, judged.get(source.slice_id, ())):
            before = portion[-1].source.slice_id if portion else source.slice_id
            apart = before != source.slice_id and (before in alone or source.slice_id in alone)
            if portion and (apart or sum(known.tokens for known in portion) + fragment.tokens > most_tokens):
                yield Portion(tuple(portion))
                portion = []
            portion.append(fragment)
    if portion:
        yield Portion(tuple(portion))


def shown(portion: Portion) -> str:
    """A portion as a model reads it: above each fragment its ids, when it was said, and by whom."""
    numbers = {source.slice_id: number for number, source in enumerate(portion.slices, 1)}
    lines: list[str] = []
    for number, fragment in enumerate(portion.fragments, 1):
        source = fragment.source
        lines.append(f"[s{numbers[source.slice_id]} p{number}] {dated(source.event_time)} {one_line(source.actor)}:")
        lines.append(fragment.text.strip())
    return "\n".join(lines)


def fenced(kind: str, text: str) -> str:
    """Text as data, between two lines that it cannot hold itself: their number is a digest of it."""
    mark = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
    return f"<{kind} {mark}>\n{text}\n</{kind} {mark}>"


def dated(at: datetime) -> str:
    """An instant with its weekday, where it was told, from which a model can reckon what “last Friday” was."""
    return at.strftime("%Y-%m-%d %H:%M %A")


def date_of(said: str | None) -> datetime | None:
    """The instant a model states: a year, a month, a day or an ISO time, in UTC; None when it states none that exists."""
    text = (said or "").strip()
    padded = {4: f"{text}-01-01", 7: f"{text}-01"}.get(len(text), text)
    try:
        at = datetime.fromisoformat(padded)
    except ValueError:
        return None
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at


def one_line(text: str) -> str:
    """A name for a line of a prompt: nothing in it begins a line of its own."""
    return " ".join(text.split())[:80] or "somebody"


def excerpt(text: str, most_chars: int) -> str:
    """The end of a text, for context: what was said last is what the next words answer."""
    plain = " ".join(text.split())
    return plain if len(plain) <= most_chars else f"… {plain[-most_chars:]}"


def _fragments(source: Source, judged: Collection[int]) -> Iterator[Fragment]:
    spans = sorted(source.passages, key=lambda span: span.passage_no)
    seen, unbroken = 0, False
    for span in spans:
        if span.passage_no in judged:
            unbroken = False
            continue
        start = max(span.char_start, seen) if unbroken else span.char_start
        text = source.text[start : span.char_end]
        yield Fragment(source, span.passage_no, text if text.strip() else source.text[span.char_start : span.char_end])
        seen, unbroken = span.char_end, True


def _number(said: str) -> int | None:
    found = _ID.search(said.strip())
    number = int(found[1]) if found and len(found[1]) < 7 else 0
    return number or None
