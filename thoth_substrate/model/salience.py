"""Salience: how present a slice is, computed when it is read and never by a sweep (ADR 0003).

s(t) = s0 * 2^(-(t - t0) / half_life), with s0 = 1 at birth and at most; half_life = base * 4^(2 * importance - 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

UNKNOWN_IMPORTANCE = 0.5


@dataclass(frozen=True, slots=True)
class DecayProfile:
    """How a kind of slice fades and what is left of it. Spans are timedeltas, levels are 0..1."""

    name: str
    half_life: timedelta
    floor: float
    reinforce: float
    pending_ttl: timedelta
    consolidation_window: timedelta
    tombstone: str
    tombstone_reason: str | None = None
    release_unconsolidated_after: timedelta | None = None
    expire_after: timedelta = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A known level at a known instant, from which any other instant follows."""

    level: float
    at: datetime
    half_life: timedelta


def half_life(base: timedelta, importance: float = UNKNOWN_IMPORTANCE) -> timedelta:
    """The half-life of a slice of `importance` 0..1: a quarter of `base` at 0, four times it at 1."""
    factor: float = 4.0 ** (2.0 * min(max(importance, 0.0), 1.0) - 1.0)
    return base * factor


def level(anchor: Anchor, now: datetime) -> float:
    """Salience at `now`, 0..1. Before the anchor (clock skew) it is the anchor's own level."""
    age = max((now - anchor.at).total_seconds(), 0.0)
    return anchor.level * math.exp2(-age / anchor.half_life.total_seconds())


def fades_at(anchor: Anchor, floor: float) -> datetime:
    """The instant at which the level falls below `floor`; the anchor's own instant when it already has."""
    if anchor.level <= floor:
        return anchor.at
    try:
        return anchor.at + anchor.half_life * math.log2(anchor.level / floor)
    except OverflowError:
        return datetime.max.replace(tzinfo=anchor.at.tzinfo)


def reinforced(anchor: Anchor, now: datetime, bump: float) -> Anchor:
    """The anchor after a bump at `now`, never above 1."""
    return Anchor(min(1.0, level(anchor, now) + bump), now, anchor.half_life)
