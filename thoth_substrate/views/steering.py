"""How the crew is steered: each worker's level and why, the alarms that are up, what is forecast, what agents are worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from thoth_substrate.db.pool import Database
from thoth_substrate.model.intensity import Intensity
from thoth_substrate.views.agents import AgentLine, agents
from thoth_substrate.views.curator import Decision, decisions
from thoth_substrate.views.told import told

CONDUCTOR = "conductor"
REMEMBERED = timedelta(days=1)  # an older decision says nothing of today
ALIVE = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Steered:
    """One worker. `level` is the one it works at, `why` the Conductor's reason for it, or who else decided.

    `since` is when the Conductor last changed it, None when it never has; `held_until` when the operator's word ends.
    """

    agent: str
    role: str
    level: str
    why: str
    since: datetime | None
    held_until: datetime | None


@dataclass(frozen=True, slots=True)
class BudgetForecast:
    """A budget's window: shares of the limit that are gone, and that will be at its end if it goes on so."""

    scope: str
    unit: str
    share: float
    forecast: float
    renews_at: datetime


@dataclass(frozen=True, slots=True)
class Worth:
    """What an agent's calls cost in the last day, how often its rows were surfaced, and sources behind them used."""

    agent: str
    calls: int
    tokens: int
    usd: float
    surfaced: int
    used: int


@dataclass(frozen=True, slots=True)
class Steering:
    """The state of the crew. What was decided is of `decided_at`, None when the Conductor told nothing in a day.

    `backlog` waits for consolidation; rates are slices an hour, None until measured. `drained_in` is None when it is not
    measured, or when more come than go, which `growing` says. `alarms` maps each that is up to its reason.
    """

    decided_at: datetime | None
    alive: bool
    workers: list[Steered]
    alarms: dict[str, str] = field(default_factory=dict)
    backlog: int = 0
    backlog_age: timedelta = timedelta(0)
    arrived_per_hour: float | None = None
    drained_per_hour: float | None = None
    drained_in: timedelta | None = None
    growing: bool = False
    coherence: float | None = None
    recall_share: float | None = None
    budgets: list[BudgetForecast] = field(default_factory=list)
    worth: list[Worth] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Change:
    """A decision that changed something: the levels that were written, and the alarms that were up."""

    at: datetime
    changed: dict[str, str]
    alarms: dict[str, str]
    backlog: int


async def steering(db: Database, tenant_id: str) -> Steering:
    """How it stands, from the rows of the workers and the newest decision in this tenant's diary."""
    now = db.clock.now()
    lines = await agents(db)
    newest = await decisions(db, tenant_id, agent=CONDUCTOR, since=now - REMEMBERED, limit_rows=1)
    conductor = next((line for line in lines if line.agent == CONDUCTOR), None)
    alive = conductor is not None and conductor.heartbeat_at is not None and now - conductor.heartbeat_at < ALIVE
    decision = newest[0].decision if newest else None
    if not isinstance(decision, Mapping) or not isinstance(decision.get("proposals"), Mapping):
        return Steering(None, alive, [_unsteered(line) for line in lines])
    day = await told(db, tenant_id, agent=CONDUCTOR, since=now - REMEMBERED, until=now + timedelta(seconds=1))
    return _steering(newest[0].at, alive, lines, decision, worth(day))


async def changes(db: Database, tenant_id: str, *, since: datetime, limit_rows: int = 20) -> list[Change]:
    """The newest decisions since `since` that changed a level, newest first."""
    now = db.clock.now()
    entries = await told(db, tenant_id, agent=CONDUCTOR, since=since, until=now + timedelta(seconds=1))
    found = [
        Change(entry.at, dict(applied["changed"]), dict(applied["alarms"]), int(entry.decision["gathered"]["vitals"]["backlog"]))
        for entry in entries
        if isinstance(entry.decision, Mapping) and (applied := entry.decision.get("applied") or {}).get("changed")
    ]
    return found[::-1][:limit_rows]


def worth(day: Sequence[Decision]) -> list[Worth]:
    """Cost and benefit by agent, summed over the entries: each holds those since the one before. Pure."""
    sums: dict[str, list[float]] = {}
    for entry in day:
        gathered = entry.decision.get("gathered") if isinstance(entry.decision, Mapping) else None
        for one in (gathered or {}).get("value") or ():
            kept = sums.setdefault(one["agent"], [0.0] * 5)
            for place, name in enumerate(("calls", "tokens", "usd", "surfaced", "used")):
                kept[place] += one[name]
    return [
        Worth(agent, int(calls), int(tokens), usd, int(surfaced), int(used))
        for agent, (calls, tokens, usd, surfaced, used) in sorted(sums.items())
    ]


def _steering(
    at: datetime, alive: bool, lines: Sequence[AgentLine], decision: Mapping[str, Any], worth_: list[Worth]
) -> Steering:
    gathered, plan = decision["gathered"], decision["proposals"]
    vitals = gathered["vitals"]
    roles = {one["name"]: one["role"] for one in gathered["members"]}
    arrived, drained, backlog = vitals["arrived_per_hour"], vitals["drained_per_hour"], vitals["backlog"]
    net = None if arrived is None or drained is None else drained - arrived
    return Steering(
        at,
        alive,
        [_steered(line, roles.get(line.agent, ""), plan["levels"].get(line.agent)) for line in lines],
        dict(plan["alarms"]),
        backlog,
        timedelta(seconds=vitals["backlog_age_s"]),
        arrived,
        drained,
        timedelta(hours=backlog / net) if net is not None and net > 0 else None,
        growing=bool(backlog) and net is not None and net <= 0,
        coherence=vitals["coherence"],
        recall_share=vitals["recall_share"],
        budgets=[
            BudgetForecast(one["scope"], one["unit"], one["share"], one["forecast"], datetime.fromisoformat(one["renews_at"]))
            for one in vitals["burns"]
        ],
        worth=worth_,
    )


def _steered(line: AgentLine, role: str, decided: Mapping[str, Any] | None) -> Steered:
    if line.overridden_until is not None:
        return Steered(line.agent, role, line.level, "held by the operator", None, line.overridden_until)
    if decided is None:
        return _unsteered(line)
    since = datetime.fromisoformat(decided["since"]) if decided["since"] else None
    if Intensity(decided["level"]).name != line.level:
        return Steered(line.agent, role, line.level, "changed since the Conductor last told anything", since, None)
    return Steered(line.agent, role, line.level, decided["why"], since, None)


def _unsteered(line: AgentLine) -> Steered:
    why = "held by the operator" if line.overridden_until else "the Conductor has decided nothing about it"
    return Steered(line.agent, "", line.level, why, None, line.overridden_until)
