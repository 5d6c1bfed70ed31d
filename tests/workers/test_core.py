"""The five core workers, each on the real step it ticks."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from tests.awareness.topics import noted, topic
from tests.fade.support import TENANT, consolidated, faded
from tests.support import Said, count, perceived, streams
from tests.workers.support import agent, decisions, settings
from thoth_substrate import keep
from thoth_substrate.db.pool import Database
from thoth_substrate.embed.local import LocalEmbedder
from thoth_substrate.fade.forget import forget
from thoth_substrate.fade.pin import pin
from thoth_substrate.keep import Change, Intake
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.ports import Embedder
from thoth_substrate.model.slice import Ack, Event
from thoth_substrate.views.audit import verify
from thoth_workers.core import CORE
from thoth_workers.core.embedder import NO_MODEL
from thoth_workers.core.partitions import HELD_UP
from thoth_workers.supervisor import Supervisor
from thoth_workers.worker import AT_ONCE, Report


def host(db: Database, embedder: Embedder | None = None, calibrated: list[Database] | None = None, **given: object) -> Supervisor:
    """A host with the real core workers, which writes down that it calibrated."""

    async def calibrate(database: Database) -> int:
        if calibrated is not None:
            calibrated.append(database)
        return 0

    return Supervisor(settings(**given), db, embedder, db.clock, calibrate=calibrate)


async def report(supervisor: Supervisor, name: str) -> Report:
    turn = await supervisor.run_once(name)
    assert turn.report is not None, turn
    return turn.report


async def test_the_sentinel_makes_what_was_perceived_searchable_and_hurries_while_there_is_more(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    perceived(sql, clock.now(), [Said(f"turn {n}") for n in range(30)])
    here = host(db, THOTH_TRIAGE_BATCH_ROWS=20, THOTH_INDEX_BATCH_ROWS=20)
    first = await report(here, "sentinel")
    assert (first.detail["triage"]["passed"], first.detail["index"]["passages"], first.next_in) == (20, 20, AT_ONCE)
    assert (await report(here, "sentinel")).did == 20
    assert await report(here, "sentinel") == Report(0, {**first.detail, **_nothing(first)}, None)
    assert count(sql, "substrate_pending") == count(sql, "substrate_unindexed") == 0
    assert count(sql, "substrate_passages") == 30


def _nothing(first: Report) -> dict[str, dict[str, int]]:
    return {step: dict.fromkeys(counts, 0) for step, counts in first.detail.items()}


async def test_a_dimmed_sentinel_takes_a_tenth_and_keeps_its_pace(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    perceived(sql, clock.now(), [Said(f"turn {n}") for n in range(30)])
    here = host(db, THOTH_TRIAGE_BATCH_ROWS=100, THOTH_INDEX_BATCH_ROWS=100)
    sql.execute("insert into thoth.substrate_agents (agent, level) values ('sentinel', 'LOW')")
    done = await report(here, "sentinel")
    assert (done.detail["triage"]["passed"], done.next_in) == (10, None)


async def test_the_diary_never_feeds_the_workers_that_write_it(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    """faults: the diary audited by the diary; alarms that alarm about alarms."""
    perceived(sql, clock.now(), [Said("hello")])
    here = host(db)
    for _ in range(3):
        for worker in CORE:
            await here.run_once(worker.name)
    told = len(decisions(sql))
    assert told > 0
    for _ in range(10):
        for worker in CORE:
            assert (await report(here, worker.name)).did == 0
        clock.advance(timedelta(seconds=30))
    assert len(decisions(sql)) == told
    assert (await verify(db, TENANT)).well


async def test_without_an_embedder_the_embedder_rests(db: Database) -> None:
    assert await report(host(db), "embedder") == Report(next_in=NO_MODEL)


@pytest.mark.embedder
async def test_the_embedder_gives_passages_their_vectors(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    perceived(sql, clock.now(), [Said("We moved to Lisbon."), Said("In May.")])
    here = host(db, LocalEmbedder())
    await report(here, "sentinel")
    done = await report(here, "embedder")
    assert (done.did, done.next_in, done.detail["vectors"]) == (2, AT_ONCE, 3)
    assert (await report(here, "embedder")).did == 0
    assert [d["decision"]["detail"]["embedded"] for d in decisions(sql) if d["agent"] == "embedder"] == [2]


async def test_the_curator_releases_and_tells_each_tenant_its_share(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    ids = perceived(sql, clock.now(), [Said("a"), Said("b"), Said("c", tenant="b")])
    consolidated(sql, ids)
    faded(sql, clock.now())
    calibrated: list[Database] = []
    here = host(db, calibrated=calibrated, THOTH_RELEASE_BATCH_ROWS=3)
    done = await report(here, "curator")
    assert (done.did, done.next_in, calibrated) == (3, AT_ONCE, [])
    [ours], [theirs] = decisions(sql), decisions(sql, "b")
    assert (ours["decision"]["detail"]["slices"], theirs["decision"]["detail"]["slices"]) == (2, 1)
    assert theirs["decision"]["detail"]["first"] == theirs["decision"]["detail"]["last"] == str(ids[2])
    assert (await report(here, "curator")).did == 0
    assert calibrated == [db]


async def test_what_is_forgotten_is_gone_with_the_curators_next_tick(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    [slice_id] = perceived(sql, clock.now(), [Said("a secret")])
    await forget(db, TENANT, slice_id)
    assert (await report(host(db), "curator")).did == 1
    row = sql.execute("select text, consolidation_state from thoth.substrate_slices where slice_id = %s", (slice_id,)).fetchone()
    assert row == ("", "released")


async def test_a_change_that_was_cut_off_is_finished_by_the_curator(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """Killed after the newer version was stored and before the older one was retired: both were found, until the next change."""
    [older] = perceived(sql, clock.now(), [Said("Maya lives in Porto.")])
    await pin(db, TENANT, older)
    stored, newer = asyncio.Event(), []

    async def perceive(event: Event) -> Ack:
        newer.extend(perceived(sql, clock.now(), [Said(str(event.content))]))
        return Ack(newer[0])

    async def killed_here(_: float) -> bool:
        stored.set()
        return await asyncio.Future()

    changing = asyncio.create_task(
        keep.change(db, Intake(perceive, killed_here), TENANT, older, Change("Maya lives in Lisbon."), by="maya")
    )
    await stored.wait()
    changing.cancel()
    await asyncio.wait({changing})
    here = host(db)
    await report(here, "sentinel")
    assert count(sql, "substrate_passages") == 2, "both are found"
    assert (await report(here, "curator")).did == 0, "it might be under way"
    clock.advance(timedelta(minutes=2))
    done = await report(here, "curator")
    assert (done.did, done.detail["changes_finished"]) == (1, 1)
    assert sql.execute("select slice_id from thoth.substrate_passages").fetchall() == [(newer[0],)]
    assert sql.execute("select pinned from thoth.substrate_salience where slice_id = %s", newer).fetchone() == (True,)
    assert (await report(here, "curator")).did == 0


async def test_topics_whose_time_is_over_go_with_the_curators_next_tick_model_or_not(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    perceived(sql, clock.now(), [])  # its diary's stream and month
    await noted(db, topic(clock.now(), "boiler", days=1), topic(clock.now(), "lisbon", days=3))
    assert (await report(host(db), "curator")).did == 0
    clock.advance(timedelta(days=2))
    done = await report(host(db), "curator")
    assert (done.did, done.detail["concepts_expired"]) == (1, 1)
    assert sql.execute("select keyword from thoth.substrate_keywords").fetchall() == [("lisbon",)]


async def test_what_was_perceived_while_every_worker_was_away_is_not_rejected_when_they_return(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: the worker away for a day: what was perceived meanwhile must not be rejected when it returns."""
    streams(sql)
    here = host(db, THOTH_TRIAGE_BATCH_ROWS=1)
    await report(here, "sentinel")
    clock.advance(timedelta(hours=12))
    perceived(sql, clock.now(), [Said(f"turn {n}") for n in range(5)])
    clock.advance(timedelta(hours=12))
    assert (await report(here, "force_reject")).did == 0  # returned before the Sentinel
    assert (await report(here, "sentinel")).did == 2
    assert (await report(here, "force_reject")).did == 0  # though a day has passed since they were queued
    assert agent(sql, "sentinel")["alive_since"] == clock.now()
    for _ in range(31):  # alive, and yet it does not take them: now their five minutes count
        clock.advance(timedelta(seconds=9.9))
        sql.execute("update thoth.substrate_pending set queued_at = queued_at")
        sql.execute("update thoth.substrate_agents set heartbeat_at = %s where agent = 'sentinel'", (clock.now(),))
    assert (await report(here, "force_reject")).did == 4


async def test_a_sentinel_that_fails_does_not_count_as_alive(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    """faults: a worker that stalls without dying."""
    perceived(sql, clock.now(), [Said("hello")])
    here = host(db)
    sql.execute("alter table thoth.substrate_unindexed rename to elsewhere")
    for _ in range(40):
        assert "StatementRefused" in str((await here.run_once("sentinel")).failure)
        clock.advance(timedelta(seconds=9))
    assert (await report(here, "force_reject")).did == 0
    sql.execute("alter table thoth.elsewhere rename to substrate_unindexed")
    assert (await report(here, "sentinel")).did > 0


async def test_partitions_makes_months_ahead_and_tells_what_holds_it_up(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, dsn: str
) -> None:
    clock.advance(datetime(2024, 1, 15, tzinfo=UTC) - clock.now())
    here = host(db)
    streams(sql)
    done = await report(here, "partitions")
    assert (done.did, done.detail["made"], done.next_in) == (12, 12, None)
    assert (await report(here, "partitions")).did == 0
    clock.advance(timedelta(days=60))
    with psycopg.connect(dsn) as reader:
        reader.execute("select count(*) from thoth.substrate_slices")
        held_up = await report(here, "partitions")
        assert held_up.next_in == HELD_UP
    dropped = (await report(here, "partitions")).detail["dropped"]
    assert dropped == ["substrate_slices_y2024m02"]  # January holds the diary's entry about the months that were made
