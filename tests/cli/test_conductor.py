"""thoth substrate conductor, cost, layers: how the crew is steered, what it costs, what it knows."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any

import psycopg

from tests.cli.conftest import Thoth
from tests.recall.known import Told, a_fact, an_entity
from tests.support import streams
from tests.views.crew_seed import a_call, spending
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.intensity import Intensity
from thoth_substrate.perceive.diary import record
from thoth_substrate.views.value import Value
from thoth_workers.agent import jsonable
from thoth_workers.crew.conductor import AGENT, Gathered, members
from thoth_workers.policy import Burn, Member, Memory, Plan, Policy, Standing, Vitals, decide
from thoth_workers.rates import Rates

MEMBERS = (*members((AGENT,)), Member("dreamer", "enrichment", uses_model=True), Member("parser", "intake", uses_model=True))


def _told(sql: psycopg.Connection, dsn: str, at: datetime, backlog: int, memory: Memory | None = None) -> Plan:
    """One decision in the diary, as the Conductor tells it, its levels written."""
    burn = Burn("*", "tokens_hour", 0.4, 0.6, at + timedelta(minutes=20))
    vitals = Vitals(at, model=True, backlog=backlog, arrived_per_hour=10.0, drained_per_hour=110.0, coherence=0.8, burns=(burn,))
    rows = sql.execute("select agent, level from thoth.substrate_agents").fetchall()
    standing = {name: Standing(Intensity[level]) for name, level in rows}
    value = (Value("parser", 2, 300, 0.5, 7, 3),)
    gathered = Gathered(Policy(), MEMBERS, standing, memory or Memory(), vitals, Rates(at, backlog), "", at, value)
    plan = decide(Policy(), MEMBERS, standing, memory or Memory(), vitals)
    changed = {
        name: one.level.name for name, one in plan.levels.items() if name not in standing or standing[name].level is not one.level
    }
    decision: dict[str, Any] = {
        "gathered": jsonable(Gathered, gathered), "proposals": jsonable(Plan, plan),
        "applied": {"changed": changed, "levels": {}, "alarms": dict(plan.alarms)},
    }  # fmt: skip
    streams(sql)
    asyncio.run(_record(dsn, at, decision))
    for name, one in plan.levels.items():
        sql.execute(
            "insert into thoth.substrate_agents (agent, level, heartbeat_at) values (%s, %s, %s)"
            " on conflict (agent) do update set level = excluded.level, heartbeat_at = excluded.heartbeat_at",
            [name, one.level.name, at],
        )
    return plan


async def _record(dsn: str, at: datetime, decision: dict[str, Any]) -> None:
    database = await Database.open(dsn, clock=PinnedClock(at))
    try:
        await record(database, "default", "conductor", decision)
    finally:
        await database.close()


def test_the_summary_says_who_works_how_hard_and_why(thoth: Thoth, dsn: str, seeded: psycopg.Connection, now: datetime) -> None:
    assert "thoth up" in thoth("substrate", "conductor").err
    first = _told(seeded, dsn, now - timedelta(minutes=20), 0)
    _told(seeded, dsn, now - timedelta(seconds=5), 10_000, first.memory)
    found = thoth("substrate", "conductor", "--json").json
    workers = {one["agent"]: one for one in found["workers"]}
    assert (workers["dreamer"]["level"], workers["dreamer"]["role"]) == ("OFF", "enrichment")
    assert "10,000 slices wait" in workers["dreamer"]["why"]
    assert (workers["sentinel"]["level"], workers["sentinel"]["why"]) == ("FULL", "baseline")
    assert (found["alive"], found["growing"], found["drained_in_s"]) == (True, False, 360_000)
    assert list(found["alarms"]) == ["backlog"]
    assert [(one["scope"], one["forecast"]) for one in found["budgets"]] == [("*", 0.6)]
    assert [(one["agent"], one["calls"], one["surfaced"], one["used"]) for one in found["worth"]] == [("parser", 4, 14, 6)]
    shown = thoth("substrate", "conductor").out
    assert "drained in 4 d" in shown
    assert "40% gone, 60% by its renewal" in shown


def test_the_operators_word_is_set_and_taken_back(thoth: Thoth, dsn: str, seeded: psycopg.Connection, now: datetime) -> None:
    _told(seeded, dsn, now, 0)
    held = thoth("substrate", "conductor", "set", "parser", "low", "--for", "1h", "--json").json
    assert (held["agent"], held["level"]) == ("parser", "LOW")
    assert timedelta(minutes=59) < datetime.fromisoformat(held["until"]) - now < timedelta(minutes=61)
    assert "until cleared" not in thoth("substrate", "conductor").out
    assert "held by the operator" in thoth("substrate", "conductor").out
    assert "conductor clear" in thoth("substrate", "conductor", "set", "parser", "OFF").err
    assert thoth("substrate", "conductor", "set", "parser", "OFF", "--json").json["until"] is None
    assert "level is FULL" in thoth("substrate", "conductor", "clear", "parser").err
    for words in (
        ("set", "parser", "FASTER"),
        ("set", "parsre", "LOW"),
        ("set", "parser", "LOW", "--for", "soon"),
        ("clear", "x"),
    ):
        ran = thoth("substrate", "conductor", *words, expect=2)
        assert (ran.out, len(ran.err.strip().splitlines())) == ("", 1)


def test_changes_are_listed_and_a_day_is_simulated(thoth: Thoth, dsn: str, seeded: psycopg.Connection, now: datetime) -> None:
    assert "No level" in thoth("substrate", "conductor", "recent").err
    memory: Memory | None = None
    for minutes, backlog in ((40, 0), (30, 10_000), (20, 5000), (10, 0)):
        memory = _told(seeded, dsn, now - timedelta(minutes=minutes), backlog, memory).memory
    changes = thoth("substrate", "conductor", "recent", "--json").json
    assert [one["changed"].get("dreamer") for one in changes] == ["FULL", "OFF", "FULL"]
    assert "nothing presses" in thoth("substrate", "conductor", "recent").out
    same = thoth("substrate", "conductor", "simulate", "--json").json
    assert (same["samples"], same["differences"], same["flapped"]) == (4, [], False)
    words = ("simulate", "--set", "backlog_high_slices=20000", "--set", "backlog_low_slices=19999")
    other = thoth("substrate", "conductor", *words, "--json").json
    assert [(one["agent"], one["recorded"], one["simulated"]) for one in other["differences"]] == [("dreamer", "OFF", "FULL")]
    shown = thoth("substrate", "conductor", *words)
    assert "backlog_high_slices=20000" in shown.out
    assert "Nobody changes more than once" in shown.err
    assert "nothing in that time" in thoth("substrate", "conductor", "simulate", "--day", "2020-01-01", expect=2).err
    assert "no day" in thoth("substrate", "conductor", "simulate", "--day", "someday", expect=2).err
    assert "dwell_s" in thoth("substrate", "conductor", "simulate", "--set", "dwell=1", expect=2).err


def test_costs_are_shown_with_what_is_left(thoth: Thoth, dsn: str, seeded: psycopg.Connection, now: datetime) -> None:
    assert "No model was asked" in thoth("substrate", "cost").err
    a_call(seeded, now, usd=0.25)
    a_call(seeded, now, "dreamer", model="own", usd=0)
    spending(seeded, now.replace(minute=0, second=0, microsecond=0), 300)
    env = {"THOTH_BUDGET_TOKENS_HOUR": "1000"}
    ran = thoth("substrate", "cost", env=env)
    assert "0.2500" in ran.out
    assert "600 left of 1,000 tokens an hour" in ran.out
    assert "THOTH_PRICES" in ran.err
    found = thoth("substrate", "cost", "--by", "day", "--since", "7d", "--json").json
    assert (found["by"], [line["calls"] for line in found["lines"]], found["all"]["usd"]) == ("day", [2], 0.25)
    assert "agent, model, day" in thoth("substrate", "cost", "--by", "hour", expect=2).err


def test_layers_are_counted_and_the_newest_shown(thoth: Thoth, dsn: str, seeded: psycopg.Connection, now: datetime) -> None:
    assert "Nothing has been consolidated" in thoth("substrate", "layers").err
    a_fact(seeded, Told("Maya lives in Porto.", an_entity(seeded, "Maya")))
    assert "Maya lives in Porto." in thoth("substrate", "layers").out
    assert thoth("substrate", "layers", "--json").json["counts"]["facts"] == 1
    assert thoth("substrate", "--json").json["layers"]["entities"] == 1
    assert "1 entity, 1 fact" in thoth("substrate").out


def test_health_says_that_no_model_is_configured(thoth: Thoth, dsn: str, seeded: psycopg.Connection, now: datetime) -> None:
    found = {check["name"]: check for check in thoth("substrate", "health", "--json", expect=0).json["checks"]}
    assert "nothing is consolidated, nothing is released" in found["model"]["says"]
    assert {"layers", "coherence", "levels", "cost", "budget", "dead letters", "endpoints"} <= set(found)
