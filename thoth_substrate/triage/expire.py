"""Force-reject: bounds the queue of pending slices, and never punishes an outage."""

from __future__ import annotations

from dataclasses import dataclass

from thoth_substrate.db.plans import POINT_LOOKUPS
from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query

LIMIT_ROWS = 5000
FRESH_S = 30  # a heartbeat older than this means that no Sentinel is alive


@dataclass(frozen=True, slots=True)
class RejectReport:
    """How many slices one tick rejected; LIMIT_ROWS means that there may be more."""

    rejected: int = 0


@dataclass(frozen=True, slots=True)
class Rejected:
    rejected: int


_REJECT = query(__package__, "force_reject", Rejected)


async def force_reject(db: Database, *, limit_rows: int = LIMIT_ROWS) -> RejectReport:
    """Reject what has waited longer than its profile's `pending_ttl` while a Sentinel was alive to see it.

    The row stays, with a reason, for the profile's `expire_after`, and `quarantine.revive` brings it back.
    """
    async with db.worker() as tx:
        await tx.execute(POINT_LOOKUPS)
        done = await tx.fetch_one(_REJECT, limit_rows, FRESH_S)
    return RejectReport(done.rejected if done else 0)
