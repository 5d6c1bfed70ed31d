"""The one loop: gates, limit, report, diary, heartbeat, and what it does when a tick fails."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import psycopg
import pytest

from tests.support import count, streams
from tests.workers.support import agent, counting, decisions, supervisor, until, worker
from thoth_substrate.db.pool import Database, PoolOptions
from thoth_substrate.errors import BadInput, DatabaseUnavailable, TickTooLong
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.intensity import Intensity
from thoth_substrate.views.audit import verify
from thoth_workers.loop import Loop
from thoth_workers.worker import Context, Report


async def test_a_tick_that_did_something_is_told_to_the_diary_and_an_idle_one_is_not(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: the diary audited by the diary."""
    streams(sql)
    host = supervisor(db, worker(counting(report=lambda n: Report(did=7 * (n == 1), detail={"rows": 7}))))
    turn = await host.run_once("tester")
    assert turn.report == Report(7, {"rows": 7})
    assert [d["decision"] for d in decisions(sql)] == [{"ticks": 1, "did": 7, "detail": {"rows": 7}}]
    for _ in range(20):
        await host.run_once("tester")
    assert len(decisions(sql)) == 1
    assert (agent(sql)["ticks"], agent(sql)["last_report"]) == (1, {"did": 7, "rows": 7})
    assert (await verify(db, "default")).well


async def test_a_burst_of_ticks_is_one_decision(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    streams(sql)
    stop, tenth = asyncio.Event(), asyncio.Event()
    busy = counting({10: tenth}, lambda n: Report(1, {"index": {"passages": 2}, "note": f"tick {n}", "ok": True}))
    await until(supervisor(db, worker(busy)).run(stop), tenth, stop)
    first, rest = (d["decision"] for d in decisions(sql))
    assert first == {"ticks": 1, "did": 1, "detail": {"index": {"passages": 2}, "note": "tick 1", "ok": True}}
    assert rest["ticks"] >= 9
    assert rest["did"] == rest["ticks"]
    assert rest["detail"] == {"index": {"passages": 2 * rest["ticks"]}, "note": f"tick {1 + rest['ticks']}", "ok": True}
    assert agent(sql)["ticks"] >= 1


async def test_what_concerns_one_tenant_stands_in_its_own_diary(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    streams(sql)
    shares = {"a": {"did": 2, "slices": 2}, "b": {"did": 1, "slices": 1}}
    await supervisor(db, worker(counting(report=lambda _: Report(3, {"slices": 3}, by_tenant=shares)))).run_once("tester")
    assert [d["decision"]["detail"] for d in decisions(sql, "a")] == [{"did": 2, "slices": 2}]
    assert [d["decision"]["did"] for d in decisions(sql, "b")] == [1]
    assert decisions(sql) == []


async def test_a_tick_that_fails_is_recorded_and_the_worker_goes_on(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    stop, third = asyncio.Event(), asyncio.Event()

    def report(n: int) -> Report:
        if n < 3:
            raise RuntimeError(f"no {n}\x00\ud83d")
        return Report()

    loop = Loop(worker(counting({3: third}, report)), db, "default", supervisor(db)._context)
    turns = [await loop.turn() for _ in range(2)]
    assert [turn.failure for turn in turns] == ["RuntimeError: no 1\x00\ud83d", "RuntimeError: no 2\x00\ud83d"]
    assert turns[0].wait <= timedelta(seconds=1) < timedelta(seconds=2) >= turns[1].wait >= timedelta(seconds=1)
    assert (agent(sql)["last_failure"], agent(sql)["last_failure_at"]) == ("RuntimeError: no 2�?", clock.now())
    assert agent(sql)["heartbeat_at"] is None
    await until(loop.run(stop), third, stop)
    assert agent(sql)["heartbeat_at"] == clock.now()


async def test_a_poisoned_tick_is_tried_ever_more_rarely_but_always_again(db: Database, sql: psycopg.Connection) -> None:
    """faults: one poisoned item that fails identically forever; no retry storm."""

    async def poisoned(_: Context) -> Report:
        raise ValueError("always")

    loop = Loop(worker(poisoned), db, "default", supervisor(db)._context)
    waits = [(await loop.turn()).wait for _ in range(12)]
    assert waits[3] >= timedelta(seconds=4)
    assert timedelta(seconds=30) <= min(waits[7:]) <= max(waits) <= timedelta(minutes=1)


async def test_a_tick_that_takes_too_long_is_stopped(db: Database, sql: psycopg.Connection) -> None:
    """faults: a worker that stalls without dying."""
    stopped = asyncio.Event()

    async def stalls(_: Context) -> Report:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return Report()

    turn = await supervisor(db, worker(stalls, limit=timedelta(milliseconds=20))).run_once("tester")
    assert stopped.is_set()
    assert turn.failure == "TickTooLong: A tick of tester took longer than 0:00:00.020000 and was stopped."
    assert str(agent(sql)["last_failure"]).startswith(TickTooLong.__name__)
    assert agent(sql)["lease_holder"] is None


async def test_a_tick_that_will_not_be_cancelled_is_left_behind(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cancelled query's release can hang with a frozen server; the loop does not wait for it."""
    monkeypatch.setattr("thoth_workers.loop.FAREWELL", timedelta(milliseconds=20))
    thaw = asyncio.Event()

    async def frozen(_: Context) -> Report:
        while not thaw.is_set():
            try:
                await thaw.wait()
            except asyncio.CancelledError:
                continue
        return Report()

    loop = Loop(worker(frozen, limit=timedelta(milliseconds=20)), db, "default", supervisor(db)._context)
    assert "TickTooLong" in str((await loop.turn()).failure)
    thaw.set()


async def test_a_database_that_is_away_is_expected_and_said_once(clock: PinnedClock, caplog: pytest.LogCaptureFixture) -> None:
    """faults: it is away at boot; it goes away for ten minutes and comes back."""
    nobody = await Database.open("postgresql://nobody@127.0.0.1:1/none", PoolOptions(connect_timeout_s=1), clock)
    loop = Loop(worker(counting()), nobody, "default", supervisor(nobody)._context)
    turns = [await loop.turn() for _ in range(3)]
    assert all(DatabaseUnavailable.__name__ in str(turn.failure) for turn in turns)
    assert [record.message.split(".")[0] for record in caplog.records if record.levelname == "WARNING"] == ["tester waits"]
    await nobody.close()


async def test_a_connection_that_dies_in_the_middle_of_a_tick_costs_that_tick_and_nothing_more(
    db: Database, sql: psycopg.Connection
) -> None:
    """faults: the connection dies mid-transaction."""
    cut = True

    async def tick(context: Context) -> Report:
        nonlocal cut
        async with context.database.tenant("half") as tx:
            await tx._connection.execute("insert into thoth.substrate_tenants (tenant_id) values ('half')")
            if cut:
                cut = False
                sql.execute("select pg_terminate_backend(%s, 5000)", (tx._connection.get_server_pid(),))
                await tx._connection.execute("select 1")
        return Report()

    loop = Loop(worker(tick), db, "default", supervisor(db)._context)
    assert DatabaseUnavailable.__name__ in str((await loop.turn()).failure)
    assert count(sql, "substrate_tenants") == 0
    assert (await loop.turn()).report == Report()
    assert count(sql, "substrate_tenants") == 1


async def test_the_operators_word_wins_over_the_level_until_it_ends(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    levels: list[Intensity] = []

    async def tick(context: Context) -> Report:
        levels.append(context.level)
        return Report()

    host = supervisor(db, worker(tick))
    await host.run_once("tester")
    sql.execute(
        "update thoth.substrate_agents set level = 'MEDIUM', override_level = 'OFF', override_until = %s",
        (clock.now() + timedelta(hours=1),),
    )
    assert (await host.run_once("tester")).standing == "its level is OFF"
    clock.advance(timedelta(hours=2))
    await host.run_once("tester")
    sql.execute("update thoth.substrate_agents set override_level = 'LOW', override_until = 'infinity'")
    await host.run_once("tester")
    assert levels == [Intensity.FULL, Intensity.MEDIUM, Intensity.LOW]


async def test_a_worker_switched_off_while_it_runs_stops_within_its_trust_and_gives_no_heartbeat(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    loop = Loop(worker(counting()), db, "default", supervisor(db)._context)
    assert (await loop.turn()).report is not None
    sql.execute("update thoth.substrate_agents set level = 'OFF'")
    before = clock.now()
    clock.advance(timedelta(seconds=4))
    assert (await loop.turn()).standing == "its level is OFF"
    assert agent(sql)["heartbeat_at"] == before


async def test_levels_scale_batches_and_only_the_full_one_hurries(db: Database) -> None:
    context = supervisor(db)._context
    assert [context(level).rows(1000) for level in Intensity] == [0, 100, 500, 1000]
    assert [context(level).again(True) for level in (Intensity.LOW, Intensity.FULL)] == [None, timedelta(0)]
    assert context(Intensity.FULL).again(False) is None


async def test_a_worker_is_alive_since_its_heartbeats_have_no_gap(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: the worker away for a day: what was perceived meanwhile must not be rejected when it returns."""
    host = supervisor(db, worker(counting()))
    born = clock.now()
    for _ in range(5):
        await host.run_once("tester")
        clock.advance(timedelta(seconds=8))
    assert agent(sql)["alive_since"] == born
    clock.advance(timedelta(days=1))
    await host.run_once("tester")
    assert agent(sql)["alive_since"] == clock.now()


async def test_a_gate_closed_by_the_environment_and_an_unknown_name_are_said(db: Database) -> None:
    from thoth_workers.core import CORE

    host = supervisor(db, *CORE, THOTH_SUBSTRATE_CURATOR=False)
    assert (await host.run_once("curator")).standing == "THOTH_SUBSTRATE_CURATOR is 0"
    with pytest.raises(BadInput, match="there are sentinel, embedder, curator, force_reject, partitions"):
        await host.run_once("critic")


async def test_a_report_that_cannot_be_json_is_stored_nevertheless(db: Database, sql: psycopg.Connection) -> None:
    streams(sql)
    odd = {"text": "a\x00\ud83d", "span": timedelta(1), "set": {1}}
    turn = await supervisor(db, worker(counting(report=lambda _: Report(1, odd)))).run_once("tester")
    assert turn.failure is None
    assert count(sql, "substrate_slices") == 1
