"""What the calls to models cost a tenant: by agent, by model or by day, and what is left of the budgets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query
from thoth_substrate.settings import Settings
from thoth_substrate.views.budgets import Budget, budgets

By = Literal["agent", "model", "day"]


@dataclass(frozen=True, slots=True)
class Spent:
    agent: str
    model: str
    day: str
    calls: int
    failed: int
    running: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    usd: float
    latency_ms: float


@dataclass(frozen=True, slots=True)
class CostShare:
    """Calls of one agent, model or day. Money by the price table; `unpriced` when there are tokens and no price for them.

    `latency_ms` is the mean of all calls; `running` ones are not counted in tokens yet.
    """

    name: str
    calls: int
    failed: int
    running: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    usd: float
    latency_ms: float
    unpriced: bool


@dataclass(frozen=True, slots=True)
class Cost:
    """A tenant's costs since `since`. Budgets are of all tenants together."""

    tenant: str
    since: datetime
    by: By
    lines: list[CostShare]
    all: CostShare
    budgets: list[Budget]


SPENT = query(__package__, "cost_by_day", Spent)


async def cost(db: Database, settings: Settings, since: datetime, by: By) -> Cost:
    """What the settings' tenant has spent since an instant."""
    async with db.tenant(settings.tenant) as tx:
        rows = await tx.fetch(SPENT, settings.tenant, since)
    return summed(settings.tenant, since, by, rows, await budgets(db, settings, db.clock.now()))


def summed(tenant: str, since: datetime, by: By, rows: Iterable[Spent], left: list[Budget]) -> Cost:
    """The rows by their agent, model or day; the dearest first, days in order. Pure."""
    found: dict[str, list[Spent]] = {}
    everything = list(rows)
    for row in everything:
        found.setdefault(getattr(row, by), []).append(row)
    lines = [_share(name, of) for name, of in found.items()]
    lines.sort(
        key=lambda line: (line.name,) if by == "day" else (-line.usd, -line.prompt_tokens - line.completion_tokens, line.name)
    )
    return Cost(tenant, since, by, lines, _share("all", everything), left)


def _share(name: str, rows: list[Spent]) -> CostShare:
    calls = sum(row.calls for row in rows)
    return CostShare(
        name=name,
        calls=calls,
        failed=sum(row.failed for row in rows),
        running=sum(row.running for row in rows),
        prompt_tokens=sum(row.prompt_tokens for row in rows),
        completion_tokens=sum(row.completion_tokens for row in rows),
        cached_tokens=sum(row.cached_tokens for row in rows),
        usd=sum(row.usd for row in rows),
        latency_ms=sum(row.latency_ms for row in rows) / calls if calls else 0.0,
        unpriced=any(row.usd == 0 and row.prompt_tokens + row.completion_tokens > 0 for row in rows),
    )
