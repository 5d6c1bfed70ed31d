"""The Consolidator: when it runs, what it does, what it says when it cannot, and that a request is served once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.llm.scripted import ScriptedModel, Status
from tests.llm.scripted import crew as answers
from tests.support import Said
from tests.workers.crew_support import context, facts, number, told
from tests.workers.support import TENANT
from thoth_substrate.consolidate import requests
from thoth_substrate.consolidate.requests import Standing
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import PinnedClock
from thoth_workers.agent import CrewContext, run_unit
from thoth_workers.consolidator import AFTER_A_FAILURE, WORKER, due, run
from thoth_workers.crew import crew

PEOPLE = ("Ana", "Ben", "Cleo", "Dan")
CIRCLE = [
    *(Said(f"{name} works at Company7.", session=f"s{place}", actor="Ines") for place, name in enumerate(PEOPLE)),
    *(Said(f"{name} lives in Porto.", session=f"t{place}", actor="Ines") for place, name in enumerate(PEOPLE)),
]


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


@pytest.fixture
async def ctx(db: Database, model: ScriptedModel) -> AsyncIterator[CrewContext]:
    found = context(db, model)
    yield found
    assert found.chat is not None
    await found.chat.close()


async def test_on_demand_all_is_read_connected_and_seen(
    db: Database, sql: psycopg.Connection, ctx: CrewContext, clock: PinnedClock
) -> None:
    """Although nobody has been quiet for long: who asks does not want to wait."""
    ids = await told(db, sql, CIRCLE, ago=timedelta(seconds=1))
    asked = await requests.ask(db, TENANT)
    assert await requests.ask(db, TENANT) == asked, "one that waits serves both"
    report = await WORKER.tick(ctx)
    assert (report.did, report.detail["outcomes"]) == (1, ["done"])
    assert len(facts(sql)) == len(CIRCLE)
    found = await requests.standing(db, TENANT)
    assert (found.asked, found.done, found.memories, found.report["reason"]) == (1, 1, 0, "demand")
    made = await requests.insights(db, TENANT, clock.now(), clock.now())
    assert made
    assert {memory for one in made for memory in one.memories} <= set(ids)
    assert all(len(one.memories) >= 2 for one in made)
    assert (await WORKER.tick(ctx)).did == 0, "and then there is nothing to do"


async def test_a_request_that_comes_while_one_runs_is_another(db: Database) -> None:
    assert await requests.ask(db, TENANT) == 1
    assert await requests.begin(db, TENANT) == 1
    assert await requests.ask(db, TENANT) == 2
    await requests.end(db, TENANT, 1, db.clock.now(), None, {})
    assert await requests.asking(db) == [TENANT]


async def test_few_wait_and_enough_do_not(
    db: Database, sql: psycopg.Connection, ctx: CrewContext, clock: PinnedClock, model: ScriptedModel
) -> None:
    await run(ctx, TENANT, "startup")
    await told(db, sql, CIRCLE[:4])
    await drained(ctx)
    assert await reasons(ctx) == []
    clock.advance(timedelta(minutes=1))
    await told(db, sql, CIRCLE[4:6])
    await drained(ctx)
    assert await reasons(ctx) == ["threshold"]
    clock.advance(timedelta(minutes=1))
    await told(db, sql, CIRCLE[6:7])
    await drained(ctx)
    assert await reasons(ctx) == []
    clock.advance(timedelta(days=1))
    assert await reasons(ctx) == ["daily"]
    assert await reasons(ctx) == []


async def test_what_cannot_be_done_now_is_said_and_tried_again(
    db: Database, sql: psycopg.Connection, ctx: CrewContext, clock: PinnedClock, model: ScriptedModel
) -> None:
    await told(db, sql, CIRCLE[:6])
    model.always(Status(503))
    await requests.ask(db, TENANT)
    assert (await WORKER.tick(ctx)).detail["outcomes"] == ["unavailable"]
    found = await requests.standing(db, TENANT)
    assert (found.done, found.upto) == (1, None), "the request is answered, and what is new stays new"
    assert facts(sql) == []
    clock.advance(AFTER_A_FAILURE + timedelta(minutes=20))
    model.always(answers)
    await requests.ask(db, TENANT)
    assert (await WORKER.tick(ctx)).detail["outcomes"] == ["done"]
    assert len(facts(sql)) == 6


async def test_without_a_model_it_says_so(db: Database, sql: psycopg.Connection) -> None:
    await told(db, sql, CIRCLE[:6])
    bare = context(db, None)
    report = await run(bare, TENANT, "demand")
    assert report["outcome"] == "no_model"
    assert "THOTH_AUX_MODEL" in report["left_out"]["parser"]
    assert number(sql, "select count(*) from thoth.substrate_agent_cost") == 0


async def test_a_switch_and_a_level_hold_here_too(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    await told(db, sql, CIRCLE[:6])
    sql.execute("insert into thoth.substrate_agents (agent, level) values ('reflector', 'OFF')")
    ctx = context(db, model, THOTH_SUBSTRATE_PATTERNFINDER=False)
    report = await run(ctx, TENANT, "demand")
    assert set(report["left_out"]) == {"patternfinder", "reflector"}
    assert {request.agent for request in model.chats} == {"parser"}
    assert ctx.chat is not None
    await ctx.chat.close()


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({}, None),
        ({"asked": 3}, "demand"),
        ({"memories": 5}, "threshold"),
        ({"memories": 4}, None),
        ({"memories": 1, "at": None}, "startup"),
        ({"memories": 1, "at": timedelta(hours=3)}, "startup"),
        ({"memories": 1, "at": timedelta(days=1), "alive": timedelta(days=2)}, "daily"),
        ({"memories": 9, "at": timedelta(minutes=1), "report": {"outcome": "unavailable"}}, None),
        ({"memories": 9, "at": timedelta(minutes=9), "report": {"outcome": "unavailable"}}, "threshold"),
    ],
    ids=str,
)
def test_when_it_is_due(given: dict[str, Any], reason: str | None, clock: PinnedClock) -> None:
    ago = given.get("at", timedelta(minutes=30))
    found = Standing(
        given.get("asked", 2), 2, None if ago is None else clock.now() - ago, None, given.get("memories", 0), None,
        given.get("report", {}),
    )  # fmt: skip
    assert due(found, 5, clock.now(), clock.now() - given.get("alive", timedelta(hours=2))) == reason


async def reasons(ctx: CrewContext) -> list[str]:
    """Why a tick ran, for each run."""
    return [str(report["reason"]) for report in (await WORKER.tick(ctx)).by_tenant.values()]


async def drained(ctx: CrewContext) -> None:
    """The Parser has read all there is, in its own time."""
    while (await run_unit(crew()["parser"], ctx, TENANT)).did is not None:
        pass
