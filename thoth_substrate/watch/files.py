"""The watcher's rows: what is written down of files when they are looked at. The only module that moves what lies where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar
from uuid import UUID

from thoth_substrate.db.again import again
from thoth_substrate.db.plans import POINT_LOOKUPS
from thoth_substrate.db.pool import Database, as_rows
from thoth_substrate.db.queries import Query, query
from thoth_substrate.model.documents import labels
from thoth_substrate.model.ids import next_id
from thoth_substrate.watch.compare import Moved, Plan, Row
from thoth_substrate.watch.ports import Ports

T = TypeVar("T")
BATCH_FILES = 500
KEPT = timedelta(days=90)  # how long a file that is gone is still listed
DELETED = "its file is gone"
STRAY = "an attempt at its file was overtaken"
DROPPED = "its folder is watched no more"


@dataclass(frozen=True, slots=True)
class LiveSlices:
    slice_ids: list[UUID]


@dataclass(frozen=True, slots=True)
class Stray:
    slice_id: UUID


_ROWS = query(__package__, "rows", Row)
_ADDED: Query[None] = query(__package__, "added")
_CHANGED: Query[None] = query(__package__, "changed")
_TOUCHED: Query[None] = query(__package__, "touched")
_MOVED = query(__package__, "moved", LiveSlices)
_FREED: Query[None] = query(__package__, "freed")
_GONE = query(__package__, "gone", LiveSlices)
_RETIRED: Query[None] = query(__package__, "retired")
_STRAYS = query(__package__, "strays", Stray)
_LONG_GONE: Query[None] = query(__package__, "long_gone")
_ROOT_SEEN: Query[None] = query(__package__, "root_seen")
_ROOT_GONE: Query[None] = query(__package__, "root_gone")


class Files:
    """The rows of one tenant's files on one installation."""

    def __init__(self, db: Database, tenant_id: str, host: str, ports: Ports) -> None:
        self._db, self._tenant_id, self._host, self._ports = db, tenant_id, host, ports

    async def known(self, root: str) -> list[Row]:
        """What is known of a folder's files."""
        async with self._db.tenant(self._tenant_id) as tx:
            return await tx.fetch(_ROWS, self._tenant_id, self._host, root)

    async def free(self, root: str) -> None:
        """Let attempts of a process that is gone wait again. Only for who holds the folder's lock."""
        async with self._db.tenant(self._tenant_id) as tx:
            await tx.execute(_FREED, self._tenant_id, self._host, root)

    async def note(self, root: str, plan: Plan) -> int:
        """Write a plan down, but for what is gone; answers how many files were moved. Safe to be killed in, and to repeat."""
        tenant = self._tenant_id
        moved = 0
        for one in plan.moved:
            moved += await self._move(one)
        for added in _batches(plan.added):
            rows = [(next_id(self._db.clock), a.path, a.looked.size, a.looked.mtime_ns, a.sha256) for a in added]
            async with self._db.tenant(tenant) as tx:
                await tx.execute(_ADDED, tenant, self._host, root, *as_rows(rows))
        for changed in _batches(plan.changed):
            columns = as_rows([(c.file_id, c.looked.size, c.looked.mtime_ns, c.sha256) for c in changed])
            async with self._db.tenant(tenant) as tx:
                await tx.execute(_CHANGED, tenant, *columns)
        for touched in _batches(plan.touched):
            columns = as_rows([(c.file_id, c.looked.size, c.looked.mtime_ns) for c in touched])
            async with self._db.tenant(tenant) as tx:
                await tx.execute(_TOUCHED, tenant, *columns)
        return moved

    async def retire(self, file_id: UUID, reason: str = DELETED) -> bool:
        """Retire a file that is gone, with all that was live of it, in one transaction. False when it was retired before."""
        tenant = self._tenant_id

        async def once() -> bool:
            async with self._db.tenant(tenant) as tx:
                row = await tx.fetch_one(_GONE, tenant, file_id)
                if row is None:
                    return False
                await tx.execute(_RETIRED, tenant, file_id)
                if row.slice_ids:
                    await self._ports.retire(tx, tenant, row.slice_ids, reason)
                return True

        return await again(self._db, once)

    async def tidy(self, root: str) -> int:
        """Retire what belongs to no version, and forget files that are long gone; answers how many slices were strays."""
        tenant = self._tenant_id

        async def once() -> int:
            async with self._db.tenant(tenant) as tx:
                await tx.execute(POINT_LOOKUPS)
                strays = [row.slice_id for row in await tx.fetch(_STRAYS, tenant, self._host, root)]
                await tx.execute(_LONG_GONE, tenant, self._host, root, KEPT)
                if strays:
                    await self._ports.retire(tx, tenant, strays, STRAY)
                return len(strays)

        return await again(self._db, once)

    async def seen(self, root: str, *, full: bool, warning: str) -> None:
        """Note that a folder was looked through."""
        async with self._db.tenant(self._tenant_id) as tx:
            await tx.execute(_ROOT_SEEN, self._tenant_id, self._host, root, full, warning)

    async def drop(self, root: str) -> int:
        """Watch a folder no more: all its files are retired; answers how many."""
        count = 0
        for row in await self.known(root):
            count += await self.retire(row.file_id, DROPPED)
        await self.tidy(root)
        async with self._db.tenant(self._tenant_id) as tx:
            await tx.execute(_ROOT_GONE, self._tenant_id, self._host, root)
        return count

    async def _move(self, one: Moved) -> bool:
        tenant = self._tenant_id
        async with self._db.tenant(tenant) as tx:
            row = await tx.fetch_one(_MOVED, tenant, one.file_id, one.path, one.looked.size, one.looked.mtime_ns)
            if row is None:
                return False
            await self._ports.relabel(tx, tenant, row.slice_ids, labels(one.path))
            return True


def _batches(rows: Sequence[T]) -> list[Sequence[T]]:
    return [rows[start : start + BATCH_FILES] for start in range(0, len(rows), BATCH_FILES)]
