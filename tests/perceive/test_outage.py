"""The database goes away in every way it can, and every acknowledged slice is there once in the end."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from tests.perceive.support import PATIENCE_S, Road, column, flushed, flushing, said, settings, texts, until
from thoth_substrate.db.pool import Database, PoolOptions
from thoth_substrate.errors import JournalFull
from thoth_substrate.model.clock import PinnedClock, SystemClock
from thoth_substrate.perceive import flush, flusher
from thoth_substrate.perceive.perceiver import Perceiver


@pytest.fixture(autouse=True)
def brisk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short pauses between attempts: what is tested is that they are made."""
    monkeypatch.setattr(flusher, "LONGEST_PAUSE_S", 0.05)


async def test_it_is_away_at_boot(perceiver: Perceiver, far: Database, road: Road, sql: psycopg.Connection) -> None:
    """faults: it is away at boot."""
    await road.close()
    async with flushing(perceiver, far):
        for n in range(10):
            perceiver.perceive(said(f"{n}"))
        await until(lambda: perceiver.stats().last_failure is not None)
        assert not await perceiver.durable(0.01)
        assert perceiver.stats().waiting == 10
        await road.open()
        assert await perceiver.durable(PATIENCE_S)
    assert texts(sql) == [f"{n}" for n in range(10)]


async def test_it_goes_away_under_load_and_comes_back(
    far: Database, road: Road, sql: psycopg.Connection, tmp_path: Path, clock: PinnedClock
) -> None:
    """faults: it goes away for ten minutes under load and comes back.

    More than the memory may hold waits in the journal only and is read back in order, while more keeps coming.
    """
    mine = Perceiver(settings(tmp_path, THOTH_BUFFER_ROWS="300", THOTH_FLUSH_BATCH_ROWS="100"), clock)
    acks = []
    async with flushing(mine, far):
        acks += [mine.perceive(said(f"{n}")).slice_id for n in range(50)]
        assert await mine.durable(PATIENCE_S)
        await road.close()
        for n in range(50, 3000):
            acks.append(mine.perceive(said(f"{n}")).slice_id)
            if n % 500 == 0:
                await until(lambda: mine.stats().last_failure is not None)
                clock.advance(timedelta(minutes=2))
        stats = mine.stats()
        assert (stats.waiting, stats.journal_bytes > 100_000) == (2950, True)
        assert stats.buffered <= 400
        await road.open()
        for n in range(3000, 4000):
            acks.append(mine.perceive(said(f"{n}")).slice_id)
            if n % 100 == 0:
                await asyncio.sleep(0)
        assert await mine.durable(PATIENCE_S)
        assert mine.stats().journal_bytes <= 16
    mine.close()
    assert column(sql, "select slice_id from thoth.substrate_slices order by slice_id") == acks
    assert texts(sql) == [f"{n}" for n in range(4000)]
    assert column(sql, "select count(*) from thoth.substrate_pending") == [4000]


@pytest.mark.parametrize("cut_at", range(1, 25))
async def test_the_connection_dies_mid_transaction(
    perceiver: Perceiver, far: Database, road: Road, sql: psycopg.Connection, cut_at: int
) -> None:
    """faults: the connection dies mid-transaction. Cut at each packet in turn, also between the commit and its answer."""
    async with flushing(perceiver, far):
        perceiver.perceive(said("before", external_id="0"))
        assert await perceiver.durable(PATIENCE_S)
        road.chunks, road.cut_at = 0, cut_at
        for n in range(200):
            perceiver.perceive(said(f"{n}", external_id=f"e{n}"))
            if n % 50 == 0:
                assert await perceiver.durable(PATIENCE_S)
        assert await perceiver.durable(PATIENCE_S)
    assert Counter(texts(sql)) == Counter(["before", *(f"{n}" for n in range(200))])
    stats = perceiver.stats()
    assert (stats.flushed, stats.duplicates, stats.rejected) == (201, 0, 0)
    assert column(sql, "select count(*) from thoth.substrate_salience") == [201]


async def test_a_frozen_server_is_left_behind_and_not_waited_for(
    far: Database, road: Road, sql: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """faults: SIGSTOP of the server, a network that drops everything: the exit is bounded and nothing is lost."""
    monkeypatch.setattr(flusher, "WRITE_PATIENCE_S", 0.05)
    monkeypatch.setattr(flusher, "EXIT_PATIENCE_S", 0.1)
    mine = Perceiver(settings(tmp_path), SystemClock())
    async with flushing(mine, far):
        mine.perceive(said("before"))
        assert await mine.durable(PATIENCE_S)
        road.freeze()
        mine.perceive(said("during"))
        await until(lambda: "did not answer" in (mine.stats().last_failure or ""))
        began = time.monotonic()
    assert time.monotonic() - began < 20
    assert mine.stats().waiting == 1
    await road.close()
    await road.open()
    await flushed(mine, far)
    mine.close()
    assert texts(sql) == ["before", "during"]


@pytest.fixture
async def locked(dsn: str) -> AsyncIterator[psycopg.AsyncConnection]:
    """Another connection, in a transaction of its own."""
    async with await psycopg.AsyncConnection.connect(dsn) as connection:
        yield connection
        await connection.rollback()


async def test_writers_in_opposite_orders_do_not_lose_a_slice(
    dsn: str, sql: psycopg.Connection, tmp_path: Path, clock: PinnedClock
) -> None:
    """faults: concurrent writers touching overlapping sets in opposite orders (deadlock); two upserts of one document."""
    hosts = [Perceiver(settings(tmp_path / name), clock) for name in "ab"]
    async with contextlib.AsyncExitStack() as stack:
        for number, host in enumerate(hosts):
            database = await Database.open(dsn, PoolOptions(size=2), clock)
            stack.push_async_callback(database.close)
            await stack.enter_async_context(flushing(host, database))
            for n in range(2000) if number else reversed(range(2000)):
                host.perceive(said(f"{n}", external_id=f"{n}"))
        assert all(await asyncio.gather(*(host.durable(PATIENCE_S) for host in hosts)))
    assert Counter(texts(sql)) == Counter(f"{n}" for n in range(2000))
    assert sum(host.stats().duplicates for host in hosts) == 2000
    for host in hosts:
        host.close()


async def test_a_full_disk_of_the_server_is_waited_for(perceiver: Perceiver, db: Database, sql: psycopg.Connection) -> None:
    """faults: disk full. The server refuses with 53100: nothing is rejected, all of it waits and is written later."""
    sql.execute(
        "create function thoth.full_disk() returns trigger language plpgsql as $$ begin"
        " raise exception 'could not extend file: no space left on device' using errcode = '53100'; end $$"
    )
    sql.execute(
        "create trigger full_disk before insert on thoth.substrate_salience for each row execute function thoth.full_disk()"
    )
    async with flushing(perceiver, db):
        for n in range(5):
            perceiver.perceive(said(f"{n}"))
        await until(lambda: "no space left" in (perceiver.stats().last_failure or ""))
        assert (perceiver.stats().waiting, perceiver.stats().rejected) == (5, 0)
        sql.execute("drop trigger full_disk on thoth.substrate_salience")
        assert await perceiver.durable(PATIENCE_S)
    assert texts(sql) == ["0", "1", "2", "3", "4"]


async def test_a_schema_that_is_not_there_yet_is_waited_for(perceiver: Perceiver, db: Database, sql: psycopg.Connection) -> None:
    """faults: a database several revisions behind."""
    sql.execute("alter schema thoth rename to elsewhere")
    async with flushing(perceiver, db):
        perceiver.perceive(said("early"))
        await until(lambda: perceiver.stats().last_failure is not None)
        sql.execute("alter schema elsewhere rename to thoth")
        assert await perceiver.durable(PATIENCE_S)
    assert texts(sql) == ["early"]


async def test_a_statement_timeout_is_tried_again(
    dsn: str, sql: psycopg.Connection, tmp_path: Path, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """faults: statement_timeout; a cancelled query and its connection's next use.

    Not the pool's timeout, which is made for recalls and too short for a batch: with 1 ms no batch would ever pass.
    """
    monkeypatch.setattr(flush, "STATEMENT_PATIENCE_S", 0.2)
    mine = Perceiver(settings(tmp_path), clock)
    database = await Database.open(dsn, PoolOptions(size=1, statement_timeout_ms=1), clock)
    async with flushing(mine, database):
        mine.perceive(said("first"))
        assert await mine.durable(PATIENCE_S)
        with sql.transaction():
            sql.execute("lock table thoth.substrate_pending in access exclusive mode")
            mine.perceive(said("second"))
            await until(lambda: "timeout" in (mine.stats().last_failure or ""))
        assert await mine.durable(PATIENCE_S)
    await database.close()
    mine.close()
    assert texts(sql) == ["first", "second"]


def test_the_turn_never_waits_for_the_database(tmp_path: Path) -> None:
    """With nobody flushing at all, ten thousand calls are microseconds each; the budget here is a hundred times that."""
    mine = Perceiver(settings(tmp_path), SystemClock())
    began = time.monotonic()
    for n in range(10_000):
        mine.perceive(said(f"{n}"))
    assert time.monotonic() - began < 30
    mine.close()


def test_a_full_journal_refuses_the_newest_counts_and_says_so_once_a_minute(
    tmp_path: Path, clock: PinnedClock, caplog: pytest.LogCaptureFixture
) -> None:
    mine = Perceiver(settings(tmp_path, THOTH_JOURNAL_MAX_BYTES="65536"), clock)
    acked = 0
    for minute in range(2):
        for _ in range(300):
            with contextlib.suppress(JournalFull):
                mine.perceive(said("x" * 1000))
                acked += 1
        clock.advance(timedelta(minutes=1))
        assert len([line for line in caplog.messages if "newest slices are refused" in line]) == minute + 1
    stats = mine.stats()
    assert (stats.accepted, stats.refused) == (acked, 600 - acked)
    assert stats.journal_bytes <= 65536
    mine.close()
