"""The workers as the database knows them: who runs, since when, what they did last, and what went wrong."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query


@dataclass(frozen=True, slots=True)
class AgentLine:
    """One worker. `level` is the effective one; `holder` the host and process that holds a live lease, else None."""

    agent: str
    level: str
    overridden_until: datetime | None
    holder: str | None
    lease_until: datetime | None
    alive_since: datetime | None
    heartbeat_at: datetime | None
    ticks: int
    last_report: Any
    last_failure: str | None
    last_failure_at: datetime | None


_AGENTS = query(__package__, "all_agents", AgentLine)


async def agents(db: Database) -> list[AgentLine]:
    """Every worker that has ever taken its lease here, by name."""
    async with db.worker() as tx:
        return await tx.fetch(_AGENTS)
