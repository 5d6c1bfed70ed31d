"""The Conductor: from the vitals to everyone's level, every 15 seconds. Asks no model; the policy itself is `policy.py`.

Each tick looks at all tenants at once, decides the whole state, and carries on what it must remember in its row's cursor. It
tells the diary of each change, and of an unchanged state every five minutes, so that a day can be run again under another
policy. With that it records what each agent cost meanwhile, and how often what it wrote was surfaced and used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import orjson
from pydantic import TypeAdapter

from thoth_substrate.db.again import again
from thoth_substrate.db.pool import Database, Tx
from thoth_substrate.db.queries import query
from thoth_substrate.model.intensity import Intensity
from thoth_substrate.model.knowledge import Maker
from thoth_substrate.settings import Settings, switched_on
from thoth_substrate.views.budgets import budgets
from thoth_substrate.views.value import Value, value
from thoth_substrate.views.vitals import Measured, measure
from thoth_workers.agent import Agent, CrewContext, Reply
from thoth_workers.core import CORE, VITAL
from thoth_workers.policy import Member, Memory, Plan, Policy, Standing, Vitals, decide
from thoth_workers.rates import Rates, Window, burns, moved

NAME = "conductor"
EVERY = timedelta(seconds=15)
TOLD_EVERY = timedelta(minutes=5)
_LONG_AGO = timedelta(days=1)  # the first look has none before it


@dataclass(frozen=True, slots=True)
class Row:
    """A worker's row: the level that stands, the operator's word while it holds, and where it stands itself."""

    agent: str
    level: str
    override_level: str | None
    cursor: Any


@dataclass(frozen=True, slots=True)
class Written:
    agent: str
    level: str


@dataclass(frozen=True, slots=True)
class Remembered:
    agent: str


_ROWS = query(__package__, "conductor_rows", Row)
_LEVELS = query(__package__, "conductor_levels", Written)
_REMEMBER = query(__package__, "conductor_remember", Remembered)


@dataclass(frozen=True, slots=True)
class Carried:
    """What goes from tick to tick, whoever ticks: kept in the cursor of the Conductor's row."""

    at: datetime
    memory: Memory
    rates: Rates
    valued_at: datetime


@dataclass(frozen=True, slots=True)
class Gathered:
    """All that a decision rests on. `before` is the mark of the last look, empty for the first.

    `value` is what each agent cost and was good for since `value_since`; None when that was told less than five minutes ago.
    """

    policy: Policy
    members: tuple[Member, ...]
    standing: Mapping[str, Standing]
    memory: Memory
    vitals: Vitals
    rates: Rates
    before: str
    value_since: datetime
    value: tuple[Value, ...] | None


_CARRIED = TypeAdapter(Carried)
_GATHERED = TypeAdapter(Gathered)
_PLAN = TypeAdapter(Plan)


def members(agents: Iterable[Agent[Any, Any]]) -> tuple[Member, ...]:
    """Everyone who is steered: the crew by their roles, and the core, of whom the vital ones are never dimmed.

    Intake works at MEDIUM until it is pressed: it could not be raised otherwise.
    """
    core = (Member(worker.name, "core", least=Intensity.FULL if worker in VITAL else Intensity.LOW) for worker in CORE)
    crew = (Member(one.name, one.role, _baseline(one), uses_model=one.uses_model) for one in agents)
    return tuple(sorted((*core, *crew), key=lambda one: one.name))


def _baseline(agent: Agent[Any, Any]) -> Intensity:
    return min(agent.baseline, Intensity.MEDIUM) if agent.role == "intake" else agent.baseline


def everyone() -> tuple[Member, ...]:
    """Whom this process knows."""
    from thoth_workers.crew import crew  # the list of all agents, of which this file's is one

    return members(crew().values())


def read_back(decision: Mapping[str, Any]) -> tuple[Gathered, Plan]:
    """A recorded decision. Raises pydantic's ValidationError (a ValueError) for one of another version."""
    return _GATHERED.validate_python(decision["gathered"]), _PLAN.validate_python(decision["proposals"])


async def the_operators(ctx: CrewContext) -> Sequence[str]:
    """Levels are of all tenants: one decision, told to the tenant of this process."""
    return (ctx.settings.tenant,)


async def gather(ctx: CrewContext, tenant_id: str) -> Gathered | None:
    """Look, and decide whether there is anything to tell. If not, only the rates are carried on."""
    rows = {row.agent: row for row in await _rows(ctx.database)}
    found = await _look(ctx, everyone(), rows)
    carried = _carried(rows)
    plan = decide(found.policy, found.members, found.standing, found.memory, found.vitals)
    if carried is None or _worth_telling(found, plan):
        return found
    kept = Carried(found.vitals.at, plan.memory, found.rates, carried.valued_at)

    async def once() -> None:
        async with ctx.database.tenant(tenant_id) as tx:
            await _remember(tx, found, kept)

    await again(ctx.database, once)
    return None


def decide_levels(gathered: Gathered, _: Sequence[Reply]) -> Plan:
    """The whole state. Pure."""
    return decide(gathered.policy, gathered.members, gathered.standing, gathered.memory, gathered.vitals)


async def apply(tx: Tx, tenant_id: str, gathered: Gathered, plan: Plan, maker: Maker) -> Mapping[str, Any]:
    """Write what differs, unless another has decided meanwhile. A level that the operator holds is not written."""
    at = gathered.vitals.at
    valued_at = gathered.value_since if gathered.value is None else at
    if not await _remember(tx, gathered, Carried(at, plan.memory, gathered.rates, valued_at)):
        return {"lost": True}
    steered = sorted(name for name, one in plan.levels.items() if not one.held)
    written = await tx.fetch(_LEVELS, steered, [plan.levels[name].level.name for name in steered])
    return {
        "changed": {one.agent: one.level for one in written},
        "levels": {name: one.level.name for name, one in plan.levels.items()},
        "alarms": dict(plan.alarms),
    }


def vitals_of(measured: Measured, rates: Rates, windows: Sequence[Window], *, model: bool, intake_open: bool) -> Vitals:
    """What was measured, with rates and forecasts. Pure."""
    waited = (measured.at - measured.untried_since).total_seconds() if measured.untried_since else 0.0
    return Vitals(
        at=measured.at, model=model, intake_open=intake_open, backlog=measured.backlog, backlog_age_s=max(waited, 0.0),
        arrived_per_hour=rates.arrived_per_hour, drained_per_hour=rates.drained_per_hour, coherence=measured.coherence,
        burns=burns(rates, windows), endpoints_down=measured.endpoints_down, recalls=measured.recalls,
        recall_p95_ms=measured.recall_p95_ms, recall_share=measured.recall_share, pending=measured.pending,
        unembedded=measured.unembedded, dead_letters=measured.dead_letters,
    )  # fmt: skip


async def _look(ctx: CrewContext, known: tuple[Member, ...], rows: Mapping[str, Row]) -> Gathered:
    carried = _carried(rows)
    since = carried.at if carried else ctx.clock.now() - _LONG_AGO
    measured = await measure(ctx.database, since)
    windows = await _windows(ctx, measured.at)
    rates = moved(carried.rates if carried else None, measured.at, measured.backlog, measured.arrived, windows)
    valued_at = carried.valued_at if carried else measured.at - TOLD_EVERY
    due = not timedelta(0) <= measured.at - valued_at < TOLD_EVERY  # or, by a clock that went back, ahead of now
    return Gathered(
        policy=policy_of(ctx.settings),
        members=tuple(sorted((*known, *_strangers(known, rows)), key=lambda one: one.name)),
        standing={row.agent: _standing(row) for row in rows.values()},
        memory=carried.memory if carried else Memory(),
        vitals=vitals_of(
            measured, rates, windows, model=ctx.chat is not None and ctx.chat.configured,
            intake_open=_intake_open(ctx.settings, known, rows),
        ),
        rates=rates,
        before=_mark(rows),
        value_since=valued_at,
        value=tuple(await value(ctx.database, valued_at)) if due else None,
    )  # fmt: skip


async def _windows(ctx: CrewContext, at: datetime) -> list[Window]:
    return [
        Window(one.scope, one.unit, one.starts_at, one.renews_at, one.limit, one.used)
        for one in await budgets(ctx.database, ctx.settings, at)
    ]


def policy_of(settings: Settings) -> Policy:
    """The thresholds in force: the defaults, with the operator's words over them. Raises BadInput."""
    dwell = Policy(dwell_s=settings.conductor_dwell_ms / 1000)
    return dwell.changed(settings.conductor_policy.replace(",", " ").split())


def _worth_telling(found: Gathered, plan: Plan) -> bool:
    """A level to write, an alarm raised or cleared, or five minutes gone by: then there is the worth of agents to tell."""
    moves = any(name not in found.standing or one.level is not found.standing[name].level for name, one in plan.levels.items())
    return moves or plan.alarms.keys() != found.memory.alarms.keys() or found.value is not None


def _strangers(known: Sequence[Member], rows: Mapping[str, Row]) -> list[Member]:
    """Workers that another host runs and this one does not know: taken for enrichment, and given back what they had."""
    names = {one.name for one in known}
    return [Member(name, "enrichment") for name in rows if name not in names]


def _intake_open(settings: Settings, known: Iterable[Member], rows: Mapping[str, Row]) -> bool:
    """Whether anybody who takes from the backlog may work: switched on, and not held at OFF by the operator."""
    takers = [one.name for one in known if one.role == "intake" and switched_on(settings, one.name)]
    return any(name not in rows or rows[name].override_level != Intensity.OFF.name for name in takers)


def _standing(row: Row) -> Standing:
    return Standing(Intensity[row.level], row.override_level is not None)


def _carried(rows: Mapping[str, Row]) -> Carried | None:
    """What the last tick left; None before the first, or after a version that left something else."""
    row = rows.get(NAME)
    if row is None or not row.cursor:
        return None
    try:
        return _CARRIED.validate_python(row.cursor)
    except ValueError:
        return None


def _mark(rows: Mapping[str, Row]) -> str:
    row = rows.get(NAME)
    return str(row.cursor.get("at", "")) if row is not None else ""


async def _rows(db: Database) -> list[Row]:
    async with db.worker() as tx:
        return await tx.fetch(_ROWS)


async def _remember(tx: Tx, found: Gathered, carried: Carried) -> bool:
    """Whether it is still the look that was gathered from: who decides twice at once is told so."""
    return await tx.fetch_one(_REMEMBER, NAME, found.before, orjson.dumps(_json(carried)).decode()) is not None


def _json(carried: Carried) -> Any:
    return {**_CARRIED.dump_python(carried, mode="json"), "at": carried.at.isoformat()}


AGENT = Agent(
    name=NAME,
    role="steering",
    reads="the vitals of every tenant",
    writes="everyone's level",
    version="1",
    gathered=Gathered,
    proposals=Plan,
    gather=gather,
    decide=decide_levels,
    apply=apply,
    tenants=the_operators,
    every=EVERY,
    limit=timedelta(seconds=30),
)
