"""Purges of a tenant that were cut off: what was to be forgotten for good may still be there, so health and doctor say it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query
from thoth_substrate.views.check import Check, ok, warn
from thoth_substrate.views.words import ago, many

RESUME = "thoth substrate purge resume"


@dataclass(frozen=True, slots=True)
class Unfinished:
    """How many purges were begun and not finished, and since when."""

    purges: int = 0
    begun_at: datetime | None = None


UNFINISHED = query(__package__, "purges_unfinished", Unfinished)


async def unfinished(db: Database, tenant_id: str) -> Unfinished:
    """What is left unfinished. Raises DatabaseUnavailable when the database does not answer."""
    async with db.tenant(tenant_id) as tx:
        return await tx.fetch_one(UNFINISHED, tenant_id) or Unfinished()


def checked(found: Unfinished, now: datetime) -> Check:
    """What it means. Pure."""
    if not found.purges:
        return ok("purges", "None is unfinished.")
    return warn(
        "purges",
        f"{many(found.purges, 'purge')} begun and not finished, the oldest {ago(found.begun_at, now)}: some of what was to be"
        " forgotten for good may still be there.",
        RESUME,
    )
