"""Two entities that are one: a pointer from the one to the other, and a record by which it is undone exactly.

No fact is rewritten: whoever reads follows the pointer. So after `unmerge` each has again what it had, and what was learned
meanwhile stays with the one that it was learned of.
"""

from __future__ import annotations

from dataclasses import dataclass

from thoth_substrate.consolidate.statements import restate
from thoth_substrate.db.again import again
from thoth_substrate.db.pool import Database, Tx
from thoth_substrate.db.queries import Query, query
from thoth_substrate.model.knowledge import Maker


@dataclass(frozen=True, slots=True)
class Root:
    """An entity's row: whom it points to, and whether the mind has let go of it."""

    entity_id: int
    merged_into: int | None
    retracted: bool


@dataclass(frozen=True, slots=True)
class MadeMerge:
    merge_id: int


@dataclass(frozen=True, slots=True)
class KnownMerge:
    kept_id: int
    merged_id: int
    moved_ids: list[int]


_ONE_AT_A_TIME: Query[None] = query(__package__, "one_at_a_time")
_ROOTS = query(__package__, "roots_locked", Root)
_MERGED = query(__package__, "merged", MadeMerge)
_KNOWN = query(__package__, "merge_known", KnownMerge)
_UNMERGED: Query[None] = query(__package__, "unmerged")
_UNASSOCIATED: Query[None] = query(__package__, "unassociated")


async def merge(tx: Tx, tenant_id: str, kept_id: int, merged_id: int, reason: str, maker: Maker) -> int | None:
    """Let `merged_id` be known as `kept_id`, within the caller's transaction; answers the merge's number.

    None when there is nothing to merge: unknown, retracted, the same, or no longer standing for themselves. `reason` is the
    kind of evidence, without content.
    """
    await tx.execute(_ONE_AT_A_TIME, tenant_id)
    roots = await tx.fetch(_ROOTS, tenant_id, [kept_id, merged_id])
    if len(roots) != 2 or any(one.retracted or one.merged_into is not None for one in roots):
        return None
    made = await tx.fetch_one(_MERGED, tenant_id, kept_id, merged_id, reason, maker.decision_id)
    await _changed(tx, tenant_id, kept_id, merged_id)
    return made.merge_id if made else None


async def merge_entities(db: Database, tenant_id: str, kept_id: int, merged_id: int, reason: str, maker: Maker) -> int | None:
    """Merge two entities in a transaction of its own; see `merge`."""

    async def once() -> int | None:
        async with db.tenant(tenant_id) as tx:
            return await merge(tx, tenant_id, kept_id, merged_id, reason, maker)

    return await again(db, once)


async def unmerge(db: Database, tenant_id: str, merge_id: int) -> bool:
    """Undo a merge. False when there is none of that number, or it was undone before."""

    async def once() -> bool:
        async with db.tenant(tenant_id) as tx:
            await tx.execute(_ONE_AT_A_TIME, tenant_id)
            known = await tx.fetch_one(_KNOWN, tenant_id, merge_id)
            if known is None:
                return False
            await tx.fetch(_ROOTS, tenant_id, sorted({known.kept_id, known.merged_id, *known.moved_ids}))
            await tx.execute(_UNMERGED, tenant_id, merge_id, known.merged_id, known.moved_ids)
            await _changed(tx, tenant_id, known.kept_id, known.merged_id)
            return True

    return await again(db, once)


async def _changed(tx: Tx, tenant_id: str, *entity_ids: int) -> None:
    await tx.execute(_UNASSOCIATED, tenant_id, sorted(entity_ids))
    await restate(tx, tenant_id, entity_ids)
