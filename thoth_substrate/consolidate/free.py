"""Freeing slices to be promoted anew: what was made of them, together with something that was purged, is to be made again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from thoth_substrate.db.pool import Tx
from thoth_substrate.db.queries import Query, query


@dataclass(frozen=True, slots=True)
class FreedSlice:
    slice_id: UUID


_ONE_AT_A_TIME: Query[None] = query(__package__, "one_at_a_time")
_FREED = query(__package__, "freed", FreedSlice)
_STATE: Query[None] = query(__package__, "freed_state")
_VERDICTS: Query[None] = query(__package__, "freed_verdicts")
_QUEUE: Query[None] = query(__package__, "freed_queue")


async def alone(tx: Tx, tenant_id: str) -> None:
    """Wait until nobody else writes the tenant's knowledge, and let nobody until the transaction ends. Before any other lock."""
    await tx.execute(_ONE_AT_A_TIME, tenant_id)


async def free(tx: Tx, tenant_id: str, slice_ids: Sequence[UUID]) -> list[UUID]:
    """Queue slices to be promoted anew, within the caller's transaction; answers those that still can be."""
    await tx.execute(_FREED, tenant_id, slice_ids)  # takes the locks; what changed while they were waited for is read by the next
    freed = [row.slice_id for row in await tx.fetch(_FREED, tenant_id, slice_ids)]
    if freed:
        await tx.execute(_VERDICTS, tenant_id, freed)
        await tx.execute(_STATE, tenant_id, freed)
        await tx.execute(_QUEUE, tenant_id, freed)
    return freed
