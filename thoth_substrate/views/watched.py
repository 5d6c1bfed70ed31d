"""What is watched: the folders, how much of each is live, and which files wait, failed or were passed over, and why."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query

MOST_FILES = 1000


@dataclass(frozen=True, slots=True)
class WatchedFolder:
    """A folder with its files by state, as counts, and the slices that are live. `host` is the installation that watches it."""

    root: str
    host: str
    live: int
    waiting: int
    failed: int
    skipped: int
    slices: int
    quick_at: datetime | None
    full_at: datetime | None
    warning: str


@dataclass(frozen=True, slots=True)
class WatchedFile:
    """A file that is not simply live. `not_before` is when it is tried again; `live_slices` of the version that still answers."""

    root: str
    path: str
    state: str
    error: str
    attempts: int
    not_before: datetime
    size: int
    live_slices: int


_FOLDERS = query(__package__, "watched_folders", WatchedFolder)
_FILES = query(__package__, "watched_files", WatchedFile)


async def watched_folders(db: Database, tenant_id: str) -> list[WatchedFolder]:
    """The tenant's watched folders, by path."""
    async with db.tenant(tenant_id) as tx:
        return await tx.fetch(_FOLDERS, tenant_id)


async def watched_files(db: Database, tenant_id: str, limit_rows: int = MOST_FILES) -> list[WatchedFile]:
    """Files that wait, failed or were skipped: failed ones first."""
    async with db.tenant(tenant_id) as tx:
        return await tx.fetch(_FILES, tenant_id, limit_rows)
