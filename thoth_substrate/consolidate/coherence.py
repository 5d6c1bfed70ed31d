"""Coherence: measured on the knowledge, not on the queue; kept as observations."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query
from thoth_substrate.model.coherence import Coherence, from_json


@dataclass(frozen=True, slots=True)
class Measured:
    score: float | None
    detail: Any
    observed_at: datetime


_LATEST = query(__package__, "coherence_latest", Measured)


async def coherence(db: Database, tenant_id: str) -> Coherence:
    """The tenant's last measurement; without one, a score of None and no parts."""
    async with db.tenant(tenant_id) as tx:
        latest = await tx.fetch_one(_LATEST, tenant_id)
    return from_json(latest.score, latest.detail, latest.observed_at) if latest else Coherence(None, {})
