"""How fast things go, from one look to the next: slices that come and go, budgets that are spent. Pure.

Rates are averages that forget: what happened one `MEMORY_S` ago weighs a third of what happens now. After a gap they are
measured anew, since what was true before a night's rest says nothing of the morning.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from thoth_workers.policy import Burn

MEMORY_S = 600.0
GAP_S = 3600.0
HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class Window:
    """A budget's window: its limit, and what of it is spent or set aside, in tokens or US dollars."""

    scope: str
    unit: str
    starts_at: datetime
    renews_at: datetime
    limit: float
    used: float


@dataclass(frozen=True, slots=True)
class Spending:
    """What a window had used at the last look, and how fast it goes (an hour; None before a second look)."""

    starts_at: datetime
    used: float
    per_hour: float | None = None


@dataclass(frozen=True, slots=True)
class Rates:
    """The last look: when, how much waited, and the rates an hour (None before a second look)."""

    at: datetime
    backlog: int
    arrived_per_hour: float | None = None
    drained_per_hour: float | None = None
    spending: Mapping[str, Spending] = field(default_factory=dict)


def moved(before: Rates | None, at: datetime, backlog: int, arrived: int, windows: Iterable[Window]) -> Rates:
    """The rates after another look. `arrived` counts those who wait now and did not at the last look.

    Who came and went between two looks is counted in neither rate: the difference, by which forecasts go, is right.
    """
    span_s = (at - before.at).total_seconds() if before else 0.0
    if before is not None and at == before.at:
        return before
    if before is None or not 0 < span_s <= GAP_S:
        return Rates(at, backlog, spending={_key(one): Spending(one.starts_at, one.used) for one in windows})
    gone = max(before.backlog + arrived - backlog, 0)
    return Rates(
        at,
        backlog,
        _smooth(before.arrived_per_hour, arrived, span_s),
        _smooth(before.drained_per_hour, gone, span_s),
        {_key(one): _spending(before.spending.get(_key(one)), one, span_s) for one in windows},
    )


def burns(rates: Rates, windows: Iterable[Window]) -> tuple[Burn, ...]:
    """Each window's share that is gone, and that will be at its end if it goes on as it goes. A limit of 0 is gone."""
    return tuple(_burn(rates, one) for one in windows)


def _burn(rates: Rates, window: Window) -> Burn:
    known = rates.spending.get(_key(window))
    left_h = max((window.renews_at - rates.at).total_seconds(), 0.0) / HOUR_S
    forecast = window.used + ((known.per_hour or 0.0) if known else 0.0) * left_h
    share, ahead = (window.used / window.limit, forecast / window.limit) if window.limit > 0 else (1.0, 1.0)
    return Burn(window.scope, window.unit, round(share, 4), round(ahead, 4), window.renews_at)


def _spending(before: Spending | None, window: Window, span_s: float) -> Spending:
    """A window that was renewed meanwhile has begun at nothing; what its predecessor spent at the end is not known."""
    if before is None:
        return Spending(window.starts_at, window.used)
    spent = window.used - (before.used if before.starts_at == window.starts_at else 0.0)
    return Spending(window.starts_at, window.used, _smooth(before.per_hour, max(spent, 0.0), span_s))


def _smooth(before: float | None, count: float, span_s: float) -> float:
    now = count / span_s * HOUR_S
    return now if before is None else before + (1 - math.exp(-span_s / MEMORY_S)) * (now - before)


def _key(window: Window) -> str:
    return f"{window.scope} {window.unit}"
