"""Decay profiles as they stand, and what they mean for something perceived now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query
from thoth_substrate.model.salience import Anchor, fades_at


@dataclass(frozen=True, slots=True)
class ProfileLine:
    """A profile. Levels are 0..1; `release_unconsolidated_after` None means that nothing goes unless it was promoted."""

    profile: str
    half_life: timedelta
    floor: float
    reinforce: float
    pending_ttl: timedelta
    consolidation_window: timedelta
    tombstone: str
    tombstone_reason: str | None
    release_unconsolidated_after: timedelta | None
    expire_after: timedelta
    streams: list[str]


_PROFILES = query(__package__, "all_profiles", ProfileLine)


async def profiles(db: Database, tenant_id: str) -> list[ProfileLine]:
    """Every profile with the streams that use it, by name."""
    async with db.tenant(tenant_id) as tx:
        return await tx.fetch(_PROFILES)


def would_fade_at(profile: ProfileLine, now: datetime) -> datetime:
    """When something perceived at `now`, of unknown importance and never reinforced, falls below the floor."""
    return fades_at(Anchor(1.0, now, profile.half_life), profile.floor)
