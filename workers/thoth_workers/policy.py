"""How hard each worker may work, decided from the vitals. Pure: the whole state, for everyone, each time.

An alarm is raised at one threshold and cleared at another, so that a value which trembles about one of them changes nothing;
a level stays for at least the dwell. Rules are by role, in order of precedence: the first alarm that is up decides, and with
none up everyone is at the baseline. Reasons for the figures: docs/decisions/0013-conductor-policy.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from typing import Literal

from thoth_substrate.errors import BadInput
from thoth_substrate.model.intensity import Intensity

Role = Literal["intake", "enrichment", "critic", "steering", "core"]
OFF, LOW, MEDIUM, FULL = Intensity
BACKLOG, ENDPOINT, BUDGET, RECALL, COHERENCE = "backlog", "endpoint", "budget", "recall", "coherence"
PAYING = frozenset({ENDPOINT, BUDGET})  # alarms that concern only who asks a model
RULES: Mapping[str, tuple[tuple[str, Intensity], ...]] = {
    # Talk comes before work, an endpoint that is down before all: one call at a time finds out whether it is back.
    "intake": ((ENDPOINT, LOW), (RECALL, MEDIUM), (BACKLOG, FULL), (COHERENCE, FULL)),
    "enrichment": ((BACKLOG, OFF), (ENDPOINT, LOW), (BUDGET, LOW), (RECALL, LOW), (COHERENCE, LOW)),
    "critic": ((ENDPOINT, LOW), (RECALL, LOW), (COHERENCE, FULL), (BUDGET, LOW)),
    "steering": (),
    "core": ((RECALL, LOW),),
}
_PAIRS = (
    ("backlog_low_slices", "backlog_high_slices"),
    ("age_low_s", "age_high_s"),
    ("burn_low_share", "burn_high_share"),
    ("forecast_low_share", "forecast_high_share"),
    ("recall_low_share", "recall_high_share"),
    ("coherence_low_share", "coherence_well_share"),
)


@dataclass(frozen=True, slots=True)
class Policy:
    """The thresholds. Of each pair the first raises the alarm and the second clears it; shares are of 1."""

    dwell_s: float = 300.0
    backlog_high_slices: float = 1000.0
    backlog_low_slices: float = 200.0
    age_high_s: float = 3600.0
    age_low_s: float = 900.0
    drain_high_s: float = 3600.0
    drain_after_s: float = 300.0
    burn_high_share: float = 0.8
    burn_low_share: float = 0.7
    forecast_high_share: float = 1.0
    forecast_low_share: float = 0.9
    recall_high_share: float = 0.8
    recall_low_share: float = 0.5
    recalls_least: float = 10.0
    coherence_low_share: float = 0.6
    coherence_well_share: float = 0.7

    @property
    def dwell(self) -> timedelta:
        return timedelta(seconds=self.dwell_s)

    def changed(self, given: Iterable[str]) -> Policy:
        """The same with `threshold=value` words over it. Raises BadInput, naming the thresholds there are."""
        known = {one.name for one in fields(self)}
        values: dict[str, float] = {}
        for word in given:
            name, equals, text = word.strip().partition("=")
            if not equals or name not in known:
                raise BadInput(f"{word!r} is no threshold=value of the policy; there are {', '.join(sorted(known))}.")
            values[name] = _number(name, text)
        return replace(self, **values).checked()

    def checked(self) -> Policy:
        """Itself. Raises BadInput where the clearing threshold lies beyond the raising one: it would flap."""
        for low, high in _PAIRS:
            if getattr(self, low) > getattr(self, high):
                raise BadInput(f"{low} must not lie above {high}: between them the alarm holds as it is.")
        return self


@dataclass(frozen=True, slots=True)
class Burn:
    """One budget's window: shares of its limit that are gone, and that will be at its end if it goes on so."""

    scope: str
    unit: str
    share: float
    forecast: float
    renews_at: datetime


@dataclass(frozen=True, slots=True)
class Vitals:
    """What the policy sees. Counts and ages are of every tenant; ages and spans in seconds, rates an hour.

    Rates are None until measured, `coherence` None until the Critic has. `recall_share` is the 95th percentile of recall's
    time over its deadline. `intake_open` says whether any worker that takes from the backlog may work at all.
    """

    at: datetime
    model: bool = False
    intake_open: bool = True
    backlog: int = 0
    backlog_age_s: float = 0.0
    arrived_per_hour: float | None = None
    drained_per_hour: float | None = None
    coherence: float | None = None
    burns: tuple[Burn, ...] = ()
    endpoints_down: int = 0
    recalls: int = 0
    recall_p95_ms: float | None = None
    recall_share: float | None = None
    pending: int = 0
    unembedded: int = 0
    dead_letters: int = 0

    @property
    def drain_s(self) -> float | None:
        """Seconds until the backlog is gone at the measured rates: infinity when it grows, None when not measured."""
        if not self.backlog:
            return 0.0
        if self.arrived_per_hour is None or self.drained_per_hour is None:
            return None
        net = self.drained_per_hour - self.arrived_per_hour
        return self.backlog / net * 3600 if net > 0 else math.inf

    @property
    def wait_s(self) -> float | None:
        """Seconds that who comes last now will wait at the measured rate, None when it is not measured."""
        if not self.backlog or self.drained_per_hour is None:
            return None if self.backlog else 0.0
        return self.backlog / self.drained_per_hour * 3600 if self.drained_per_hour > 0 else math.inf


@dataclass(frozen=True, slots=True)
class Member:
    """One who is steered. `least` is the lowest level that the policy may choose for it; the operator may choose any."""

    name: str
    role: Role
    baseline: Intensity = FULL
    least: Intensity = OFF
    uses_model: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """A worker's row: the level it has, and whether the operator's word holds there now."""

    level: Intensity
    held: bool = False


@dataclass(frozen=True, slots=True)
class Memory:
    """What is carried from one decision to the next: since when alarms are up, the levels, and when each was last changed."""

    alarms: Mapping[str, datetime] = field(default_factory=dict)
    since: Mapping[str, datetime] = field(default_factory=dict)
    levels: Mapping[str, Intensity] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decided:
    """One worker's level. `wanted` is what the rules say; `level` differs while the dwell or the operator holds it.

    `since` is when the policy last changed it, None when it never has.
    """

    level: Intensity
    wanted: Intensity
    why: str
    since: datetime | None
    held: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole state: a level for everyone, the alarms that are up with their reasons, and what to remember."""

    levels: Mapping[str, Decided]
    alarms: Mapping[str, str]
    memory: Memory


def decide(
    policy: Policy, members: Iterable[Member], standing: Mapping[str, Standing], memory: Memory, vitals: Vitals
) -> Plan:  # fmt: skip
    """Everyone's level at `vitals.at`. Who has no row yet gets its first level, which is no change that a dwell follows."""
    alarms = raised(policy, frozenset(memory.alarms), vitals)
    levels = {member.name: _level(policy, member, standing.get(member.name), memory, alarms, vitals.at) for member in members}
    return Plan(
        levels,
        alarms,
        Memory(
            {name: memory.alarms.get(name, vitals.at) for name in alarms},
            {name: one.since for name, one in levels.items() if one.since is not None},
            {name: one.level for name, one in levels.items()},
        ),
    )


def raised(policy: Policy, before: frozenset[str], vitals: Vitals) -> dict[str, str]:
    """The alarms that are up, each with its reason. Without a model there is nothing to steer but for recall's sake."""
    found: dict[str, str] = {}
    if vitals.model:
        found |= _backlog(policy, BACKLOG in before, vitals)
        found |= {ENDPOINT: "an endpoint is down"} if vitals.endpoints_down else {}
        found |= _budgets(policy, before, vitals)
        found |= _coherence(policy, COHERENCE in before, vitals)
    return found | _recall(policy, RECALL in before, vitals)


def wanted(member: Member, alarms: Mapping[str, str]) -> tuple[Intensity, str]:
    """What the rules say for one, and why."""
    for alarm, level in RULES[member.role]:
        if alarm in PAYING and not member.uses_model:
            continue
        up = alarm if alarm in alarms else f"{alarm}:{member.name}"
        if up in alarms:
            return max(level, member.least), alarms[up]
    return max(member.baseline, member.least), "baseline"


def _level(
    policy: Policy, member: Member, standing: Standing | None, memory: Memory, alarms: Mapping[str, str], at: datetime
) -> Decided:  # fmt: skip
    """Its level now. A level that somebody else wrote is no reason to wait: it is put right at once."""
    level, why = wanted(member, alarms)
    known = memory.levels.get(member.name)
    since = memory.since.get(member.name)
    if standing is None:
        return Decided(level, level, why, None)
    if standing.held:
        return Decided(standing.level, level, "held by the operator", since, held=True)
    if standing.level is level:
        return Decided(level, level, why, since if known is level else None)
    kept = since is not None and known is standing.level and timedelta(0) <= at - since < policy.dwell
    if kept and since is not None:
        return Decided(standing.level, level, f"{why}; not before {since + policy.dwell:%H:%M:%S}", since)
    return Decided(level, level, why, at)


def _backlog(policy: Policy, up: bool, vitals: Vitals) -> dict[str, str]:
    if not vitals.intake_open:
        return {}  # nobody may take from it: to pause the others would help nobody
    few = vitals.backlog <= policy.backlog_low_slices
    drain, wait = vitals.drain_s, vitals.wait_s
    # A steady stream that is kept up with drains never, and nobody in it waits for long: that is no backlog. And of what has
    # just come nobody can have measured yet how fast it goes.
    measured = drain is not None and wait is not None and vitals.backlog_age_s >= policy.drain_after_s
    slow = not few and measured and min(drain or 0.0, wait or 0.0) >= policy.drain_high_s
    high = vitals.backlog >= policy.backlog_high_slices or vitals.backlog_age_s >= policy.age_high_s or slow
    low = few and vitals.backlog_age_s <= policy.age_low_s
    if not (high or (up and not low)):
        return {}
    forecast = "" if drain is None else ", and more come than go" if math.isinf(drain) else f", drained in {_span(drain)}"
    return {BACKLOG: f"{vitals.backlog:,} slices wait, the oldest for {_span(vitals.backlog_age_s)}{forecast}"}


def _budgets(policy: Policy, before: frozenset[str], vitals: Vitals) -> dict[str, str]:
    found: dict[str, str] = {}
    for burn in vitals.burns:
        name = BUDGET if burn.scope == "*" else f"{BUDGET}:{burn.scope}"
        high = burn.share >= policy.burn_high_share or burn.forecast >= policy.forecast_high_share
        low = burn.share < policy.burn_low_share and burn.forecast < policy.forecast_low_share
        if high or (name in before and not low):
            found[name] = (
                f"{burn.share:.0%} of {burn.unit} is spent, {burn.forecast:.0%} is forecast by its renewal at"
                f" {burn.renews_at:%H:%M}"
            )
    return found


def _recall(policy: Policy, up: bool, vitals: Vitals) -> dict[str, str]:
    share = vitals.recall_share
    if share is None or vitals.recalls < policy.recalls_least:
        return {}
    if share >= policy.recall_high_share or (up and share > policy.recall_low_share):
        return {RECALL: f"recall takes {share:.0%} of its deadline (95th percentile of {vitals.recalls:,})"}
    return {}


def _coherence(policy: Policy, up: bool, vitals: Vitals) -> dict[str, str]:
    score = vitals.coherence
    if score is None:
        return {}
    if score < policy.coherence_low_share or (up and score < policy.coherence_well_share):
        return {COHERENCE: f"coherence is {score:.2f}: what corrects comes first"}
    return {}


def _span(seconds: float) -> str:
    unit, size = next((pair for pair in (("h", 3600.0), ("min", 60.0)) if seconds >= 2 * pair[1]), ("s", 1.0))
    return f"{seconds / size:,.0f} {unit}"


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise BadInput(f"{name} needs a number from 0 up, and not {text!r}.")
    return value
