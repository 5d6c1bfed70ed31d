"""Editing a decay profile, and saying what the edit will do."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.errors import BadInput, UnknownProfile
from thoth_substrate.fade.months import Tenant
from thoth_substrate.model.salience import Anchor, DecayProfile, fades_at

LONGEST_SPAN = timedelta(days=36_500)
LOWEST_FLOOR = 0.001  # with the longest half-life and the highest importance it still fades within the calendar
STEP_ROWS = 5000
_UNITS = {"s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3600, "hour": 3600, "d": 86_400, "day": 86_400,
          "w": 604_800, "week": 604_800}  # fmt: skip
_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+?)s?")


@dataclass(frozen=True, slots=True)
class ProfileSet:
    """A profile before and after. `opted_in` slices that were there already may go as well; `effect` says it in words."""

    before: DecayProfile
    after: DecayProfile
    opted_in: int
    effect: str


@dataclass(frozen=True, slots=True)
class OptedIn:
    """The last id of a step, None when there was nothing more, and how many of it moved."""

    last: UUID | None
    n: int


_PROFILE = query(__package__, "profile", DecayProfile)
_SET: Query[None] = query(__package__, "profile_set")
_TENANTS = query(__package__, "every_tenant", Tenant)
_OPT_IN = query(__package__, "opt_in", OptedIn)


async def set_profile(db: Database, name: str, changes: Mapping[str, str]) -> ProfileSet:
    """Change fields of a profile, given as an operator types them (`half-life`: `14d`, `floor`: `0.05`, `tombstone`: `none`).

    Anchors that stand keep their half-life; only `release-unconsolidated-after` reaches back to what is already there.
    Safe to repeat when it was interrupted. Raises UnknownProfile or BadInput; nothing is then changed.
    """
    async with db.worker() as tx:
        before = await tx.fetch_one(_PROFILE, name)
        if before is None:
            raise UnknownProfile(f"There is no decay profile {name!r}; `thoth substrate profiles` lists them.")
        after = changed(before, changes)
        await tx.execute(
            _SET, name, after.half_life, after.floor, after.reinforce, after.pending_ttl, after.consolidation_window,
            after.tombstone, after.tombstone_reason, after.release_unconsolidated_after, after.expire_after,
        )  # fmt: skip
    reaches_back = after.release_unconsolidated_after is not None and "release_unconsolidated_after" in map(_field, changes)
    opted_in = await _opt_in(db, before, name) if reaches_back else 0
    return ProfileSet(before, after, opted_in, effect(before, after, opted_in, db.clock.now()))


def changed(profile: DecayProfile, changes: Mapping[str, str]) -> DecayProfile:
    """The profile with `changes` applied. Raises BadInput naming the field, what was given and what it may hold."""
    values: dict[str, Any] = {}
    for given, text in changes.items():
        read = _FIELDS.get(_field(given))
        if read is None:
            raise BadInput(f"A profile has no field {given!r}; it has {', '.join(sorted(n.replace('_', '-') for n in _FIELDS))}.")
        try:
            values[_field(given)] = read(text.strip())
        except ValueError as error:
            raise BadInput(f"{given} cannot be {text!r}: {error}.") from error
    after = replace(profile, **values)
    if after.tombstone == "none" and not after.tombstone_reason:
        raise BadInput("A profile that leaves no tombstone needs its reason: set tombstone-reason as well.")
    return after


def effect(before: DecayProfile, after: DecayProfile, opted_in: int, now: datetime) -> str:
    """What a change means, in sentences for the operator."""
    said = [f"Text perceived now would fade on {_when(after, now)}"]
    if _when(before, now) != _when(after, now):
        said[0] += f" (before: {_when(before, now)}); what is already there keeps its half-life"
    if after.reinforce != before.reinforce:
        said.append(f"Being used adds {after.reinforce:g} to its salience, from now on")
    if after.release_unconsolidated_after is None:
        said.append("It is released then only if its meaning was promoted or it was forgotten")
    else:
        days = after.release_unconsolidated_after / timedelta(days=1)
        said.append(f"It is released then even though nothing was promoted, but never within {days:g} days of being perceived")
    if opted_in:
        said.append(f"That holds as well for what is already there, as yet unpromoted: {opted_in}")
    if after.tombstone == "none":
        said.append("No tombstone is left: the emptied row goes with its month")
    return ". ".join(said) + "."


async def _opt_in(db: Database, before: DecayProfile, name: str) -> int:
    async with db.worker() as tx:
        tenants = await tx.fetch(_TENANTS)
    moved = 0
    for tenant in tenants:
        last: UUID | None = UUID(int=0)
        while last is not None:
            async with db.tenant(tenant.tenant_id) as tx:
                anew = before.release_unconsolidated_after is not None
                step = await tx.fetch_one(_OPT_IN, tenant.tenant_id, name, last, STEP_ROWS, anew)
            last = step.last if step else None
            moved += step.n if step else 0
    return moved


def _field(given: str) -> str:
    return given.strip().lower().replace("-", "_")


def _when(profile: DecayProfile, now: datetime) -> str:
    at = fades_at(Anchor(1.0, now, profile.half_life), profile.floor)
    return f"{at:%Y-%m-%d %H:%M} UTC"


def _span(text: str) -> timedelta:
    match = _SPAN.fullmatch(text.lower())
    unit = _UNITS.get(match[2]) if match else None
    if match is None or unit is None:
        raise ValueError("write a number and a unit, such as 30s, 5m, 12h, 14d or 2w")
    span = timedelta(seconds=min(float(match[1]) * unit, 4e9))
    if not timedelta(seconds=1) <= span <= LONGEST_SPAN:
        raise ValueError("it must lie between 1s and 36500d")
    return span


def _span_or_never(text: str) -> timedelta | None:
    return None if text.lower() in ("never", "none", "") else _span(text)


def _level(lowest: float, highest: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not lowest <= value <= highest:
            raise ValueError(f"it must be a number from {lowest:g} to {highest:g}")
        return value

    return read


def _tombstone(text: str) -> str:
    if text not in ("thin", "none"):
        raise ValueError("it must be thin or none")
    return text


_FIELDS: dict[str, Callable[[str], Any]] = {
    "half_life": _span,
    "floor": _level(LOWEST_FLOOR, 0.99),
    "reinforce": _level(0.0, 1.0),
    "pending_ttl": _span,
    "consolidation_window": _span,
    "tombstone": _tombstone,
    "tombstone_reason": str,
    "release_unconsolidated_after": _span_or_never,
    "expire_after": _span,
}
