"""Attention as it stands: how present the memories are, what will fade and when, and what moved lately."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query

BINS = 10


@dataclass(frozen=True, slots=True)
class _Bin:
    profile: str
    bin: int
    slices: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many slices of a profile stand at each tenth of salience now: `bins[0]` is 0 to 0.1, `bins[9]` 0.9 to 1."""

    profile: str
    slices: int
    bins: list[int]


@dataclass(frozen=True, slots=True)
class Pressure:
    """What will fade, in counts of slices of one profile. `due` could be released at once; the spans add to it.

    `kept` has faded as well, but stays: nothing was promoted from it and nobody asked to forget it.
    """

    profile: str
    slices: int
    pinned: int
    due: int
    within_1_day: int
    within_7_days: int
    within_30_days: int
    kept: int
    kept_within_30_days: int


@dataclass(frozen=True, slots=True)
class Move:
    """An anchor that moved: what moved it and to which level (0..1)."""

    at: datetime
    cause: str
    slice_id: UUID
    level: float


@dataclass(frozen=True, slots=True)
class Decision:
    """An entry of the diary: which worker decided what."""

    at: datetime
    agent: str
    slice_id: UUID
    decision: Any


_HISTOGRAM = query(__package__, "salience_histogram", _Bin)
_PRESSURE = query(__package__, "fading_pressure", Pressure)
_MOVES = query(__package__, "recent_moves", Move)
_DECISIONS = query(__package__, "recent_decisions", Decision)


async def histogram(db: Database, tenant_id: str) -> list[Histogram]:
    """Salience now in ten bins, by profile: one pass over the tenant's anchors."""
    async with db.tenant(tenant_id) as tx:
        rows = await tx.fetch(_HISTOGRAM, tenant_id)
    found: dict[str, list[int]] = {}
    for row in rows:
        found.setdefault(row.profile, [0] * BINS)[row.bin] = row.slices
    return [Histogram(profile, sum(bins), bins) for profile, bins in sorted(found.items())]


async def pressure(db: Database, tenant_id: str) -> list[Pressure]:
    """How much fades when, by profile: one pass over the tenant's anchors."""
    async with db.tenant(tenant_id) as tx:
        return await tx.fetch(_PRESSURE, tenant_id)


async def moves(db: Database, tenant_id: str, *, since: datetime, limit_rows: int = 20) -> list[Move]:
    """The newest moves of anchors (reinforced, pinned, forgotten …) since `since`, at most `limit_rows`."""
    async with db.tenant(tenant_id) as tx:
        return await tx.fetch(_MOVES, tenant_id, since, limit_rows)


async def decisions(db: Database, tenant_id: str, *, agent: str, since: datetime, limit_rows: int = 20) -> list[Decision]:
    """The newest entries of the diary by `agent` since `since`, at most `limit_rows`."""
    async with db.tenant(tenant_id) as tx:
        return await tx.fetch(_DECISIONS, tenant_id, agent, since, limit_rows)
