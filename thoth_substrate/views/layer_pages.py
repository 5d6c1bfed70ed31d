"""Each layer in pages, as its rows stand: what the API hands out of what a tenant knows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from thoth_substrate.db.plans import POINT_LOOKUPS
from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.errors import BadInput

T = TypeVar("T")
_LARGEST = (1 << 63) - 1
_CURSOR = re.compile(r"(\d{1,18})(?:-(\d{1,18}))?")


@dataclass(frozen=True, slots=True)
class EntityLine:
    """Who or what there is, with every name it goes by."""

    entity_id: int
    kind: str
    name: str
    summary: str
    first_seen: datetime
    last_seen: datetime
    confidence: float
    agent: str
    asserted_at: datetime
    aliases: list[str]


@dataclass(frozen=True, slots=True)
class FactLine:
    """A fact that the mind holds. `valid_to` None: it is still so."""

    row_id: int
    statement: str
    subject: str | None
    predicate: str
    object: str
    negated: bool
    valid_from: datetime
    valid_to: datetime | None
    confidence: float
    agent: str
    asserted_at: datetime


@dataclass(frozen=True, slots=True)
class PatternLine:
    """A pattern, insight or synthesis."""

    row_id: int
    kind: str
    statement: str
    valid_from: datetime
    valid_to: datetime
    confidence: float
    agent: str
    asserted_at: datetime


@dataclass(frozen=True, slots=True)
class ObservationLine:
    """What the substrate noted of itself, a dream, a question or a test; `score` of a measurement."""

    row_id: int
    kind: str
    statement: str
    score: float | None
    observed_at: datetime
    agent: str


@dataclass(frozen=True, slots=True)
class AssociationLine:
    """Two entities that have to do with each other, and how much (0..1): named together, linked by facts, sharing neighbours."""

    left_id: int
    left_name: str
    right_id: int
    right_name: str
    weight: float
    together: int
    linked: int
    shared: int
    computed_at: datetime


@dataclass(frozen=True, slots=True)
class Rows(Generic[T]):
    """Rows of a layer, and where to go on; None: there are no more."""

    rows: list[T]
    next_cursor: str | None


ENTITIES = query(__package__, "page_entities", EntityLine)
FACTS = query(__package__, "page_facts", FactLine)
PATTERNS = query(__package__, "page_patterns", PatternLine)
OBSERVATIONS = query(__package__, "page_observations", ObservationLine)
ASSOCIATIONS = query(__package__, "page_associations", AssociationLine)


async def entities(db: Database, tenant_id: str, *, cursor: str | None = None, limit_rows: int = 50) -> Rows[EntityLine]:
    """Entities, the newest first. Raises BadInput for a cursor that is none of ours, as all of these do."""
    rows = await _fetch(db, tenant_id, ENTITIES, _before(cursor), limit_rows + 1)
    return _page(rows, limit_rows, lambda row: str(row.entity_id))


async def facts(
    db: Database, tenant_id: str, *, cursor: str | None = None, limit_rows: int = 50, ended: bool = False
) -> Rows[FactLine]:  # fmt: skip
    """Facts that hold now, the newest first; with those that held once when `ended`."""
    rows = await _fetch(db, tenant_id, FACTS, _before(cursor), limit_rows + 1, ended)
    return _page(rows, limit_rows, lambda row: str(row.row_id))


async def patterns(db: Database, tenant_id: str, *, cursor: str | None = None, limit_rows: int = 50) -> Rows[PatternLine]:
    """Patterns, insights and syntheses, the newest first."""
    rows = await _fetch(db, tenant_id, PATTERNS, _before(cursor), limit_rows + 1)
    return _page(rows, limit_rows, lambda row: str(row.row_id))


async def observations(db: Database, tenant_id: str, *, cursor: str | None = None, limit_rows: int = 50) -> Rows[ObservationLine]:
    """Observations, the newest first."""
    rows = await _fetch(db, tenant_id, OBSERVATIONS, _before(cursor), limit_rows + 1)
    return _page(rows, limit_rows, lambda row: str(row.row_id))


async def associations(db: Database, tenant_id: str, *, cursor: str | None = None, limit_rows: int = 50) -> Rows[AssociationLine]:
    """Associations, by the numbers of their entities."""
    left, right = _pair(cursor)
    rows = await _fetch(db, tenant_id, ASSOCIATIONS, left, right, limit_rows + 1)
    return _page(rows, limit_rows, lambda row: f"{row.left_id}-{row.right_id}")


async def _fetch(db: Database, tenant_id: str, asked: Query[T], *arguments: Any) -> list[T]:
    async with db.tenant(tenant_id) as tx:
        await tx.execute(POINT_LOOKUPS)
        return await tx.fetch(asked, tenant_id, *arguments)


def _page(rows: list[T], limit_rows: int, place: Any) -> Rows[T]:
    return Rows(rows[:limit_rows], place(rows[limit_rows - 1]) if len(rows) > limit_rows else None)


def _before(cursor: str | None) -> int:
    if cursor is None:
        return _LARGEST
    return _read(cursor, pair=False)[0]


def _pair(cursor: str | None) -> tuple[int, int]:
    return (0, 0) if cursor is None else _read(cursor, pair=True)


def _read(cursor: str, *, pair: bool) -> tuple[int, int]:
    found = _CURSOR.fullmatch(cursor) if cursor.isascii() else None
    if found is None or (found[2] is not None) is not pair:
        raise BadInput("The cursor is none of ours: begin without one, and take the next from the answer.")
    return int(found[1]), int(found[2] or 0)
