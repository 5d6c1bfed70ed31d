"""The vitals: what the Conductor weighs, as the database measures it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query


@dataclass(frozen=True, slots=True)
class Measured:
    """One look at every tenant's queues, at `at` by the server's clock.

    `backlog` waits for consolidation, `untried_since` is when the oldest of it came that nobody has tried; `arrived` counts
    what came since the last look and still waits. `endpoints_down` counts breakers that are open or half open and in use;
    the recalls are those of the last ten minutes, `recall_share` their 95th percentile of time over deadline.
    """

    at: datetime
    backlog: int
    untried_since: datetime | None
    arrived: int
    pending: int
    unembedded: int
    dead_letters: int
    endpoints_down: int
    coherence: float | None
    recalls: int
    recall_p95_ms: float | None
    recall_share: float | None


VITALS = query(__package__, "vitals", Measured)


async def measure(db: Database, since: datetime) -> Measured:
    """Measure now. `since` is the last look. Holds a connection for one statement."""
    async with db.worker() as tx:
        measured = await tx.fetch_one(VITALS, since)
    assert measured is not None
    return measured
