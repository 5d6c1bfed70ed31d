"""Reading what is held: facts about somebody, what was so at an instant, and what a row rests on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from thoth_substrate.db.pool import Database, Tx
from thoth_substrate.db.queries import query
from thoth_substrate.model.names import norm


@dataclass(frozen=True, slots=True)
class Relationship:
    """A fact with the names of what it is about. Living while `retracted_at` is None; so in the world until `valid_to`."""

    relationship_id: int
    subject_id: int
    subject: str
    predicate: str
    object_id: int | None
    object: str
    negated: bool
    functional: bool
    statement: str
    valid_from: datetime
    valid_to: datetime | None
    asserted_at: datetime
    retracted_at: datetime | None
    retract_reason: str | None
    superseded_by: int | None
    confidence: float


@dataclass(frozen=True, slots=True)
class NamedGroup:
    entity_id: int
    merged: list[int]


@dataclass(frozen=True, slots=True)
class Citation:
    slice_id: UUID
    passage_no: int
    quote_start: int
    quote: str
    event_time: datetime
    session_id: str
    actor: str


_AS_OF = query(__package__, "relationships_as_of", Relationship)
_ABOUT = query(__package__, "facts_about", Relationship)
_NAMED = query(__package__, "entities_by_name", NamedGroup)
_CITATIONS = query(__package__, "citations_of", Citation)


async def relationships_as_of(
    db: Database, tenant_id: str, at: datetime, *, known_at: datetime | None = None, about: str | None = None,
    limit_rows: int = 1000,
) -> list[Relationship]:  # fmt: skip
    """What was so in the world at `at`, as the mind held it at `known_at` (now, unless told), the newest first.

    `about` narrows it to subjects of that name; a name that nobody bears has no facts.
    """
    async with db.tenant(tenant_id) as tx:
        members = None if about is None else await _members(tx, tenant_id, about)
        return await tx.fetch(_AS_OF, tenant_id, at, known_at or db.clock.now(), members, limit_rows)


async def facts_about(
    db: Database, tenant_id: str, name: str, *, past: bool = False, limit_rows: int = 1000
) -> list[Relationship]:
    """Facts that name somebody as subject or object, in the order of the world's time.

    `past`: those that the mind has let go of too, with the reason and with what took their place.
    """
    async with db.tenant(tenant_id) as tx:
        return await tx.fetch(_ABOUT, tenant_id, await _members(tx, tenant_id, name), past, limit_rows)


async def citations_of(db: Database, tenant_id: str, row_id: int, *, limit_rows: int = 100) -> list[Citation]:
    """The quoted spans that a row of any layer rests on, the oldest event first."""
    async with db.tenant(tenant_id) as tx:
        return await tx.fetch(_CITATIONS, tenant_id, row_id, limit_rows)


async def _members(tx: Tx, tenant_id: str, name: str) -> list[int]:
    """The numbers of everybody who goes by a name, those that were merged into them included."""
    groups = await tx.fetch(_NAMED, tenant_id, norm(name))
    return [number for group in groups for number in (group.entity_id, *group.merged)]
