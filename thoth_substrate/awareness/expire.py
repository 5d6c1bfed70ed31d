"""Expiry: concepts whose time is over go, with their keywords and sources, in one statement for all tenants.

Nothing waits for it: what has expired is shown by no command from that instant on.
"""

from __future__ import annotations

from typing import Any

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query

_EXPIRED: Query[Any] = query(__package__, "expired")


async def expire(db: Database) -> int:
    """Take away what has expired, of every tenant; answers how many concepts that were."""
    async with db.worker() as tx:
        return await tx.execute(_EXPIRED)
