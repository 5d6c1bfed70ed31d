"""The crew's frame: what happens between gathering and applying, whatever the agent and whatever the model does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from pydantic import BaseModel

from tests.llm.scripted import ScriptedModel, Status
from tests.workers.crew_support import context, crew_settings, number, tick
from tests.workers.support import decisions
from thoth_substrate.db.months import ensure
from thoth_substrate.db.pool import Database, Tx
from thoth_substrate.errors import SettingsError, StatementRefused
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.intensity import Intensity
from thoth_substrate.model.knowledge import Maker
from thoth_substrate.perceive import streams
from thoth_substrate.settings import load, switched_on
from thoth_workers.agent import NO_MODEL, Agent, Ask, CrewContext, Reply, worker_of
from thoth_workers.crew import crew
from thoth_workers.recorded import with_texts, without_texts
from thoth_workers.replay import replay
from thoth_workers.worker import AT_ONCE


class Said(BaseModel):
    """A number."""

    number: int


@dataclass(frozen=True, slots=True)
class Gathered:
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sum:
    total: int
    usable: int


class Sums:
    """An agent that adds up what it is told, and the traces of its steps. `work` is how often there is something to do."""

    def __init__(self, questions: Sequence[str] = ("one",), work: int = 1, breaks: int = 0) -> None:
        self.questions, self.work, self.breaks = tuple(questions), work, breaks
        self.trace: list[str] = []

    @property
    def agent(self) -> Agent[Gathered, Sum]:
        return Agent(
            name="sums", role="enrichment", reads="-", writes="-", version="sums-1", gathered=Gathered, proposals=Sum,
            gather=self.gather, prompts=self.prompts, decide=decide, apply=self.apply, renew=self.renew, let_go=self.let_go,
            failed=self.failed, tenants=self.tenants, uses_model=True,
        )  # fmt: skip

    async def tenants(self, _: CrewContext) -> Sequence[str]:
        return ("default", "other")

    async def gather(self, _: CrewContext, tenant_id: str) -> Gathered | None:
        if tenant_id != "default" or not self.work:
            return None
        self.work -= 1
        return Gathered(self.questions)

    def prompts(self, gathered: Gathered) -> Sequence[Ask]:
        return [Ask("You are the Sums of a memory.", question, Said, 100) for question in gathered.questions]

    async def apply(self, tx: Tx, tenant_id: str, _: Gathered, proposals: Sum, maker: Maker) -> Mapping[str, Any]:
        self.trace.append(f"applied {proposals.total} of {proposals.usable} by {maker.model}")
        if self.breaks:
            self.breaks -= 1
            raise StatementRefused("deadlock", "40P01")
        return {"total": proposals.total}

    async def renew(self, *_: Any) -> None:
        self.trace.append("renewed")

    async def let_go(self, *_: Any) -> None:
        self.trace.append("let go")

    async def failed(self, _ctx: CrewContext, _tenant: str, _gathered: Gathered, reason: str) -> Mapping[str, Any]:
        self.trace.append("failed")
        return {"why": bool(reason)}


def decide(_: Gathered, replies: Sequence[Reply]) -> Sum:
    usable = [reply.value.number for reply in replies if reply.usable]
    return Sum(sum(usable), len(usable))


@pytest.fixture
async def model(db: Database) -> AsyncIterator[ScriptedModel]:
    await streams.register(db)
    await ensure(db, db.clock.now())
    with ScriptedModel(lambda _: {"number": 7}) as scripted:
        yield scripted


async def test_a_decision_is_written_with_what_it_applied_and_can_be_run_again(
    db: Database, sql: psycopg.Connection, model: ScriptedModel
) -> None:
    sums = Sums(["one", "two"])
    report = await tick(sums.agent, context(db, model))
    assert (report.did, report.told, report.next_in) == (1, True, AT_ONCE)
    assert sums.trace == ["renewed", "renewed", "applied 14 of 2 by scripted"]
    [entry] = decisions(sql)
    decision = entry["decision"]
    assert (entry["agent"], decision["version"], decision["level"], decision["model"]) == ("sums", "sums-1", "FULL", "scripted")
    assert (decision["gathered"], decision["proposals"]) == ({"questions": ["one", "two"]}, {"total": 14, "usable": 2})
    assert decision["applied"] == {"total": 14}
    assert [reply["outcome"] for reply in decision["replies"]] == ["ok", "ok"]
    assert number(sql, "select count(distinct decision_id) from thoth.substrate_agent_cost") == 1
    assert number(
        sql, "select count(*) from thoth.substrate_slices s join thoth.substrate_agent_cost c on c.decision_id = s.slice_id"
    ) == 2  # fmt: skip


async def test_without_a_model_there_is_no_decision_and_no_cost(db: Database, sql: psycopg.Connection) -> None:
    sums = Sums()
    report = await tick(sums.agent, context(db, None))
    assert (report.did, report.next_in, sums.trace, sums.work) == (0, NO_MODEL, [], 1)
    assert decisions(sql) == []
    assert number(sql, "select count(*) from thoth.substrate_agent_cost") == 0


async def test_a_spent_budget_lets_go_and_rests_until_it_renews(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock
) -> None:
    clock.advance(timedelta(minutes=55))
    sums = Sums()
    report = await tick(sums.agent, context(db, model, THOTH_BUDGET_TOKENS_HOUR=0))
    assert (report.did, sums.trace, model.chats) == (0, ["renewed", "let go"], [])
    assert report.next_in == timedelta(minutes=5)
    assert decisions(sql) == []


async def test_an_endpoint_that_is_down_costs_no_attempt(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    """faults: 429 and 500 for an hour."""
    model.always(Status(429))
    sums = Sums(["one", "two"])
    report = await tick(sums.agent, context(db, model))
    assert (report.did, sums.trace) == (0, ["renewed", "let go"])
    assert report.next_in is not None
    assert report.next_in > AT_ONCE
    assert decisions(sql) == []


async def test_what_was_answered_before_the_endpoint_went_down_is_kept(
    db: Database, sql: psycopg.Connection, model: ScriptedModel
) -> None:
    model.then({"number": 7}, Status(429))
    sums = Sums(["one", "two", "three"])
    report = await tick(sums.agent, context(db, model))
    assert sums.trace == ["renewed", "renewed", "applied 7 of 1 by scripted", "let go"]
    assert report.did == 1
    [entry] = decisions(sql)
    assert [reply["outcome"] for reply in entry["decision"]["replies"]] == ["ok", "endpoint_down", "endpoint_down"]


async def test_when_the_time_of_a_tick_is_up_what_was_answered_is_written_and_the_rest_is_left(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock
) -> None:
    """faults: a hang."""
    sums = Sums(["one", "two", "three"])

    def slow(_: object) -> dict[str, int]:
        clock.advance(sums.agent.limit * 0.3)
        return {"number": 7}

    model.always(slow)
    assert (await tick(sums.agent, context(db, model))).did == 1
    assert sums.trace[-2:] == ["applied 14 of 2 by scripted", "let go"]
    [entry] = decisions(sql)
    assert [reply["outcome"] for reply in entry["decision"]["replies"]] == ["ok", "ok", "endpoint_down"]


async def test_when_told_to_stop_no_further_question_is_asked(
    db: Database, sql: psycopg.Connection, model: ScriptedModel
) -> None:
    """faults: SIGTERM in the middle of a tick."""
    sums, stop = Sums(["one", "two"]), asyncio.Event()

    def stopping(_: object) -> dict[str, int]:
        stop.set()
        return {"number": 7}

    stop.set()
    ctx = replace(context(db, model), stop=stop)
    assert (await tick(sums.agent, ctx)).did == 0
    assert model.chats == []
    stop.clear()
    model.always(stopping)
    assert (await tick(sums.agent, ctx)).did == 1
    assert sums.trace[-2:] == ["applied 7 of 1 by scripted", "let go"]
    assert len(model.chats) == 1


async def test_garbage_is_a_failure_that_is_told_and_never_an_empty_result(
    db: Database, sql: psycopg.Connection, model: ScriptedModel
) -> None:
    """faults: prose."""
    model.always("Certainly! Here is")
    sums = Sums()
    assert (await tick(sums.agent, context(db, model))).did == 1
    assert sums.trace == ["renewed", "failed"]
    [entry] = decisions(sql)
    assert entry["decision"]["proposals"] is None
    assert entry["decision"]["applied"]["why"]
    assert entry["decision"]["replies"][0]["text"] == "Certainly! Here is"


async def test_a_lost_transaction_is_done_again_as_a_whole(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    sums = Sums(breaks=1)
    await tick(sums.agent, context(db, model))
    assert sums.trace == ["renewed", "applied 7 of 1 by scripted", "applied 7 of 1 by scripted"]
    assert len(decisions(sql)) == 1
    assert len(model.chats) == 1


async def test_what_cannot_be_applied_is_not_told(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    with pytest.raises(StatementRefused):
        await tick(Sums(breaks=9).agent, context(db, model))
    assert decisions(sql) == []


async def test_levels_moderate_the_pace(db: Database, model: ScriptedModel) -> None:
    assert (await tick(Sums().agent, context(db, model, level=Intensity.MEDIUM))).next_in is None
    assert (await tick(Sums(work=0).agent, context(db, model))).next_in is None


async def test_the_unknown_decision_of_an_agent_that_left_cannot_be_replayed(
    db: Database, sql: psycopg.Connection, model: ScriptedModel
) -> None:
    await tick(Sums().agent, context(db, model))
    row = sql.execute("select slice_id from thoth.substrate_slices where session_id = 'diary'").fetchone()
    assert row is not None
    found = await replay(db, "default", row[0])
    assert (found.agent, found.same) == ("sums", None)
    assert "installed" in found.why


def test_each_agent_has_a_gate_of_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not switched_on(load(THOTH_HOME="/nonexistent", THOTH_SUBSTRATE_PARSER="0"), "parser")
    chosen = crew_settings(None)
    assert switched_on(chosen, "sums")
    monkeypatch.setenv("THOTH_SUBSTRATE_SUMS", "0")
    assert not worker_of(Sums().agent).enabled(chosen)
    monkeypatch.setenv("THOTH_SUBSTRATE_SUMS", "perhaps")
    with pytest.raises(SettingsError, match="SUMS"):
        switched_on(chosen, "sums")


def test_the_crew_is_found_by_name() -> None:
    found = crew()
    assert {"parser", "summarizer"} <= found.keys()
    assert all(name == agent.name and agent.version for name, agent in found.items())


def test_texts_of_sources_are_left_out_and_put_back() -> None:
    source = {"slice_id": "a", "content_hash": "h", "text": "words", "actor": "Ana"}
    stripped, inputs = without_texts({"batches": [[source], {"excerpt": "said before", "other": 1}], "text": "kept"})
    assert stripped == {"batches": [[{**source, "text": None}], {"excerpt": None, "other": 1}], "text": "kept"}
    assert inputs == [{"slice_id": "a", "content_hash": "h"}]
    assert with_texts(stripped, {"a": "words"})["batches"][0] == [source]
    with pytest.raises(KeyError):
        with_texts(stripped, {})
