"""Purges that go by while an agent thinks: what it read before one must not come back by what it writes after it."""

from __future__ import annotations

from dataclasses import dataclass

from thoth_substrate.db.pool import Database, Tx
from thoth_substrate.db.queries import Query, query


@dataclass(frozen=True, slots=True)
class SoFar:
    steps: int


_SO_FAR = query(__package__, "purges_so_far", SoFar)
_AWAITED: Query[None] = query(__package__, "purge_awaited")


async def so_far(database: Database, tenant_id: str) -> int:
    """How far purges of this tenant have come; to be asked before anything is read for a decision."""
    async with database.tenant(tenant_id) as tx:
        found = await tx.fetch_one(_SO_FAR, tenant_id)
    return found.steps if found else 0


async def gone_by(tx: Tx, tenant_id: str, before: int) -> bool:
    """Whether a purge has gone by since `before`. If not, one that closes now waits for the caller's transaction."""
    await tx.execute(_AWAITED, tenant_id)
    found = await tx.fetch_one(_SO_FAR, tenant_id)
    return found is not None and found.steps != before
