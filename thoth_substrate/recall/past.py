"""What only an answer as of a past instant needs: salience as it was, and what has been released since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from uuid import UUID

import numpy as np

from thoth_substrate.db.queries import query
from thoth_substrate.model.projection import Missing
from thoth_substrate.recall.candidate import Candidates
from thoth_substrate.recall.deadline import Reading
from thoth_substrate.recall.facts import Fact


@dataclass(frozen=True, slots=True)
class SalienceThen:
    slice_id: UUID
    level: float
    pinned: bool


@dataclass(frozen=True, slots=True)
class Released:
    """A slice that is a tombstone now, or gone with its month (`released_at` None)."""

    slice_id: UUID
    actor: str
    event_time: datetime
    released_at: datetime | None


_SALIENCE_THEN = query(__package__, "salience_then", SalienceThen)
_RELEASED_SINCE = query(__package__, "released_since", Released)


async def as_they_were(reading: Reading, found: Candidates, at: datetime) -> Candidates:
    """The candidates with salience and pins as of `at`, recomputed from the log of their anchors' moves."""
    led = [found.slice_id[place] for place in np.flatnonzero(found.legs).tolist()]
    async with reading.tx() as tx:
        then = {row.slice_id: row for row in await tx.fetch(_SALIENCE_THEN, reading.tenant_id, list(set(led)), at)}
    known = [then.get(slice_id) for slice_id in found.slice_id]
    levels = np.array([row.level if row else np.nan for row in known], np.float64)
    pinned = np.array([bool(row and row.pinned) for row in known], np.bool_)
    return replace(found, salience=levels, pinned=pinned)


async def released_since(reading: Reading, facts: Sequence[Fact], at: datetime, timezone: tzinfo = UTC) -> list[Missing]:
    """Slices that the facts let through rest on, perceived by `at` and released since; the oldest first, without handles."""
    rows = [fact.known.row_id for fact in facts if fact.bears]
    if not rows:
        return []
    async with reading.tx() as tx:
        gone = await tx.fetch(_RELEASED_SINCE, reading.tenant_id, rows, at)
    return [Missing("", row.slice_id, row.actor, row.event_time.astimezone(timezone), row.released_at) for row in gone]
