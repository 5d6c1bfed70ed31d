"""Budgets as they stand: what the settings allow, what the present window has used, when the next one begins."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query
from thoth_substrate.settings import Settings


@dataclass(frozen=True, slots=True)
class Spending:
    """What a window has used: settled, and set aside for calls that run. Tokens or US dollars."""

    scope: str
    unit: str
    spent: float
    reserved: float


@dataclass(frozen=True, slots=True)
class Budget:
    """One budget in its present window. `scope` is an agent or * for all, `unit` `tokens_hour` or `usd_day`."""

    scope: str
    unit: str
    limit: float
    spent: float
    reserved: float
    starts_at: datetime
    renews_at: datetime

    @property
    def used(self) -> float:
        return self.spent + self.reserved

    @property
    def left(self) -> float:
        return max(self.limit - self.used, 0.0)


_WINDOWS = query(__package__, "budget_windows", Spending)


async def budgets(db: Database, settings: Settings, at: datetime) -> list[Budget]:
    """Every budget that is set, at `at`; those for all come first."""
    limits = list(_limits(settings))
    if not limits:
        return []
    async with db.worker() as tx:
        used = {(one.scope, one.unit): one for one in await tx.fetch(_WINDOWS)}
    found = []
    for scope, unit, limit in limits:
        starts_at = window_start(unit, at)
        one = used.get((scope, unit), Spending(scope, unit, 0.0, 0.0))
        found.append(Budget(scope, unit, limit, one.spent, one.reserved, starts_at, starts_at + _lasts(unit)))
    return found


def window_start(unit: str, at: datetime) -> datetime:
    """When the window that holds `at` (UTC) began."""
    hour = at.replace(minute=0, second=0, microsecond=0)
    return hour if unit == "tokens_hour" else hour.replace(hour=0)


def _lasts(unit: str) -> timedelta:
    return timedelta(hours=1) if unit == "tokens_hour" else timedelta(days=1)


def _limits(settings: Settings) -> Iterable[tuple[str, str, float]]:
    """Those for all once, then each agent's own."""
    agents = sorted({*settings.budgets_tokens_hour, *settings.budgets_usd_day})
    seen = dict.fromkeys(limit for agent in (*agents, "") for limit in settings.budgets_of(agent))
    return sorted(seen, key=lambda limit: (limit[0] != "*", limit))
