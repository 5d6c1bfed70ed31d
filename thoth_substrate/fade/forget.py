"""Forgetting: found no more from this moment, promoted never, its content gone on the Curator's next tick."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from thoth_substrate.db.again import again
from thoth_substrate.db.plans import POINT_LOOKUPS
from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.fade.hold import hold
from thoth_substrate.fade.unindex import Unindexed, unindex

_FORGOTTEN: Query[None] = query(__package__, "forgotten")


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What forgetting did. `changed` is False when the slice was forgotten or released before."""

    changed: bool
    unindexed: Unindexed


async def forget(db: Database, tenant_id: str, slice_id: UUID) -> Forgotten:
    """Forget a slice, pinned or not: it leaves every index and queue in this transaction. Raises UnknownSlice, BadInput."""

    async def once() -> Forgotten:
        async with db.tenant(tenant_id) as tx:
            await tx.execute(POINT_LOOKUPS)
            held = await hold(tx, tenant_id, slice_id)
            if held.released or held.forgotten:
                return Forgotten(False, Unindexed())
            await tx.execute(_FORGOTTEN, tenant_id, slice_id)
            return Forgotten(True, await unindex(tx, tenant_id, [slice_id]))

    return await again(db, once)
