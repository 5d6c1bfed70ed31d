"""A memory as people and programs see it: a slice, what it waits for, and what was made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from thoth_substrate.db.plans import POINT_LOOKUPS
from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query
from thoth_substrate.errors import UnknownSlice

STATES = ("pending", "passed", "quarantined", "rejected", "replaced", "retired", "forgotten", "released", "diary")


@dataclass(frozen=True, slots=True)
class Row:
    slice_id: UUID
    stream: str
    session: str
    actor: str
    event_time: datetime
    ingest_time: datetime
    state: str
    reason: str | None
    released_at: datetime | None
    external_id: str | None
    text: str
    payload: Any
    metadata: dict[str, Any]
    importance: float | None
    pinned: bool
    topics: list[str]
    summary: str
    digested: bool
    version: int
    replaces: UUID | None
    first_id: UUID | None
    replaced_by: UUID | None
    waits_for: list[str]
    entities: list[dict[str, Any]]
    facts: list[dict[str, Any]]


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
    """A slice as its owner keeps it. `id` is the slice's.

    `state` is one of `STATES` (retired: its source is gone), `reason` says why it was held back or rejected; `waits_for` names
    the steps still to come (triage, index, embed, consolidate). `content` is the structured original, None when the text is
    all there is. `importance` is 0..1, `parsed` says whether it was read by the Parser, from which topics, summary, entities
    and facts come. `version` counts from 1; `replaces` and `replaced_by` are its neighbours. A released one has no text left.
    """

    id: UUID
    state: str
    reason: str | None
    waits_for: list[str]
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
    topics: list[str]
    entities: list[Named]
    facts: list[Stated]
    version: int
    replaces: UUID | None
    replaced_by: UUID | None


MEMORIES = query(__package__, "memories", Row)


async def memory(db: Database, tenant_id: str, slice_id: UUID) -> Memory:
    """One memory, whatever its state. Raises UnknownSlice when this tenant has none of that id."""
    found = await those(db, tenant_id, [slice_id])
    if not found:
        raise UnknownSlice(f"No memory of tenant {tenant_id} has the id {slice_id}: `thoth memories list` shows those there are.")
    return found[0]


async def those(db: Database, tenant_id: str, slice_ids: Sequence[UUID]) -> list[Memory]:
    """The memories of these ids, in that order; those that this tenant does not have are left out."""
    async with db.tenant(tenant_id) as tx:
        await tx.execute(POINT_LOOKUPS)
        rows = await tx.fetch(MEMORIES, tenant_id, list(slice_ids), *[None] * 10, len(slice_ids))
    return [as_memory(row) for row in rows]


def as_memory(row: Row) -> Memory:
    """A row as a memory."""
    return Memory(
        row.slice_id, row.state, row.reason, row.waits_for, row.text, row.payload, row.stream, row.session, row.actor,
        row.event_time, row.ingest_time, row.released_at, row.external_id, row.metadata, row.importance, row.pinned,
        row.digested or bool(row.entities or row.facts), row.summary, row.topics,
        [Named(**one) for one in row.entities], [Stated(**one) for one in row.facts],
        row.version, row.replaces, row.replaced_by,
    )  # fmt: skip
