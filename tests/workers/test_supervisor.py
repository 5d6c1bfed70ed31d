"""The supervisor: starts many, replaces what dies, stops with a grace."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import psycopg
import pytest

from tests.support import streams
from tests.workers.support import agent, counting, decisions, supervisor, until, worker
from thoth_substrate.db.pool import Database
from thoth_workers.worker import Context, Report, Worker


async def test_every_enabled_worker_runs_and_a_disabled_one_does_not(db: Database, sql: psycopg.Connection) -> None:
    stop = asyncio.Event()
    ran = {name: asyncio.Event() for name in ("a", "b")}
    workers = [worker(counting({1: event}), name=name) for name, event in ran.items()]
    off = Worker("off", timedelta(1), timedelta(1), counting(), lambda settings: settings.recall)
    everyone = asyncio.Event()

    async def all_ran() -> None:
        for event in ran.values():
            await event.wait()
        everyone.set()

    watching = asyncio.create_task(all_ran())
    await until(supervisor(db, *workers, off).run(stop), everyone, stop)
    await watching
    assert [row[0] for row in sql.execute("select agent from thoth.substrate_agents order by 1")] == ["a", "b"]


async def test_a_worker_that_dies_is_replaced(
    db: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A tick that is cancelled from within ends its loop: no net catches that, so the supervisor begins it anew."""
    monkeypatch.setattr("thoth_workers.supervisor.STANDING_BY", timedelta(0))
    stop, third = asyncio.Event(), asyncio.Event()

    def report(n: int) -> Report:
        if n < 3:
            raise asyncio.CancelledError
        return Report()

    await until(supervisor(db, worker(counting({3: third}, report))).run(stop), third, stop)
    said = [record.message for record in caplog.records if record.levelname == "ERROR"]
    assert said == ["tester has died (it was cancelled) and is started again."] * 2


async def test_one_failing_worker_never_holds_up_another(db: Database) -> None:
    """Two nets, no more: what one tick raises stays in its loop."""
    stop, tenth = asyncio.Event(), asyncio.Event()

    async def fails(_: Context) -> Report:
        raise RuntimeError("always")

    both = worker(fails, name="failing"), worker(counting({10: tenth}), name="well")
    await until(supervisor(db, *both).run(stop), tenth, stop)


async def test_told_to_stop_in_the_middle_of_a_tick_it_finishes_the_tick_and_says_so(
    db: Database, sql: psycopg.Connection
) -> None:
    """faults: SIGTERM in the middle of a tick."""
    streams(sql)
    stop, began, may_end = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def tick(_: Context) -> Report:
        began.set()
        await may_end.wait()
        return Report(1, {"rows": 1})

    running = asyncio.create_task(supervisor(db, worker(tick)).run(stop))
    await began.wait()
    stop.set()
    may_end.set()
    await running
    assert [d["decision"]["did"] for d in decisions(sql)] == [1]
    assert (agent(sql)["ticks"], agent(sql)["lease_holder"]) == (1, None)


async def test_a_tick_that_outlasts_the_grace_is_cancelled_and_what_it_had_not_committed_is_gone(
    db: Database, sql: psycopg.Connection
) -> None:
    """faults: SIGTERM in the middle of a tick."""
    stop, began = asyncio.Event(), asyncio.Event()

    async def tick(context: Context) -> Report:
        async with context.database.tenant("default") as tx:
            await tx._connection.execute("insert into thoth.substrate_tenants (tenant_id) values ('default')")
            began.set()
            await asyncio.Event().wait()
        return Report(1)

    running = asyncio.create_task(supervisor(db, worker(tick), grace=timedelta(milliseconds=20)).run(stop))
    await began.wait()
    stop.set()
    await running
    assert sql.execute("select count(*) from thoth.substrate_tenants").fetchone() == (0,)
    assert agent(sql)["lease_holder"] is None


async def test_cancelling_the_supervisor_leaves_nothing_running(db: Database) -> None:
    began = asyncio.Event()
    stopped = asyncio.Event()

    async def tick(_: Context) -> Report:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return Report()

    running = asyncio.create_task(supervisor(db, worker(tick)).run(asyncio.Event()))
    await began.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert stopped.is_set()
