"""The Dreamer's tick: seeds in turn, each once, and only ever a log with questions and tests."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import timedelta

import psycopg
import pytest

from tests.consolidate.facts import NOW, Facts
from tests.llm.scripted import Reply, Request, ScriptedModel
from tests.support import count
from tests.workers.crew_support import context, tick
from tests.workers.layers import decisions, ground
from thoth_substrate.consolidate.observe import MOST_OPEN
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import PinnedClock
from thoth_workers.crew.critic import AGENT as CRITIC
from thoth_workers.crew.dreamer import AGENT
from thoth_workers.replay import replay

KNOWLEDGE = ("substrate_entities", "substrate_relationships", "substrate_citations", "substrate_patterns", "substrate_outcomes")


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


def _seeds(facts: Facts) -> None:
    """One of each kind: a surprise, a contradiction, something stale."""
    wrong = facts.fact("Maya", "lives_in", "Faro", value=True)
    facts.retract(wrong, "corrected by the user", facts.fact("Maya", "lives_in", "Porto", value=True, functional=True))
    facts.fact("Ben", "born_in", "Lyon", value=True, functional=True)
    facts.fact("Ben", "born_in", "Nice", value=True, functional=True, asserted=NOW + timedelta(hours=1))


async def _nights(db: Database, clock: PinnedClock, model: ScriptedModel, number: int) -> None:
    for _ in range(number):
        await tick(AGENT, context(db, model))
        clock.advance(timedelta(hours=1))


def _log(sql: psycopg.Connection, kind: str) -> int:
    row = sql.execute(
        "select count(*) from thoth.substrate_observations where kind = %s and retracted_at is null", (kind,)
    ).fetchone()
    assert row is not None
    return int(row[0])


async def test_seeds_come_in_turn_and_each_is_dreamt_of_once(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, model: ScriptedModel
) -> None:
    _seeds(await ground(db, sql))
    await tick(CRITIC, context(db, None))
    await _nights(db, clock, model, 20)
    kinds = [told["applied"]["seed"] for told in decisions(sql, "dreamer")]
    assert kinds[:3] == ["surprise", "contradiction", "staleness"]
    assert len(kinds) == len(model.chats) == 2 + 3, "one surprise, one contradiction, three facts that may be stale"
    assert _log(sql, "dream") == 5


async def test_it_writes_a_log_and_never_a_fact(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, model: ScriptedModel
) -> None:
    """faults: the agent's own conclusions coming back as authority."""
    _seeds(await ground(db, sql))
    await tick(CRITIC, context(db, None))
    before = {table: count(sql, table) for table in KNOWLEDGE}
    await _nights(db, clock, model, 5)
    assert {table: count(sql, table) for table in KNOWLEDGE} == before
    assert count(sql, "substrate_statements") == 0
    assert _log(sql, "question") > 0
    unsupported = sql.execute(
        "select count(*) from thoth.substrate_observations o where kind in ('dream', 'question', 'test') and not exists"
        " (select from thoth.substrate_supports s where s.row_id = o.observation_id)"
    ).fetchone()
    assert unsupported == (0,)


async def test_a_question_that_is_open_is_not_asked_again_in_other_words(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, model: ScriptedModel
) -> None:
    """faults: rewordings multiplying overnight."""
    facts = await ground(db, sql)
    for number in range(20):
        facts.fact("Maya", f"owns_{number}", f"thing {number}", value=True, functional=True)
    words = itertools.cycle(["Where does Maya live now?", "Where is it that Maya lives now?", "Now, where does Maya live?"])

    def script(_: Request) -> Reply:
        return {"dream": "Suppose that she moved.", "question": next(words), "test": ""}

    model.always(script)
    await _nights(db, clock, model, 20)
    assert len(model.chats) == 20
    assert _log(sql, "question") == 1
    assert _log(sql, "test") == 0


async def test_questions_are_bounded(db: Database, sql: psycopg.Connection, clock: PinnedClock, model: ScriptedModel) -> None:
    facts = await ground(db, sql)
    for number in range(MOST_OPEN + 5):
        facts.fact("Maya", f"p{number}", "x", value=True, functional=True)
    numbers = itertools.count()

    def script(_: Request) -> Reply:
        return {"dream": "Suppose.", "question": f"Question number {next(numbers)}?", "test": ""}

    model.always(script)
    await _nights(db, clock, model, MOST_OPEN + 5)
    assert _log(sql, "question") == MOST_OPEN


async def test_a_question_is_settled_when_what_it_asks_about_is_held_no_longer(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, model: ScriptedModel
) -> None:
    facts = await ground(db, sql)
    stale = facts.fact("Maya", "lives_in", "Porto", value=True, functional=True, at=NOW - timedelta(days=900))
    await _nights(db, clock, model, 1)
    assert _log(sql, "question") == 1
    facts.retract(stale)
    facts.fact("Ben", "lives_in", "Lyon", value=True, functional=True)
    await _nights(db, clock, model, 1)
    assert _log(sql, "question") == 1
    assert sql.execute(
        "select retract_reason from thoth.substrate_observations where kind = 'question' and retracted_at is not null"
    ).fetchall() == [("settled: what it asked about is held no longer",)]


async def test_at_most_one_dream_an_hour(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    _seeds(await ground(db, sql))
    for _ in range(20):
        await tick(AGENT, context(db, model))
    assert len(model.chats) == 1


async def test_a_reply_that_cannot_be_used_passes_the_seed_over(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, model: ScriptedModel
) -> None:
    """faults: one poisoned item that fails identically forever."""
    _seeds(await ground(db, sql))
    model.always("I would rather not.")
    for _ in range(10):
        await tick(AGENT, context(db, model, THOTH_BREAKER_FAILURES=1000))
        clock.advance(timedelta(hours=1))
    assert [told["applied"]["passed_over"] for told in decisions(sql, "dreamer")] == [1, 1, 1]
    assert _log(sql, "dream") == 0


async def test_a_decision_can_be_run_again(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    _seeds(await ground(db, sql))
    await tick(AGENT, context(db, model))
    row = sql.execute(
        "select slice_id from thoth.substrate_slices where session_id = 'diary' and payload ->> 'agent' = 'dreamer'"
    ).fetchone()
    assert row is not None
    replayed = await replay(db, "default", row[0])
    assert (replayed.same, replayed.diff) == (True, "")
