"""Connections that are made while whoever asked for one gives up: nothing is complained of, and nothing is made in vain."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import AsyncIterator

import psycopg
import pytest

from tests.perceive.support import Road, until
from thoth_substrate.db.pool import Database, PoolOptions
from thoth_substrate.errors import DatabaseUnavailable
from thoth_substrate.recall.deadline import Late, Reading, within

TURNS = 60  # of the loop: more than the making of a connection takes until the server is asked who we are
PATIENCE_S = 60.0


@pytest.fixture
async def complaints() -> AsyncIterator[list[str]]:
    """What the loop is told that nobody looked at."""
    heard: list[str] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: heard.append(f"{context['message']}: {context.get('exception')!r}"))
    yield heard
    loop.set_exception_handler(None)


class CountedRoad(Road):
    """One that knows how many came along, and that may lose what a new client says once it has logged in, and reset nothing."""

    came = lost = 0
    loses = False

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.came += 1
        with contextlib.suppress(asyncio.CancelledError):  # the loop ends: a stream's task that is cancelled is complained of
            await super()._carry(reader, writer)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self.loses or writer.get_extra_info("peername")[1] != self._port:
            await super()._pump(reader, writer)
            return
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                if self.lost or data[:1] in (b"P", b"Q"):  # a statement is parsed, or asked at once
                    self.lost += 1
                else:
                    writer.write(data)
        writer.close()


@pytest.fixture
async def road(dsn: str) -> AsyncIterator[CountedRoad]:
    road = CountedRoad(dsn)
    await road.open()
    yield road
    await road.close()


async def test_giving_up_at_any_moment_leaves_nothing_behind_that_nobody_looks_at(dsn: str, complaints: list[str]) -> None:
    """At the deadline of many recalls at once asyncio told of futures with an exception that was never retrieved."""
    for turns in range(TURNS):
        database = await Database.open(dsn, PoolOptions(size=1))
        asking = asyncio.create_task(_one(database))
        await _turns(turns)
        asking.cancel()
        await asyncio.wait({asking})
        await database.close(PATIENCE_S)
    await _collected()
    assert complaints == []


async def test_cutting_connections_in_the_middle_of_queries_leaves_nothing_behind(dsn: str, complaints: list[str]) -> None:
    database = await Database.open(dsn, PoolOptions(size=3))
    ended = await asyncio.gather(*(_cut(database, number % 20 / 1000) for number in range(200)))
    assert "late" in ended
    await database.close(PATIENCE_S)
    await _collected()
    assert complaints == []


async def test_what_one_gave_up_is_the_next_one_s(road: CountedRoad) -> None:
    database = await Database.open(road.dsn, PoolOptions(size=1))
    road.freeze()
    for _ in range(5):
        with pytest.raises(Late):
            await within(_one(database), 0.001)
    road.thaw()
    assert await _one(database) == 1
    assert road.came == 1, "five gave up, and it is still the first that is used"
    await database.close(PATIENCE_S)


async def test_what_was_lost_meanwhile_is_not_taken_over(road: CountedRoad, sql: psycopg.Connection) -> None:
    database = await Database.open(road.dsn, PoolOptions(size=1, application="lost"))
    road.freeze()
    with pytest.raises(Late):
        await within(_one(database), 0.001)
    road.thaw()
    await until(lambda: _connected(sql, "lost") == 1)
    road.cut()
    await until(lambda: _connected(sql, "lost") == 0)
    assert await _one(database) == 1
    await database.close(PATIENCE_S)


async def test_who_takes_over_what_fails_is_told_why(road: CountedRoad) -> None:
    database = await Database.open(road.dsn, PoolOptions(size=1))
    road.freeze()
    with pytest.raises(Late):
        await within(_one(database), 0.001)
    asking = asyncio.create_task(_one(database))
    await _turns(3)
    road.cut()
    with pytest.raises(DatabaseUnavailable):
        await asking
    road.thaw()
    assert await _one(database) == 1
    await database.close(PATIENCE_S)


async def test_closing_ends_what_nobody_took_over(road: CountedRoad, sql: psycopg.Connection, complaints: list[str]) -> None:
    for patience_s in (PATIENCE_S, 0.001):
        database = await Database.open(road.dsn, PoolOptions(size=1, application="left"))
        road.freeze()
        with pytest.raises(Late):
            await within(_one(database), 0.001)
        if patience_s == PATIENCE_S:
            road.thaw()
        await database.close(patience_s)
        road.thaw()
        await until(lambda: _connected(sql, "left") == 0)
    await _collected()
    assert complaints == []


async def test_what_hangs_while_it_is_prepared_is_not_handed_on_for_ever(road: CountedRoad, complaints: list[str]) -> None:
    """Packets get lost after the log-in, and nothing is reset: each newcomer was given that same connection."""
    database = await Database.open(road.dsn, PoolOptions(size=1, connect_timeout_s=3.0))
    road.loses = True
    giving_up, asking = asyncio.create_task(_one(database)), asyncio.create_task(_one(database))
    await until(lambda: road.lost > 0)
    giving_up.cancel()
    with pytest.raises(DatabaseUnavailable):
        await within(asking, PATIENCE_S)
    road.loses = False
    assert await within(_one(database), PATIENCE_S) == 1
    await database.close(PATIENCE_S)
    await _collected()
    assert complaints == []


async def test_giving_up_at_any_moment_after_closing_leaves_no_connection(
    dsn: str, sql: psycopg.Connection, complaints: list[str]
) -> None:
    databases = []
    for turns in range(TURNS):
        database = await Database.open(dsn, PoolOptions(size=1, application="closed"))
        databases.append(database)  # a connection that nobody holds is closed by the collector
        asking = asyncio.create_task(_one(database))
        await _turns(turns)
        closing = asyncio.create_task(database.close(PATIENCE_S))
        await _turns(3)
        asking.cancel()
        await asyncio.wait({asking, closing})
    await until(lambda: _connected(sql, "closed") == 0)
    await _collected()
    assert complaints == []


async def _one(database: Database) -> int:
    async with database.tenant("a") as tx:
        found: int = await tx._connection.fetchval("select 1")
    return found


async def _cut(database: Database, seconds: float) -> str:
    reading = Reading(database, "a")

    async def work() -> str:
        async with reading.tx() as tx:
            await tx._connection.execute("select pg_sleep(0.01)")
        return "answered"

    try:
        return await within(work(), seconds, reading.cut)
    except Late:
        return "late"


def _connected(sql: psycopg.Connection, application: str) -> int:
    row = sql.execute("select count(*) from pg_stat_activity where application_name = %s", [application]).fetchone()
    assert row is not None
    return int(row[0])


async def _turns(number: int) -> None:
    """Let the loop turn so often."""
    loop = asyncio.get_running_loop()
    for _ in range(number):
        turned = loop.create_future()
        loop.call_soon(turned.set_result, None)
        await turned


async def _collected() -> None:
    """Let everything come to its end, and whatever nobody holds any more be told."""
    await _turns(20)
    gc.collect()
    await _turns(2)
