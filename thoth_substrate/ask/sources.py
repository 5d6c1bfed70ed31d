"""What an answer may rest on: memories, facts and insights, each with its number in the prompt. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from uuid import UUID

LONG_AGO = datetime(1, 1, 2, tzinfo=UTC)
FAR_OFF = datetime(9999, 12, 30, tzinfo=UTC)


class SourceKind(StrEnum):
    """The three kinds of citation."""

    MEMORY = "memory"
    FACT = "fact"
    INSIGHT = "insight"


class Mode(StrEnum):
    """How sources are found: the newest without any search, by recall, or the newest while everything fits."""

    RECENT = "recent"
    SEARCH = "search"
    AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Filters:
    """What memories may be used. `importance` is the least, 0..1; `source` a stream's source, an import's, a path's beginning.

    `until` is excluded. `person` spoke or is named; `topic` is one the Parser noted, or stands in the text.
    """

    since: datetime | None = None
    until: datetime | None = None
    person: str | None = None
    topic: str | None = None
    source: str | None = None
    stream: str | None = None
    importance: float = 0.0

    @property
    def narrow(self) -> bool:
        """Whether anything is kept out."""
        return self != Filters()


@dataclass(frozen=True, slots=True)
class Source:
    """One thing that a statement may cite. `id` is the slice's or the row's number; `sources` the memories that a row rests on.

    Of a memory `who` said it in `session` on `stream`; `confidence` is a row's, 0..1, and a memory's trust.
    """

    kind: SourceKind
    id: str
    text: str
    at: datetime
    who: str = ""
    session: str = ""
    stream: str = ""
    importance: float = 0.5
    confidence: float = 1.0
    note: str = ""
    sources: tuple[UUID, ...] = ()

    @property
    def mark(self) -> str:
        """The citation as an answer carries it."""
        return f"[{self.kind}:{self.id}]"


@dataclass(frozen=True, slots=True)
class Gathered:
    """Sources in the order of their worth. `mode` is how they were found."""

    sources: tuple[Source, ...]
    mode: Mode


@dataclass(frozen=True, slots=True)
class Cited:
    """A source that the answer cites, or that is shown in the place of an answer."""

    kind: SourceKind
    id: str
    text: str
    at: datetime
    who: str
    session: str
    stream: str
    confidence: float
    sources: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a question. `answer` is empty when no model gave one: then `citations` are the passages found.

    `supported`: it cites something. `removed` citations named what was not in the prompt, or is there no longer. `outcome` is
    `ok`, or why no model answered: `no_model`, `endpoint_down`, `budget_spent`, `failed`, `nothing_found`; `why` says it as a
    sentence. `shown` sources were put to the model, `left_out` found no room.
    """

    question: str
    mode: Mode
    answer: str
    supported: bool
    citations: tuple[Cited, ...]
    removed: int = 0
    outcome: str = "ok"
    why: str = ""
    model: str = ""
    shown: int = 0
    left_out: int = 0
    as_of: datetime | None = None
    detail: Mapping[str, int] = field(default_factory=dict)


def cited(source: Source) -> Cited:
    """A source as an answer shows it."""
    return Cited(
        source.kind, source.id, source.text, source.at, source.who, source.session, source.stream, source.confidence,
        source.sources,
    )  # fmt: skip
