"""What waits for triage, oldest first, and how long it may."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query


@dataclass(frozen=True, slots=True)
class PendingLine:
    """A slice that waits. Past `ttl` it is rejected, but only time with a live Sentinel counts."""

    slice_id: UUID
    stream: str
    actor: str
    queued_at: datetime
    waited: timedelta
    ttl: timedelta
    excerpt: str


_PENDING = query(__package__, "oldest_pending", PendingLine)


async def pending(db: Database, tenant_id: str, *, limit_rows: int = 20) -> list[PendingLine]:
    """The slices that have waited longest for triage, at most `limit_rows`."""
    async with db.tenant(tenant_id) as tx:
        return await tx.fetch(_PENDING, tenant_id, limit_rows)
