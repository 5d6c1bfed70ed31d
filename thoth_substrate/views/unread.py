"""Watched files that could not be read: what they say is missing from the memory, so health and doctor say it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query
from thoth_substrate.views.check import Check, warn
from thoth_substrate.views.words import ago, many

LIST = "thoth watch --list"


@dataclass(frozen=True, slots=True)
class Unread:
    """How many files failed and are tried again, when the first of them changed; `older`: an older version still answers."""

    files: int = 0
    since: datetime | None = None
    older: int = 0


UNREAD = query(__package__, "files_unread", Unread)


async def unread(db: Database, tenant_id: str) -> Unread:
    """What could not be read. Raises DatabaseUnavailable when the database does not answer."""
    async with db.tenant(tenant_id) as tx:
        return await tx.fetch_one(UNREAD, tenant_id) or Unread()


def checked(found: Unread, now: datetime) -> list[Check]:
    """What it means: nothing is said where all could be read, as most watch nothing. Pure."""
    if not found.files:
        return []
    older = f" Of {found.older:,} an older version still answers." if found.older else ""
    changed = f"changed {ago(found.since, now)}" if found.files == 1 else f"the first changed {ago(found.since, now)}"
    says = f"{many(found.files, 'file')} could not be read ({changed}); what failed is tried again.{older}"
    return [warn("watched files", says, LIST)]
