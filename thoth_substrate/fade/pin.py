"""Pinning: a slice that never fades, whatever its age, until it is unpinned."""

from __future__ import annotations

from uuid import UUID

from thoth_substrate.db.again import again
from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.errors import BadInput
from thoth_substrate.fade.hold import hold

_PINNED: Query[None] = query(__package__, "pinned")
_UNPINNED: Query[None] = query(__package__, "unpinned")


async def pin(db: Database, tenant_id: str, slice_id: UUID) -> bool:
    """Hold a slice's salience at 1 from now on. False when it was pinned already.

    Raises UnknownSlice, or BadInput when it was forgotten or released: there is nothing left to keep present.
    """

    async def once() -> bool:
        async with db.tenant(tenant_id) as tx:
            held = await hold(tx, tenant_id, slice_id)
            if held.released or held.forgotten:
                what = (
                    "released: only its tombstone is left" if held.released else "forgotten, and goes on the Curator's next tick"
                )
                raise BadInput(f"Slice {slice_id} cannot be pinned, because it was {what}; nothing was changed.")
            return await tx.execute(_PINNED, tenant_id, slice_id) > 0

    return await again(db, once)


async def unpin(db: Database, tenant_id: str, slice_id: UUID) -> bool:
    """Let a pinned slice fade from now on, beginning at 1. False when it was not pinned. Raises UnknownSlice."""

    async def once() -> bool:
        async with db.tenant(tenant_id) as tx:
            await hold(tx, tenant_id, slice_id)
            return await tx.execute(_UNPINNED, tenant_id, slice_id) > 0

    return await again(db, once)
