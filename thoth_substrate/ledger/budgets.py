"""Budgets: tokens an hour and dollars a day, for all and for single agents. Set aside before a call, put right after it.

A call is let through under the lock of every window that it falls under, so any number of workers at once spend no more
than the limit, as far as a call's cost can be known before it is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from thoth_substrate.db.pool import Tx, as_rows
from thoth_substrate.db.queries import Query, query
from thoth_substrate.model.ports import Refused
from thoth_substrate.settings import Settings, plain_name

TOKENS, USD = "tokens_hour", "usd_day"
ALL = "*"
SOON = timedelta(seconds=5)  # calls that run may give back what they do not need


@dataclass(frozen=True, slots=True)
class Limit:
    """One budget that a call falls under, and the beginning of its window."""

    scope: str
    unit: str
    starts_at: datetime
    most: float

    @property
    def ends_at(self) -> datetime:
        return self.starts_at + (timedelta(hours=1) if self.unit == TOKENS else timedelta(days=1))


@dataclass(frozen=True, slots=True)
class Window:
    scope: str
    unit: str
    starts_at: datetime
    reserved: float
    spent: float


@dataclass(frozen=True, slots=True)
class Move:
    """What is added to a window: to what is set aside, and to what is spent."""

    scope: str
    unit: str
    starts_at: datetime
    reserved: float
    spent: float


_OPEN: Query[None] = query(__package__, "budget_open")
_LOCK = query(__package__, "budget_lock", Window)
_MOVE: Query[None] = query(__package__, "budget_move")


def window_start(unit: str, at: datetime) -> datetime:
    """The beginning of the hour or the day (UTC) that `at` falls into."""
    hour = at.replace(minute=0, second=0, microsecond=0)
    return hour if unit == TOKENS else hour.replace(hour=0)


def limits(settings: Settings, agent: str, at: datetime) -> list[Limit]:
    """Every budget that a call of the agent falls under, in the order in which they are locked."""
    found = [Limit(scope, unit, window_start(unit, at), most) for scope, unit, most in settings.budgets_of(agent)]
    return sorted(found, key=lambda limit: (limit.scope, limit.unit))


def refusal(limit: Limit, window: Window, wanted: float, at: datetime) -> Refused | None:
    """Why a call that may cost `wanted` does not fit into a window, or None when it does."""
    if window.spent + window.reserved + wanted <= limit.most:
        return None
    whose = "all agents" if limit.scope == ALL else limit.scope
    named = f"{limit.most:,.0f} tokens an hour" if limit.unit == TOKENS else f"{limit.most:g} USD a day"
    if wanted > limit.most:
        amount = f"{wanted:,.0f} tokens" if limit.unit == TOKENS else f"{wanted:.4g} USD"
        return Refused(f"One call that may take {amount} does not fit into the budget of {named} for {whose}.", limit.ends_at)
    if window.spent + wanted <= limit.most:
        return Refused(f"What is left of the budget of {named} for {whose} is set aside for calls that run.", at + SOON)
    return Refused(f"The budget of {named} for {whose} is spent until {limit.ends_at:%H:%M} UTC.", limit.ends_at)


async def set_aside(tx: Tx, found: Sequence[Limit], tokens: int, usd: float, at: datetime) -> Refused | None:
    """Set aside what a call may cost in each of its windows, or in none and say why."""
    windows = {(window.scope, window.unit): window for window in await _locked(tx, found)}
    refused = [refusal(limit, windows[limit.scope, limit.unit], tokens if limit.unit == TOKENS else usd, at) for limit in found]
    worst = max(filter(None, refused), key=lambda one: one.renews_at, default=None)
    if worst is None and found:
        await _move(tx, [_share(limit, tokens, usd, 0, 0.0) for limit in found])
    return worst


async def put_right(tx: Tx, agent: str, called_at: datetime, kept: tuple[int, float], cost: tuple[int, float]) -> None:
    """Put what a call cost (tokens, USD) in the place of what was set aside for it (`kept`), in the windows it was made in."""
    windows = [
        Limit(scope, unit, window_start(unit, called_at), 0.0)
        for scope in sorted({ALL, plain_name(agent)})
        for unit in (TOKENS, USD)
    ]
    there = await _there(tx, windows)  # those that have a limit
    if there:
        moves = [Limit(one.scope, one.unit, one.starts_at, 0.0) for one in there]
        await _move(tx, [_share(limit, -kept[0], -kept[1], *cost) for limit in moves])


async def _locked(tx: Tx, found: Sequence[Limit]) -> list[Window]:
    if not found:
        return []
    windows = await _there(tx, found)
    if len(windows) < len(found):
        await tx.execute(_OPEN, *_keys(found))
        windows = await _there(tx, found)
    return windows


async def _there(tx: Tx, wanted: Sequence[Limit]) -> list[Window]:
    """Those of the windows that exist, locked."""
    keys = {(limit.scope, limit.unit, limit.starts_at) for limit in wanted}
    locked = await tx.fetch(_LOCK, *_keys(wanted))
    return [window for window in locked if (window.scope, window.unit, window.starts_at) in keys]


async def _move(tx: Tx, moves: Sequence[Move]) -> None:
    rows = [(move.scope, move.unit, move.starts_at, move.reserved, move.spent) for move in moves]
    await tx.execute(_MOVE, *as_rows(rows))


def _share(limit: Limit, kept_tokens: int, kept_usd: float, tokens: int, usd: float) -> Move:
    reserved, spent = (float(kept_tokens), float(tokens)) if limit.unit == TOKENS else (kept_usd, usd)
    return Move(limit.scope, limit.unit, limit.starts_at, reserved, spent)


def _keys(found: Sequence[Limit]) -> list[list[object]]:
    return as_rows([(limit.scope, limit.unit, limit.starts_at) for limit in found])
