"""What nobody else puts right: calls whose process died, and what the ledger need not keep any longer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from thoth_substrate.db.again import again
from thoth_substrate.db.pool import Database, as_rows
from thoth_substrate.db.queries import Query, query
from thoth_substrate.ledger.budgets import put_right
from thoth_substrate.settings import Settings

ROWS = 500
MARGIN = timedelta(seconds=60)
KEPT = timedelta(days=400)  # rows: a year can be compared with the one before
WINDOWS_KEPT = timedelta(days=32)


@dataclass(frozen=True, slots=True)
class LeftCall:
    tenant_id: str
    call_id: UUID


@dataclass(frozen=True, slots=True)
class Settled:
    """A call just settled: what had been set aside for it, and when it was made."""

    agent: str
    called_at: datetime
    tokens: int
    usd: float


_LEFT = query(__package__, "calls_left", LeftCall)
_ABANDONED = query(__package__, "calls_abandoned", Settled)
_CALLS_EXPIRED: Query[None] = query(__package__, "calls_expired")
_WINDOWS_EXPIRED: Query[None] = query(__package__, "windows_expired")


def abandoned_after(settings: Settings) -> timedelta:
    """After how long a call that is not settled has no process any more: the longest that one may take, and a margin."""
    return timedelta(milliseconds=max(settings.aux_timeout_ms, settings.embed_timeout_ms * 3)) + MARGIN


async def sweep(db: Database, after: timedelta) -> int:
    """Settle, in full, calls that were begun longer than `after` ago and never settled; answers how many."""

    async def once() -> int:
        async with db.worker() as tx:
            left = await tx.fetch(_LEFT, after, ROWS)
            if not left:
                return 0
            calls = await tx.fetch(_ABANDONED, *as_rows([(one.tenant_id, one.call_id) for one in left]))
            for call in calls:
                await put_right(tx, call.agent, call.called_at, (call.tokens, call.usd), (call.tokens, call.usd))
        return len(left)

    return await again(db, once)


async def expire(db: Database) -> int:
    """Delete a batch of what is older than the ledger keeps; answers how many calls."""
    async with db.worker() as tx:
        await tx.execute(_WINDOWS_EXPIRED, WINDOWS_KEPT)
        return await tx.execute(_CALLS_EXPIRED, KEPT, ROWS)
