"""Concepts as they are kept: listed, shown with their sources, taken away, extended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from thoth_substrate.awareness.note import within
from thoth_substrate.awareness.pointers import Pointer
from thoth_substrate.db.pool import Database, Tx
from thoth_substrate.db.queries import Query, query
from thoth_substrate.errors import UnknownConcept


@dataclass(frozen=True, slots=True)
class SourceLine:
    """Where a concept was met. `pointer` is what `read` takes; of what is outside, `ref` is its id there."""

    pointer: str
    type: str
    ref: str
    from_time: datetime
    to_time: datetime


@dataclass(frozen=True, slots=True)
class Concept:
    """Something that is going on. `last_at` is when it was last spoken of, `renewed_at` when it was last noted."""

    concept_id: int
    keywords: list[str]
    expires_at: datetime
    last_at: datetime
    renewed_at: datetime
    made_at: datetime
    decision_id: UUID | None
    sources: list[SourceLine]


@dataclass(frozen=True, slots=True)
class Told:
    concept_id: int
    keywords: list[str]
    expires_at: datetime
    last_at: datetime
    renewed_at: datetime
    made_at: datetime
    decision_id: UUID | None


@dataclass(frozen=True, slots=True)
class Met:
    concept_id: int
    type: str
    ref: str
    from_time: datetime
    to_time: datetime


@dataclass(frozen=True, slots=True)
class Living:
    concept_id: int


_LIVING = query(__package__, "concepts_living", Living)
_TOLD = query(__package__, "concepts_told", Told)
_MET = query(__package__, "sources_met", Met)
_FORGOTTEN: Query[None] = query(__package__, "concepts_forgotten")
_UNTIL: Query[None] = query(__package__, "concept_until")


async def concepts(db: Database, tenant_id: str, *, limit_rows: int = 50) -> list[Concept]:
    """What is going on, the last noted first."""
    async with db.tenant(tenant_id) as tx:
        ids = [row.concept_id for row in await tx.fetch(_LIVING, tenant_id, limit_rows)]
        return await told(tx, tenant_id, ids)


async def concept(db: Database, tenant_id: str, concept_id: int) -> Concept:
    """One concept. Raises UnknownConcept when there is none of that number, or it has expired."""
    async with db.tenant(tenant_id) as tx:
        return await _one(tx, tenant_id, concept_id)


async def forget(db: Database, tenant_id: str, concept_id: int) -> Concept:
    """Take a concept away with its keywords and sources; answers what it was. What it pointed to stays. Raises UnknownConcept."""
    async with db.tenant(tenant_id) as tx:
        was = await _one(tx, tenant_id, concept_id)
        await take_away(tx, tenant_id, [concept_id])
    return was


async def extend(db: Database, tenant_id: str, concept_id: int, lasts: timedelta) -> Concept:
    """Let a concept stay for `lasts` from now, or as long as it would anyhow. Raises UnknownConcept, BadInput."""
    async with db.tenant(tenant_id) as tx:
        await _one(tx, tenant_id, concept_id)
        await tx.execute(_UNTIL, tenant_id, concept_id, db.clock.now() + within(lasts))
        return await _one(tx, tenant_id, concept_id)


async def take_away(tx: Tx, tenant_id: str, concept_ids: Sequence[int]) -> int:
    """Delete concepts; keywords and sources go with them. Answers how many concepts that were."""
    return await tx.execute(_FORGOTTEN, tenant_id, concept_ids)


async def told(tx: Tx, tenant_id: str, concept_ids: Sequence[int]) -> list[Concept]:
    """Concepts with their keywords and sources, in the order of the ids; those that have expired are left out."""
    if not concept_ids:
        return []
    met: dict[int, list[SourceLine]] = {}
    for row in await tx.fetch(_MET, tenant_id, concept_ids):
        pointed = Pointer(row.type, row.ref, row.from_time, row.to_time)
        line = SourceLine(str(pointed), row.type, row.ref, row.from_time, row.to_time)
        met.setdefault(row.concept_id, []).append(line)
    rows = await tx.fetch(_TOLD, tenant_id, concept_ids)
    found = {
        row.concept_id: Concept(
            row.concept_id, row.keywords, row.expires_at, row.last_at, row.renewed_at, row.made_at, row.decision_id,
            met.get(row.concept_id, []),
        )
        for row in rows
    }  # fmt: skip
    return [found[one] for one in concept_ids if one in found]


async def _one(tx: Tx, tenant_id: str, concept_id: int) -> Concept:
    found = await told(tx, tenant_id, [concept_id])
    if not found:
        raise UnknownConcept(f"Nothing that is going on has the number {concept_id}: `thoth awareness list` shows what is.")
    return found[0]
