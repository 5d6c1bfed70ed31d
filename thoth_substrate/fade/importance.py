"""Importance: what the Parser says a slice weighs sets how fast it fades; 1 fades four times as slowly as ordinary, 0 as fast."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from thoth_substrate.db.pool import Tx
from thoth_substrate.db.queries import Query, query

_HELD: Query[None] = query(__package__, "importance_held")
_LEARNED: Query[None] = query(__package__, "importance_learned")


async def learn(tx: Tx, tenant_id: str, importances: Mapping[UUID, float]) -> int:
    """Give slices their importance (0..1, clamped) within the caller's transaction; answers how many anchors moved.

    The level now stays; the half-life follows, and with it when the slice fades. Forgotten slices, unknown ones, and those
    of that importance already do not move.
    """
    if not importances:
        return 0
    ids = sorted(importances)
    await tx.execute(_HELD, tenant_id, ids)
    return await tx.execute(_LEARNED, tenant_id, ids, [min(max(importances[i], 0.0), 1.0) for i in ids])
