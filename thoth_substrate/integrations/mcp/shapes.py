"""What tools answer: structured content for programs, and beside it text for the model, marked as data where it is recalled.

Without slots: the SDK takes a class's attributes for its fields' defaults, and slots are such.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
from mcp_types import CallToolResult, TextContent

from thoth_substrate.inject.render import CLOSE, NOTICE, OPEN, harmless


@dataclass(frozen=True)
class Line:
    """One remembered passage or fact. `handle` names it for get_memory, pin and forget; `id` is the memory's, or `row:88`."""

    handle: str
    id: str
    kind: str
    text: str
    who: str
    at: datetime
    session: str
    stream: str
    score: float
    sources: list[UUID]


@dataclass(frozen=True)
class Recalled:
    """What memory has to say; when it is nothing, `empty_reason` and `why` say why. `partial`: not all was looked at in time."""

    lines: list[Line]
    tokens: int
    empty_reason: str | None
    why: str
    partial: bool
    recall_id: UUID | None


@dataclass(frozen=True)
class Remembered:
    """The memory that was made. `stored`: it is in the database; else it waits in the journal, and is not lost."""

    id: UUID
    repeated: bool
    stored: bool


@dataclass(frozen=True)
class Forgotten:
    """What was forgotten now, and what had been before."""

    forgotten: list[UUID]
    already: list[UUID]


@dataclass(frozen=True)
class Pinned:
    """Whether the memory is pinned now, and whether that is new."""

    id: UUID
    pinned: bool
    changed: bool


@dataclass(frozen=True)
class Source:
    """What an answer cites, or a passage in the place of an answer."""

    kind: str
    id: str
    text: str
    who: str
    at: datetime
    session: str


@dataclass(frozen=True)
class Answered:
    """An answer with citations; without a model the passages, and `why`. `outcome` is ok, no_model, nothing_found, …"""

    answer: str
    supported: bool
    outcome: str
    why: str
    citations: list[Source]


@dataclass(frozen=True)
class Topic:
    """Something that is going on: its keywords, until when it matters, and pointers to where it was met."""

    id: int
    keywords: list[str]
    until: datetime
    pointers: list[str]


@dataclass(frozen=True)
class Aware:
    """What is going on; or, for a pointer, what was said there and `where` to look for what is not here."""

    topics: list[Topic]
    said: list[Source]
    where: str
    more: bool


@dataclass(frozen=True)
class Shown:
    """A memory, or a fact (`kind`), wholly. A fact's `sources` are the memories that it rests on."""

    id: str
    kind: str
    text: str
    state: str
    who: str
    at: datetime
    session: str
    stream: str
    version: int = 1
    replaced_by: UUID | None = None
    pinned: bool = False
    importance: float | None = None
    confidence: float = 1.0
    summary: str = ""
    topics: list[str] = field(default_factory=list)
    entities: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    sources: list[UUID] = field(default_factory=list)
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Updated:
    """The newer version's id, the older one's, and which version it is."""

    id: UUID
    replaces: UUID
    version: int


@dataclass(frozen=True)
class Deleted:
    """Whether anything was there to be deleted."""

    id: UUID
    deleted: bool


@dataclass(frozen=True)
class Hit:
    """A result of search, as ChatGPT's connectors want it."""

    id: str
    title: str
    url: str


@dataclass(frozen=True)
class Hits:
    """Results, the best first."""

    results: list[Hit]


@dataclass(frozen=True)
class Document:
    """What fetch gives, as ChatGPT's connectors want it."""

    id: str
    title: str
    text: str
    url: str
    metadata: Mapping[str, Any]


@dataclass(frozen=True)
class Waiting:
    """What waits of the tenant's memories, and what there is, as counts."""

    pending: int
    unindexed: int
    unembedded: int
    unconsolidated: int
    sessions: int
    passages: int
    pinned: int


@dataclass(frozen=True)
class Status:
    """How the memory is. `database` is reached or away (`why`); `held` is None then.

    `journal_bytes` wait to be stored, of all tenants together: None for who may not see that.
    """

    tenant: str
    database: str
    why: str
    recall: bool
    embedder: str | None
    journal_bytes: int | None
    held: Waiting | None


def result(text: str, shape: Any) -> CallToolResult:
    """A tool's result: text for the model, and the same as structured content."""
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=orjson.loads(written(shape)))


def as_json(shape: Any) -> CallToolResult:
    """A result whose text is the structured content itself, as ChatGPT's connectors want it. Non-ASCII stays as it is."""
    return result(written(shape).decode(), shape)


def written(shape: Any) -> bytes:
    """A shape as JSON. The driver's own kind of UUID is one too."""
    return orjson.dumps(shape, default=str)


def refused(sentence: str) -> CallToolResult:
    """A result that says why nothing was done."""
    return CallToolResult(content=[TextContent(type="text", text=sentence)], is_error=True)


def quoted(*lines: str) -> str:
    """Memories as data: fenced, marked, and unable to close the fence. What is so fenced is never perceived again."""
    return "\n".join((OPEN, NOTICE, *map(harmless, lines), CLOSE))
