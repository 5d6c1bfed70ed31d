"""Release: what has faded and was promoted, or was forgotten, goes. A tombstone stays until its month goes as well.

Gather across tenants (a range of the index on `fades_at`), then tenant by tenant one transaction that re-checks each
slice under lock. Idempotent; two hosts may run it at once and share the work.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from uuid import UUID

from thoth_substrate.db.plans import POINT_LOOKUPS
from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.fade.unindex import Unindexed, unindex


@dataclass(frozen=True, slots=True)
class Due:
    tenant_id: str
    slice_id: UUID


@dataclass(frozen=True, slots=True)
class Claimed:
    slice_id: UUID
    tombstone: str
    permitted: bool


@dataclass(frozen=True, slots=True)
class Released:
    """What went of one tenant, as counts; `first` and `last` bound the ids. `postponed` had faded but may not go yet."""

    slices: int = 0
    passages: int = 0
    vectors: int = 0
    postponed: int = 0
    first: UUID | None = None
    last: UUID | None = None


@dataclass(frozen=True, slots=True)
class ReleaseReport:
    """`due` is what the batch found; when it equals the limit there is more."""

    due: int = 0
    by_tenant: Mapping[str, Released] = field(default_factory=dict)

    @property
    def released(self) -> int:
        return sum(part.slices for part in self.by_tenant.values())


_DUE = query(__package__, "due", Due)
_STALE: Query[None] = query(__package__, "stale")
_CLAIM = query(__package__, "claim", Claimed)
_POSTPONE: Query[None] = query(__package__, "postpone")
_EMPTY: Query[None] = query(__package__, "empty")
_ANCHORS: Query[None] = query(__package__, "anchors_gone")
_JUDGED: Query[None] = query(__package__, "judged_gone")


async def release(db: Database, *, limit_rows: int) -> ReleaseReport:
    """Release at most `limit_rows` slices that are due, the longest faded first."""
    async with db.worker() as tx:
        due = await tx.fetch(_DUE, limit_rows)
    return ReleaseReport(
        len(due), {tenant: await _release_tenant(db, tenant, slice_ids) for tenant, slice_ids in _by_tenant(due)}
    )


async def _release_tenant(db: Database, tenant_id: str, slice_ids: Sequence[UUID]) -> Released:
    async with db.tenant(tenant_id) as tx:
        await tx.execute(POINT_LOOKUPS)
        await tx.execute(_STALE, tenant_id, slice_ids)
        claimed = await tx.fetch(_CLAIM, tenant_id, slice_ids)
        going = [c for c in claimed if c.permitted]
        early = [c.slice_id for c in claimed if not c.permitted]
        if early:
            await tx.execute(_POSTPONE, tenant_id, early)
        ids = [c.slice_id for c in going]
        gone = Unindexed()
        if ids:
            gone = await unindex(tx, tenant_id, ids)
            await tx.execute(_EMPTY, tenant_id, ids, [c.tombstone for c in going])
            await tx.execute(_ANCHORS, tenant_id, ids)
            await tx.execute(_JUDGED, tenant_id, ids)
    return Released(len(ids), gone.passages, gone.vectors, len(early), min(ids, default=None), max(ids, default=None))


def _by_tenant(due: Iterable[Due]) -> list[tuple[str, list[UUID]]]:
    tenant = attrgetter("tenant_id")
    return [(name, [row.slice_id for row in rows]) for name, rows in groupby(sorted(due, key=tenant), tenant)]
