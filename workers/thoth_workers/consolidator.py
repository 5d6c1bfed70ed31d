"""The Consolidator: what is new becomes connections and insights: on a threshold, at start-up, daily at the latest, on demand.

It has no model and no prompt of its own: it lets the agents of the crew do at once what they would do in their own time, the
Parser, the Associator, the Pattern-finder and the Reflector, one unit after another until none has anything left to do.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from thoth_substrate.consolidate import requests
from thoth_substrate.consolidate.requests import Standing
from thoth_substrate.llm.chat import NO_MODEL
from thoth_substrate.model.intensity import Intensity
from thoth_substrate.model.payer import paid_by
from thoth_substrate.settings import switched_on
from thoth_substrate.views.agents import AgentLine, agents
from thoth_workers.agent import CrewContext, every_tenant, run_unit
from thoth_workers.crew import crew
from thoth_workers.worker import Report, Worker

NAME = requests.AGENT
CHAIN = ("parser", "associator", "patternfinder", "reflector")
MOST_UNITS = 200  # of one agent in one run; what is left is for the next
LONGEST_RUN_S = 240.0
LOOKED_AT = 20  # tenants, in one tick, for what nobody asked for
AT_THE_LATEST = timedelta(days=1)
AFTER_A_FAILURE = timedelta(minutes=5)
Reason = Literal["demand", "threshold", "startup", "daily"]
Outcome = Literal["done", "nothing", "unavailable", "no_model", "unfinished"]


@dataclass(slots=True)
class Run:
    """What one run did: units by agent, counts of what they wrote, who was left out and why."""

    units: dict[str, int] = field(default_factory=dict)
    made: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    unavailable: bool = False
    unfinished: bool = False

    @property
    def outcome(self) -> Outcome:
        """In a word."""
        if self.unavailable:
            return "unavailable"
        if "parser" in self.left_out and self.left_out["parser"] == NO_MODEL:
            return "no_model"
        if self.unfinished:
            return "unfinished"
        return "done" if any(self.units.values()) else "nothing"


async def run(ctx: CrewContext, tenant_id: str, reason: Reason) -> Mapping[str, Any]:
    """Consolidate one tenant's memories now; answers the report, which is kept as well.

    On demand the Parser does not wait until conversations are quiet. What could not be done stays new.
    """
    began = ctx.clock.now()
    serves = await requests.begin(ctx.database, tenant_id)
    if reason == "demand":
        ctx = replace(ctx, settings=ctx.settings.model_copy(update={"parser_quiet_ms": 0}))
    done, levels = Run(), {one.agent: one for one in await agents(ctx.database)}
    ends = ctx.clock.monotonic_s() + LONGEST_RUN_S
    with paid_by(tenant_id):
        for name in CHAIN:
            if not done.unavailable:
                await _units(ctx, tenant_id, name, levels.get(name), done, ends)
    after = await requests.standing(ctx.database, tenant_id)
    upto = after.newest if done.outcome in ("done", "nothing") else None
    report = {
        "outcome": done.outcome, "reason": reason, "ended": ctx.clock.now().isoformat(), "memories": after.memories,
        "units": done.units, "made": done.made, "left_out": done.left_out,
    }  # fmt: skip
    await requests.end(ctx.database, tenant_id, serves, began, upto, report)
    return report


def due(standing: Standing, threshold: int, now: datetime, alive_since: datetime | None) -> Reason | None:
    """Why a tenant's memories are to be consolidated now, or None. Pure."""
    if standing.asked > standing.done:
        return "demand"
    failed = standing.report.get("outcome") in ("unavailable", "no_model", "unfinished")
    if not standing.memories or (failed and standing.at is not None and now < standing.at + AFTER_A_FAILURE):
        return None
    if standing.memories >= threshold:
        return "threshold"
    if standing.at is None or (alive_since is not None and standing.at < alive_since):
        return "startup"
    return "daily" if now - standing.at >= AT_THE_LATEST else None


async def _units(
    ctx: CrewContext, tenant_id: str, name: str, line: AgentLine | None, done: Run, ends: float
) -> None:  # fmt: skip
    """One agent, until it has nothing left to do. Its own switch and level hold here as well."""
    agent = crew()[name]
    level = Intensity[line.level] if line else Intensity.FULL
    if why := _left_out(ctx, name, level, uses_model=agent.uses_model):
        done.left_out[name] = why
        return
    for _ in range(MOST_UNITS):
        if ctx.stopping or ctx.clock.monotonic_s() >= ends:
            break
        unit = await run_unit(agent, replace(ctx, level=level), tenant_id)
        if unit.unavailable:
            done.unavailable = True
            return
        if unit.did is None:
            return
        done.units[name] = done.units.get(name, 0) + 1
        for word, count in unit.did.items():
            if isinstance(count, int) and not isinstance(count, bool) and count:
                done.made[f"{name} {word}"] = done.made.get(f"{name} {word}", 0) + count
    done.unfinished = True


def _left_out(ctx: CrewContext, name: str, level: Intensity, *, uses_model: bool) -> str | None:
    if not switched_on(ctx.settings, name):
        return f"THOTH_SUBSTRATE_{name.upper()} is 0."
    if level is Intensity.OFF:
        return "Its level is OFF."
    if uses_model and (ctx.chat is None or ctx.chat.model_for(name) is None):
        return NO_MODEL
    return None


async def _tick(ctx: CrewContext) -> Report:
    """Who asked first, then some whose memories may have come to the threshold. One run each."""
    asked = await requests.asking(ctx.database)
    known = [tenant for tenant in await every_tenant(ctx) if tenant not in asked]
    looked_at = random.sample(known, min(len(known), LOOKED_AT))
    alive = next((one.alive_since for one in await agents(ctx.database) if one.agent == NAME), None)
    ran: dict[str, Mapping[str, Any]] = {}
    for tenant_id in (*asked, *looked_at):
        if ctx.stopping:
            break
        found = await requests.standing(ctx.database, tenant_id)
        reason = due(found, ctx.settings.consolidate_threshold, ctx.clock.now(), alive)
        if reason is not None:
            ran[tenant_id] = await run(ctx, tenant_id, reason)
    outcomes = {str(report["outcome"]) for report in ran.values()}
    return Report(len(ran), {"tenants": len(ran), "outcomes": sorted(outcomes)}, by_tenant=ran)


WORKER = Worker(
    NAME, timedelta(seconds=5), timedelta(minutes=20), _tick, lambda settings: settings.consolidator, singleton=True
)  # fmt: skip
