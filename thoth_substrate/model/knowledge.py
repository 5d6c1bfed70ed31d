"""What agents are given and what they propose: sources, proposals, and who made them. Pure, frozen, and kept as JSON.

An agent never writes knowledge. It returns `Proposals` that quote their sources; `consolidate.promote` checks each quote and
writes what stands. `to_json` and `from_json` carry all of it through a diary entry, so that a decision can be run again.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from typing import Any, Literal, TypeVar
from uuid import UUID

T = TypeVar("T")

Outcome = Literal["extracted", "nothing", "failed"]
NO_PASSAGE = -1  # the number that stands for a slice without any passage


@dataclass(frozen=True, slots=True)
class Span:
    """A passage of a source by character positions in the slice's text, end excluded."""

    passage_no: int
    char_start: int
    char_end: int


@dataclass(frozen=True, slots=True)
class Source:
    """A slice as an agent reads it. `content_hash` is hex; `trust` is 0..1; `passages` cover the text and may overlap."""

    slice_id: UUID
    stream: str
    session_id: str
    actor: str
    event_time: datetime
    trust: float
    content_hash: str
    text: str
    passages: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of one source, as they stand there. What cannot be found inside one passage of it is dropped and counted."""

    slice_id: UUID
    text: str


@dataclass(frozen=True, slots=True)
class EntityProposal:
    """Somebody or something. `aliases` are its other names in any script, transliterations too.

    `embedding` is the vector of name and summary, when there is an embedder; it is not part of a decision.
    """

    name: str
    kind: str = ""
    aliases: tuple[str, ...] = ()
    summary: str = ""
    confidence: float = 1.0
    quotes: tuple[Quote, ...] = ()
    embedding: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class RelationshipProposal:
    """A fact. `object` is an entity's name when `object_is_entity`, else a value.

    `valid_from` and `valid_to` are what the source says of the world; None means since the source's own time, and still so.
    `functional`: the subject has one such object at a time; False says that this one comes beside others, None leaves it to
    the list of predicates. `ends`: what the source says is that it is so no longer. `corrects`: what was held before was
    never so. `negated`: the fact is that it is not so. `confidence` is as the model states it, 0..1. `embedding` is the
    vector of the statement, when there is an embedder.
    """

    subject: str
    predicate: str
    object: str
    object_is_entity: bool = True
    statement: str = ""
    negated: bool = False
    functional: bool | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    ends: bool = False
    corrects: bool = False
    confidence: float = 1.0
    quotes: tuple[Quote, ...] = ()
    embedding: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class DigestProposal:
    """What a slice is about as a whole. `importance` is 0..1; 0.5 is ordinary."""

    slice_id: UUID
    importance: float
    topics: tuple[str, ...] = ()
    summary: str = ""


@dataclass(frozen=True, slots=True)
class VerdictProposal:
    """What an agent says became of one passage, and why. `extracted` counts only when something living cites it."""

    slice_id: UUID
    passage_no: int
    outcome: Outcome
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Proposals:
    """All that one decision proposes. `embedding_model` made the vectors in it, if any."""

    entities: tuple[EntityProposal, ...] = ()
    relationships: tuple[RelationshipProposal, ...] = ()
    digests: tuple[DigestProposal, ...] = ()
    verdicts: tuple[VerdictProposal, ...] = ()
    embedding_model: str = ""


@dataclass(frozen=True, slots=True)
class Maker:
    """Who proposes: the agent, the model it asked (empty: none), and the diary's entry that will tell of it."""

    agent: str
    model: str = ""
    decision_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Promoted:
    """What one promotion did, as counts, and what became of each slice.

    `lost` are slices that were no longer ours: claimed by another, forgotten, released, or changed since they were read.
    Slices of which nothing was settled are in none of the three; they are tried again.
    """

    entities: int = 0
    relationships: int = 0
    superseded: int = 0
    corroborated: int = 0
    citations: int = 0
    quotes_dropped: int = 0
    consolidated: tuple[UUID, ...] = ()
    partial: tuple[UUID, ...] = ()
    lost: tuple[UUID, ...] = ()
    detail: Mapping[str, Any] = field(default_factory=dict)


def to_json(value: Any) -> Any:
    """A value of this module as JSON values: mappings, lists, texts, numbers."""
    if is_dataclass(value) and not isinstance(value, type):
        return {part.name: to_json(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): to_json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(inner) for inner in value]
    return value


def from_json(kind: type[T], value: Any) -> T:
    """The value of a dataclass of this module from what `to_json` made of it. Raises TypeError, ValueError or KeyError."""
    hints = typing.get_type_hints(kind)
    given = {part.name: _read(hints[part.name], value[part.name]) for part in fields(kind) if part.name in value}  # type: ignore[arg-type]
    return kind(**given)


def _read(hint: Any, value: Any) -> Any:
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        return None if value is None else _read(next(part for part in typing.get_args(hint) if part is not type(None)), value)
    if origin is tuple:
        return tuple(_read(typing.get_args(hint)[0], inner) for inner in value)
    if is_dataclass(hint) and isinstance(hint, type):
        return from_json(hint, value)
    if hint is datetime:
        return datetime.fromisoformat(value)
    if hint is UUID:
        return UUID(value)
    return value
