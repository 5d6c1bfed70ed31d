"""What the HTTP API answers, as dataclasses. A field that a newer server adds is passed over; one that it lacks has its default.

Times are aware, ids UUIDs. What each field means stands in the API's own document, `/docs` of the server.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, TypeVar
from uuid import UUID

T = TypeVar("T")
Names = list[str]


@dataclass(frozen=True, slots=True)
class Named:
    """An entity that a memory tells of."""

    entity_id: int
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact that rests on a memory."""

    row_id: int
    statement: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory, and what was made of it. `waits_for` names the steps still to come."""

    id: UUID
    state: str
    reason: str | None
    waits_for: Names
    text: str
    content: Any
    stream: str
    session: str
    actor: str
    event_time: datetime
    perceived_at: datetime
    released_at: datetime | None
    external_id: str | None
    metadata: dict[str, Any]
    importance: float | None
    pinned: bool
    parsed: bool
    summary: str
    topics: Names
    entities: list[Named]
    facts: list[Stated]
    version: int
    replaces: UUID | None
    replaced_by: UUID | None


@dataclass(frozen=True, slots=True)
class Made:
    """A memory that is safe. `repeated`: the same request had made it before; `memory` when it was waited for."""

    id: UUID
    state: str
    repeated: bool
    memory: Memory | None = None


@dataclass(frozen=True, slots=True)
class Changed:
    """The newer version's id, the older one's, and which version it is."""

    id: UUID
    replaces: UUID
    version: int
    memory: Memory | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """A purge: rows that are gone and that were written anew, by table."""

    purge_id: UUID
    purged_at: datetime
    slices: int
    state: str
    gone: Mapping[str, int]
    anew: Mapping[str, int]
    decision_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Deleted:
    """Whether there was anything to forget; a purge's receipt."""

    id: UUID
    changed: bool
    receipt: Receipt | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a memory, and by whom it was made of the one before."""

    id: UUID
    version: int
    changed_at: datetime | None
    changed_by: str
    memory: Memory | None


@dataclass(frozen=True, slots=True)
class History:
    """Every version, the first one first."""

    versions: list[Version]


@dataclass(frozen=True, slots=True)
class Page:
    """Memories, and where to go on; None: there are no more."""

    memories: list[Memory]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class RecalledLine:
    """One line of a recall. Of a fact `row_id` is its number and `sources` its memories."""

    handle: str
    kind: str
    slice_id: UUID
    passage_no: int
    row_id: int | None
    session: str
    actor: str
    event_time: datetime
    stream: str
    text: str
    score: float
    salience: float
    trust: float
    confidence: float
    note: str
    sources: list[dict[str, Any]]
    legs: Names
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    """What memory has to say: `block` to put before a model, or in `empty_reason` why there is none."""

    recall_id: UUID | None
    block: str
    tokens: int
    empty_reason: str | None
    took_ms: float
    partial: bool
    as_of: datetime | None
    lines: list[RecalledLine]
    legs: list[dict[str, Any]]
    missing: list[dict[str, Any]]
    detail: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Citation:
    """What a citation names."""

    kind: str
    id: str
    text: str
    at: datetime
    who: str
    session: str
    stream: str
    confidence: float
    sources: Names


@dataclass(frozen=True, slots=True)
class Answered:
    """A cited answer, or in `outcome` and `why` the reason that there is none, and the passages in its place."""

    question: str
    mode: str
    answer: str
    supported: bool
    citations: list[Citation]
    removed: int
    outcome: str
    why: str
    model: str
    shown: int
    left_out: int
    as_of: datetime | None
    detail: dict[str, Any]


@dataclass(frozen=True, slots=True)
class SourceLine:
    """Where a topic was met; `pointer` is what `read` takes."""

    pointer: str
    type: str
    ref: str
    from_time: datetime
    to_time: datetime


@dataclass(frozen=True, slots=True)
class Concept:
    """A topic that is going on."""

    concept_id: int
    keywords: Names
    expires_at: datetime
    last_at: datetime
    renewed_at: datetime
    made_at: datetime
    decision_id: UUID | None
    sources: list[SourceLine]


@dataclass(frozen=True, slots=True)
class Aware:
    """The line that every agent carries, empty when nothing is going on, and the topics."""

    line: str
    tokens: int
    topics: list[Concept]


@dataclass(frozen=True, slots=True)
class Found:
    """A topic that was looked for, and the words by which it was found."""

    concept: Concept
    matched: Names


@dataclass(frozen=True, slots=True)
class Looked:
    """The topics that were found, best first."""

    found: list[Found]


@dataclass(frozen=True, slots=True)
class Read:
    """One thing that was said in a window."""

    slice_id: UUID
    stream: str
    actor: str
    event_time: datetime
    state: str
    text: str
    facts: Names
    external_id: str | None
    origin: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What a pointer leads to; `where` says where to look for what is not here."""

    pointer: str
    type: str
    ref: str
    from_time: datetime
    to_time: datetime
    outside: bool
    slices: list[Read]
    more: bool
    where: str


@dataclass(frozen=True, slots=True)
class Taken:
    """A topic that was taken away, as it was."""

    forgotten: Concept


@dataclass(frozen=True, slots=True)
class Insight:
    """What holds across facts, and the memories that it rests on."""

    row_id: int
    kind: str
    statement: str
    confidence: float
    asserted_at: datetime
    memories: Names


@dataclass(frozen=True, slots=True)
class Consolidated:
    """What came of a consolidation, or why it waits."""

    request: int
    outcome: str
    why: str
    memories: int
    insights: list[Insight]
    made: dict[str, int]
    left_out: dict[str, str]
    began: datetime | None
    reason: str


@dataclass(frozen=True, slots=True)
class Moved:
    """Whether anything was changed; False when it stood so before."""

    slice_id: UUID
    changed: bool


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a layer as the API has them, and where to go on; None: there are no more."""

    rows: list[dict[str, Any]]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Check:
    """One finding about the memory's health; `do` is what to type."""

    name: str
    verdict: str
    says: str
    do: str = ""


@dataclass(frozen=True, slots=True)
class Status:
    """Whether all is well, and every check. `waiting` is not in the database yet; None for a token without `metrics`."""

    well: bool
    verdict: str
    dormant: bool
    waiting: int | None = None
    checks: list[Check] = field(default_factory=list)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def as_answer(kind: type[T], value: Mapping[str, Any]) -> T:
    """JSON as one of the dataclasses above. Raises KeyError, TypeError or ValueError for what is none."""
    hints, given = _hints(typing.cast(Any, kind)), {}
    for one in dataclasses.fields(typing.cast(Any, kind)):
        if one.name in value:
            given[one.name] = _as(hints[one.name], value[one.name])
        elif one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING:
            raise KeyError(one.name)
    return kind(**given)


def _as(kind: Any, value: Any) -> Any:
    if isinstance(kind, types.UnionType):
        if value is None:
            return None
        kind = next(part for part in typing.get_args(kind) if part is not type(None))
    if typing.get_origin(kind) is list:
        (inner,) = typing.get_args(kind)
        return [_as(inner, one) for one in value]
    if dataclasses.is_dataclass(kind):
        return as_answer(typing.cast(type[Any], kind), value)
    if kind is datetime:
        return datetime.fromisoformat(value)
    return UUID(value) if kind is UUID else value
