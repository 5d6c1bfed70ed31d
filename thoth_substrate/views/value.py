"""What each agent is worth: what its calls cost of late, and how often what it wrote was surfaced and used."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query

MOST_TENANTS = 50  # of those who asked, looked at each time: a part stands for the whole


@dataclass(frozen=True, slots=True)
class Spent:
    """Calls of one agent: how many, their tokens, their price."""

    agent: str
    calls: int
    tokens: int
    usd: float


@dataclass(frozen=True, slots=True)
class Asked:
    tenant_id: str


@dataclass(frozen=True, slots=True)
class Shown:
    """Lines of one agent's rows that recalls showed, and behind how many a source was used afterwards."""

    agent: str
    surfaced: int
    used: int


@dataclass(frozen=True, slots=True)
class Value:
    """One agent's cost and benefit over the same span."""

    agent: str
    calls: int = 0
    tokens: int = 0
    usd: float = 0.0
    surfaced: int = 0
    used: int = 0


_SPENT = query(__package__, "value_cost", Spent)
_ASKED = query(__package__, "value_asked", Asked)
_SHOWN = query(__package__, "value_shown", Shown)


async def value(db: Database, since: datetime) -> list[Value]:
    """By agent, since `since`: cost over every tenant, benefit over at most `MOST_TENANTS` of those who asked something."""
    async with db.worker() as tx:
        spent = {one.agent: one for one in await tx.fetch(_SPENT, since)}
        asked = await tx.fetch(_ASKED, since, MOST_TENANTS)
    surfaced: Counter[str] = Counter()
    used: Counter[str] = Counter()
    for tenant in asked:
        async with db.tenant(tenant.tenant_id) as tx:
            for shown in await tx.fetch(_SHOWN, tenant.tenant_id, since):
                surfaced[shown.agent] += shown.surfaced
                used[shown.agent] += shown.used
    return [
        Value(name, one.calls, one.tokens, one.usd, surfaced[name], used[name])
        for name in sorted({*spent, *surfaced})
        for one in [spent.get(name, Spent(name, 0, 0, 0.0))]
    ]
