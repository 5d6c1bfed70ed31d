"""What an agent told the diary in a span, in order: what simulations and reports read."""

from __future__ import annotations

from datetime import datetime

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query
from thoth_substrate.views.curator import Decision

MOST_ENTRIES = 20_000  # a month of one agent that tells every few minutes


TOLD = query(__package__, "told", Decision)


async def told(db: Database, tenant_id: str, *, agent: str, since: datetime, until: datetime) -> list[Decision]:
    """The entries of `agent` from `since` until before `until`, at most `MOST_ENTRIES`. Purged ones have no decision."""
    async with db.tenant(tenant_id) as tx:
        return await tx.fetch(TOLD, tenant_id, agent, since, until, MOST_ENTRIES)
