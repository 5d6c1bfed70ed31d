"""What an agent of the crew did lately: what went in, what came out, what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query


@dataclass(frozen=True, slots=True)
class Deed:
    """One decision. `proposed` counts what was proposed, by kind; `applied` is what came of it; `usd` by the price table.

    `outcomes` counts the model's replies by what became of them: ok, salvaged, failed, or why nobody was asked.
    """

    at: datetime
    decision_id: UUID
    version: str
    level: str
    model: str
    slices: int
    outcomes: Mapping[str, int]
    proposed: Mapping[str, int]
    applied: Any
    calls: int
    tokens: int
    usd: float


@dataclass(frozen=True, slots=True)
class _Row:
    at: datetime
    decision_id: UUID
    version: str
    level: str
    model: str
    slices: int
    outcomes: list[str]
    proposals: Any
    applied: Any
    calls: int
    tokens: int
    usd: float


_DEEDS = query(__package__, "crew_deeds", _Row)


async def deeds(db: Database, tenant_id: str, *, agent: str, limit_rows: int = 20) -> list[Deed]:
    """The newest decisions of an agent, at most `limit_rows`, newest first."""
    async with db.tenant(tenant_id) as tx:
        rows = await tx.fetch(_DEEDS, tenant_id, agent, limit_rows)
    return [
        Deed(
            row.at, row.decision_id, row.version, row.level, row.model, row.slices, _tally(row.outcomes), counted(row.proposals),
            row.applied, row.calls, row.tokens, row.usd,
        )
        for row in rows
    ]  # fmt: skip


def counted(proposals: Any) -> dict[str, int]:
    """How many of each kind: the lengths of the lists in JSON values, by their names. Pure."""
    found: dict[str, int] = {}
    for name, value in proposals.items() if isinstance(proposals, Mapping) else ():
        if isinstance(value, list) and value:
            found[name] = len(value)
        elif isinstance(value, Mapping):
            found |= counted(value)
    return found


def _tally(outcomes: list[str]) -> dict[str, int]:
    return {outcome: outcomes.count(outcome) for outcome in dict.fromkeys(outcomes)}
