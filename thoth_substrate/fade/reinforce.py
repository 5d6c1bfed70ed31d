"""Reinforcement: what recall shows fades a little later, what was really used fades later by its profile's full bump."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal
from uuid import UUID

from thoth_substrate.db.again import again
from thoth_substrate.db.plans import POINT_LOOKUPS
from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query

Cause = Literal["surfaced", "used"]


@dataclass(frozen=True, slots=True)
class Bump:
    """A share (0..1) of the profile's bump, and how long a slice must rest before the next one counts."""

    share: float
    rest: timedelta


# Being shown is weak evidence, and what is shown is shown again: were it to count fully, recall would feed on itself.
BUMPS: dict[Cause, Bump] = {
    "surfaced": Bump(0.2, timedelta(hours=1)),
    "used": Bump(1.0, timedelta(minutes=1)),
}
_REINFORCED: Query[None] = query(__package__, "reinforced")


async def reinforce(db: Database, tenant_id: str, slice_ids: Sequence[UUID], cause: Cause) -> int:
    """Move the anchors of `slice_ids` up; answers how many moved. Pinned, forgotten, released and resting ones do not.

    A slice that was used less than an hour ago gains nothing by being surfaced; one that was just surfaced may be used.
    """
    bump = BUMPS[cause]

    async def once() -> int:
        async with db.tenant(tenant_id) as tx:
            await tx.execute(POINT_LOOKUPS)
            return await tx.execute(_REINFORCED, tenant_id, slice_ids, cause, bump.share, bump.rest)

    return await again(db, once) if slice_ids else 0
