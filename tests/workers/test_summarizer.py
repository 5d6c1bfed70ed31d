"""The Summarizer: an old session becomes one cited slice, once, and that slice is never perceived or summed up anew."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.llm.scripted import ScriptedModel, Status
from tests.support import Said
from tests.workers.crew_support import context, number, queue, states, tick, told
from tests.workers.support import decisions
from thoth_substrate.db.pool import Database
from thoth_substrate.fade.forget import forget
from thoth_substrate.fade.pin import pin
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.triage.index import index
from thoth_workers.crew import parser
from thoth_workers.crew.summarizer import AGENT, LEAST_SLICES, LONGEST_BYTES
from thoth_workers.replay import replay

OLD = timedelta(days=8)
TALK = [Said(f"Person{n} lives in Town{n}.", actor="Ana") for n in range(LEAST_SLICES)]


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as scripted:
        yield scripted


def summaries(sql: psycopg.Connection) -> list[dict[str, Any]]:
    """Every summary, oldest first."""
    with sql.cursor(row_factory=psycopg.rows.dict_row) as cursor:
        return cursor.execute(
            "select s.* from thoth.substrate_slices s join thoth.substrate_streams st using (stream_id)"
            " where st.stream = 'thoth.self_state.summary' order by s.slice_id"
        ).fetchall()


async def test_an_old_session_is_summed_up_once_with_its_sources(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock
) -> None:
    ids = await told(db, sql, TALK, ago=OLD)
    assert (await tick(AGENT, context(db, model))).did == 1
    [summary] = summaries(sql)
    assert summary["text"].splitlines() == [f"Person{n} lives in Town{n}." for n in range(LEAST_SLICES)]
    assert [point["slices"] for point in summary["payload"]["points"]] == [[str(one)] for one in ids]
    assert summary["metadata"] == {"summary_of": [str(one) for one in ids], "through": str(ids[-1])}
    assert (summary["session_id"], summary["triage_state"], summary["consolidation_state"]) == ("s1", "passed", "consolidated")
    assert summary["event_time"] == clock.now() - OLD
    verdict = sql.execute("select slice_id, outcome from thoth.substrate_verdicts where passage_no = -1").fetchone()
    assert verdict == (summary["slice_id"], "nothing")
    for _ in range(3):
        clock.advance(timedelta(days=3))
        await tick(AGENT, context(db, model))
    assert len(summaries(sql)) == 1
    assert len(model.chats) == 1


async def test_a_summary_is_found_and_never_parsed_or_summed_up(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock
) -> None:
    """faults: a summary summarised."""
    await told(db, sql, TALK, ago=OLD)
    await tick(AGENT, context(db, model))
    [summary] = summaries(sql)
    assert summary["slice_id"] not in {row[0] for row in queue(sql)}
    assert (await index(db, limit_rows=100)).passages == 1
    assert number(sql, "select count(*) from thoth.substrate_postings where term = 'town3'") == 2
    await tick(parser.AGENT, context(db, model))
    assert states(sql)[summary["slice_id"]] == "consolidated"
    assert not any(summary["text"] in request.user for request in model.chats)
    fades, half_life = sql.execute(
        "select fades_at, half_life from thoth.substrate_salience where slice_id = %s", [summary["slice_id"]]
    ).fetchone() or (None, None)
    assert half_life > timedelta(days=40)
    assert fades > clock.now() + timedelta(days=170)


async def test_what_comes_later_is_summed_up_by_itself(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock
) -> None:
    await told(db, sql, TALK, ago=OLD)
    await tick(AGENT, context(db, model))
    later = await told(db, sql, [Said(f"Person{n} works at Acme{n}.", actor="Ana") for n in range(LEAST_SLICES)])
    for _ in range(12):
        clock.advance(timedelta(days=1))
        await tick(AGENT, context(db, model))
    first, second = summaries(sql)
    assert first["metadata"]["through"] < second["metadata"]["through"]
    assert second["metadata"]["summary_of"] == [str(one) for one in later]


@pytest.mark.parametrize(
    ("said", "ago"),
    [(TALK[:-1], OLD), (TALK, timedelta(days=6)), ([Said("x" * (LONGEST_BYTES + 1))] * LEAST_SLICES, OLD)],
    ids=["few", "young", "long"],
)
async def test_what_is_young_short_or_no_talk_is_left(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, said: list[Said], ago: timedelta
) -> None:
    await told(db, sql, said, ago=ago)
    assert (await tick(AGENT, context(db, model))).did == 0
    assert (summaries(sql), model.chats) == ([], [])


async def test_a_sentence_that_rests_on_nothing_is_dropped(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    """faults: an index or id that does not exist."""
    await told(db, sql, TALK, ago=OLD)
    model.then(
        {"points": [{"text": "Kept.", "fragments": ["p2", "p99"]}, {"text": "Lost.", "fragments": ["p77"]}, {"text": "Bare."}]}
    )
    await tick(AGENT, context(db, model))
    assert [one["text"] for one in summaries(sql)] == ["Kept."]


async def test_a_reply_without_any_sentence_leaves_no_summary_and_no_second_question(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock
) -> None:
    await told(db, sql, TALK, ago=OLD)
    model.always({"points": []})
    for _ in range(6):
        await tick(AGENT, context(db, model))
        clock.advance(timedelta(days=1))
    assert (summaries(sql), len(model.chats)) == ([], 1)


async def test_a_failed_reply_is_tried_again_in_the_next_round(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock
) -> None:
    await told(db, sql, TALK, ago=OLD)
    model.then("no", "no", "no", "no")
    await tick(AGENT, context(db, model))
    assert summaries(sql) == []
    for _ in range(4):
        clock.advance(timedelta(days=1))
        await tick(AGENT, context(db, model))
    assert len(summaries(sql)) == 1


async def test_an_endpoint_that_is_away_moves_nothing(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    await told(db, sql, TALK, ago=OLD)
    model.then(Status(429))
    assert (await tick(AGENT, context(db, model))).did == 0
    assert decisions(sql) == []
    assert number(sql, "select count(*) from thoth.substrate_cursors where position <> '{}'") == 0


async def test_nothing_is_told_on_of_what_was_forgotten_meanwhile(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, dsn: str
) -> None:
    """faults: a call whose result arrives after its source was changed or deleted."""
    [first, *_] = await told(db, sql, TALK, ago=OLD)
    good = model._script

    def forgetting(request: object) -> object:
        with psycopg.connect(dsn, autocommit=True) as other:
            other.execute("update thoth.substrate_slices set forgotten = true where slice_id = %s", [first])
        return good(request)  # type: ignore[arg-type]

    model.always(forgetting)  # type: ignore[arg-type]
    await tick(AGENT, context(db, model))
    assert summaries(sql) == []


async def test_a_summary_can_be_pinned_and_forgotten(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    await told(db, sql, TALK, ago=OLD)
    await tick(AGENT, context(db, model))
    [summary] = summaries(sql)
    await pin(db, "default", summary["slice_id"])
    await forget(db, "default", summary["slice_id"])
    assert summaries(sql)[0]["forgotten"]


async def test_two_that_sum_up_the_same_write_one(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    await told(db, sql, TALK, ago=OLD)
    first, second = context(db, model), context(db, model)
    gathered = await AGENT.gather(first, "default")
    assert gathered is not None
    await tick(AGENT, second)
    sql.execute("update thoth.substrate_cursors set position = '{}'")
    await tick(AGENT, first)
    assert len(summaries(sql)) == 1


async def test_its_decision_replays(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    await told(db, sql, TALK, ago=OLD)
    await tick(AGENT, context(db, model))
    row = sql.execute("select slice_id from thoth.substrate_slices where session_id = 'diary'").fetchone()
    assert row is not None
    assert (await replay(db, "default", row[0])).same is True
