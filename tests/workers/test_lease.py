"""Leases: one host at a time, taken over when it has died, and a stalled holder's token refused."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import psycopg
import pytest

from tests.support import streams
from tests.workers.support import agent, counting, decisions, supervisor, until, worker
from thoth_substrate.db.pool import Database, PoolOptions
from thoth_substrate.errors import LeaseLost
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.intensity import Intensity
from thoth_workers.lease import LONGEST, Lease, holder_name, lasts
from thoth_workers.loop import Loop
from thoth_workers.worker import Context, Report

SECOND = timedelta(seconds=1)


@pytest.fixture
def other_clock(clock: PinnedClock) -> PinnedClock:
    """The clock of another host."""
    return PinnedClock(clock.now())


@pytest.fixture
async def other(dsn: str, other_clock: PinnedClock) -> AsyncIterator[Database]:
    """Another host's pool on the same database."""
    database = await Database.open(dsn, PoolOptions(size=2), other_clock)
    yield database
    await database.close()


def lease(db: Database, every: timedelta = SECOND) -> Lease:
    return Lease(db, "tester", every, singleton=True)


async def test_only_one_of_many_hosts_gets_the_lease(db: Database, other: Database) -> None:
    leases = [lease(db if n % 2 else other) for n in range(20)]
    permits = await asyncio.gather(*(each.permit() for each in leases))
    assert [permit for permit in permits if permit] == [Intensity.FULL]
    standing = {await each.why_not() for each, permit in zip(leases, permits, strict=True) if permit is None}
    assert len(standing) == 1
    assert standing.pop().startswith(f"held by {holder_name().rsplit(':', 1)[0]}:")


async def test_a_lease_is_taken_over_when_it_has_ended_and_not_before(
    db: Database, other: Database, sql: psycopg.Connection, other_clock: PinnedClock
) -> None:
    assert await lease(db).permit()
    waiting = lease(other)
    other_clock.advance(lasts(SECOND) - timedelta(milliseconds=1))
    assert await waiting.permit() is None
    other_clock.advance(timedelta(milliseconds=1))
    assert await waiting.permit()
    assert agent(sql)["lease_token"] == 2


async def test_a_lease_given_back_is_free_at_once(db: Database, other: Database) -> None:
    first = lease(db)
    assert await first.permit()
    await first.leave()
    assert await lease(other).permit()


async def test_a_stalled_holders_token_is_refused_and_nothing_of_its_tick_is_recorded(
    db: Database, other: Database, sql: psycopg.Connection, clock: PinnedClock, other_clock: PinnedClock
) -> None:
    """faults: a worker that stalls without dying."""
    stalled = lease(db)
    assert await stalled.permit()
    other_clock.advance(LONGEST)
    usurper = lease(other)
    assert await usurper.permit()
    with pytest.raises(LeaseLost, match="Another host runs tester now"):
        await stalled.beat(1, '{"did": 1}')
    assert (agent(sql)["ticks"], agent(sql)["last_report"], agent(sql)["lease_token"]) == (0, None, 2)
    assert await stalled.permit() is None


async def test_a_token_stays_too_old_after_the_one_who_took_over_has_gone_again(
    db: Database, other: Database, other_clock: PinnedClock
) -> None:
    stalled, usurper = lease(db), lease(other)
    assert await stalled.permit()
    other_clock.advance(LONGEST)
    assert await usurper.permit()
    await usurper.leave()
    with pytest.raises(LeaseLost):
        await stalled.renew()
    assert await stalled.permit()  # but it may ask anew, like everybody


async def test_trust_here_ends_before_the_lease_does_there(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = lease(db)
    assert await held.permit()
    sql.execute("update thoth.substrate_agents set level = 'LOW'")
    clock.advance(lasts(SECOND) * 0.59)
    assert await held.permit() is Intensity.FULL  # not asked again yet
    clock.advance(lasts(SECOND) * 0.02)
    assert await held.permit() is Intensity.LOW
    assert agent(sql)["lease_until"] == clock.now() + lasts(SECOND)
    assert agent(sql)["lease_token"] == 1


async def test_a_lease_outlasts_the_period_of_its_worker_but_never_long(db: Database) -> None:
    assert lasts(timedelta(milliseconds=200)) == timedelta(seconds=5.3)
    assert lasts(timedelta(seconds=10)) == timedelta(seconds=20)
    assert lasts(timedelta(hours=24)) == timedelta(minutes=1)


async def test_a_tick_is_stopped_when_its_lease_is_taken_over(
    db: Database, other: Database, sql: psycopg.Connection, other_clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """faults: a worker that stalls without dying: its host slept, another took over, and then it woke."""
    monkeypatch.setattr("thoth_workers.lease.RENEWED", 0.001)
    streams(sql)
    began, stopped = asyncio.Event(), asyncio.Event()

    async def long(_: Context) -> Report:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return Report(1)

    loop = Loop(worker(long, every=SECOND), db, "default", supervisor(db)._context)
    turning = asyncio.create_task(loop.turn())
    await began.wait()
    other_clock.advance(LONGEST)
    assert await lease(other).permit()
    turn = await turning
    assert (turn.standing, turn.failure, stopped.is_set()) == ("Another host runs tester now.", None, True)
    assert decisions(sql) == []


async def test_a_long_tick_keeps_its_lease_without_a_sign_of_life(
    db: Database, other: Database, sql: psycopg.Connection, clock: PinnedClock, other_clock: PinnedClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A Sentinel stuck in a tick sees nothing of what is pending: it must not count as alive."""
    monkeypatch.setattr("thoth_workers.lease.RENEWED", 0.001)
    began, end = asyncio.Event(), asyncio.Event()

    async def long(_: Context) -> Report:
        began.set()
        await end.wait()
        return Report()

    loop = Loop(worker(long, every=SECOND), db, "default", supervisor(db)._context)
    turning = asyncio.create_task(loop.turn())
    await began.wait()
    clock.advance(timedelta(minutes=5))
    other_clock.advance(timedelta(minutes=5))
    while agent(sql)["lease_until"] < clock.now():
        await asyncio.wait({turning}, timeout=0.01)
    assert await lease(other).permit() is None
    assert agent(sql)["heartbeat_at"] is None
    end.set()
    assert (await turning).report == Report()
    assert agent(sql)["heartbeat_at"] == clock.now()


async def test_two_supervisors_on_one_database_never_do_the_work_at_once(
    db: Database, other: Database, sql: psycopg.Connection
) -> None:
    """faults: two workers started by accident."""
    stop, enough = asyncio.Event(), asyncio.Event()
    inside = most = 0
    hosts: set[str] = set()

    async def tick(context: Context) -> Report:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        hosts.add(agent(sql)["lease_holder"])
        async with context.database.worker():
            inside -= 1
        if counted() >= 25:
            enough.set()
        return Report()

    ticks = 0

    def counted() -> int:
        nonlocal ticks
        ticks += 1
        return ticks

    async def both() -> None:
        await asyncio.gather(*(supervisor(pool, worker(tick)).run(stop) for pool in (db, other)))

    await until(both(), enough, stop)
    assert (most, len(hosts)) == (1, 1)
    assert agent(sql)["lease_holder"] is None


async def test_the_second_host_takes_over_when_the_first_stops(db: Database, other: Database, sql: psycopg.Connection) -> None:
    stop_first, stop_second, first_ran, second_ran = (asyncio.Event() for _ in range(4))
    first = asyncio.create_task(supervisor(db, worker(counting({1: first_ran}))).run(stop_first))
    await first_ran.wait()
    second = asyncio.create_task(supervisor(other, worker(counting({1: second_ran}))).run(stop_second))
    stop_first.set()
    await first
    await asyncio.wait_for(second_ran.wait(), 90)
    stop_second.set()
    await second
    assert agent(sql)["lease_token"] >= 2


async def test_workers_that_are_no_singletons_tick_on_every_host(db: Database, other: Database, sql: psycopg.Connection) -> None:
    shared = worker(counting(), singleton=False)
    turns = await asyncio.gather(*(supervisor(pool, shared).run_once("tester") for pool in (db, other)))
    assert all(turn.report == Report() for turn in turns)
    assert (agent(sql)["lease_holder"], agent(sql)["lease_token"]) == (None, 0)
    sql.execute("update thoth.substrate_agents set level = 'OFF'")
    assert (await supervisor(db, shared).run_once("tester")).standing == "its level is OFF"


async def test_a_conductor_that_is_gone_leaves_no_level_behind(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    """A level keeps no worker down because nobody is there to reset it; the operator's word holds all the same."""
    sql.execute(
        "insert into thoth.substrate_agents (agent, level, heartbeat_at)"
        " values ('tester', 'OFF', null), ('conductor', 'FULL', %s)",
        [clock.now() - timedelta(minutes=9)],
    )
    host = supervisor(db, worker(counting()))
    assert (await host.run_once("tester")).standing == "its level is OFF"
    clock.advance(timedelta(minutes=1))
    assert (await host.run_once("tester")).report is not None
    sql.execute("update thoth.substrate_agents set override_level = 'OFF', override_until = 'infinity' where agent = 'tester'")
    assert (await host.run_once("tester")).standing == "its level is OFF"
