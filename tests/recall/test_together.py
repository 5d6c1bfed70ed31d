"""Steps of a recall that share a transaction: one is begun, one that failed is left, and none is kept."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime

import pytest

from thoth_substrate.db.pool import Database, PoolOptions
from thoth_substrate.db.queries import Query
from thoth_substrate.errors import StatementRefused
from thoth_substrate.recall.deadline import Late, Reading, within


@dataclass(frozen=True, slots=True)
class Begun:
    at: datetime
    backend: int


WHEN = Query("tests", "when", "select transaction_timestamp(), pg_backend_pid()", (), Begun)
BROKEN: Query[None] = Query("tests", "broken", "select 1 / 0", (), None)
SLOW: Query[None] = Query("tests", "slow", "select pg_sleep(60)", (), None)


@pytest.fixture
async def narrow(dsn: str) -> Database:
    """A pool of one connection: what is not given back is missed at once."""
    return await Database.open(dsn, PoolOptions(size=1))


async def when(reading: Reading) -> Begun:
    async with reading.tx() as tx:
        found = await tx.fetch_one(WHEN)
    assert found is not None
    return found


async def run(reading: Reading, query: Query[None]) -> None:
    async with reading.tx() as tx:
        await tx.execute(query)


async def test_steps_together_share_a_transaction_and_others_do_not(narrow: Database) -> None:
    reading = Reading(narrow, "default")
    assert await when(reading) != await when(reading)
    async with reading.together():
        first = await when(reading)
        assert await when(reading) == first
    assert (await when(reading)).at > first.at, "the connection was given back"
    async with reading.together():
        pass
    await narrow.close()


async def test_a_step_that_fails_ends_the_transaction_and_the_next_begins_another(narrow: Database) -> None:
    reading = Reading(narrow, "default")
    async with reading.together():
        first = await when(reading)
        with pytest.raises(StatementRefused):
            await run(reading, BROKEN)
        second = await when(reading)
        assert (second.at > first.at, second.backend) == (True, first.backend)
        assert await when(reading) == second
    await narrow.close()


async def test_a_step_that_is_late_is_cut_and_the_next_has_another_connection(narrow: Database) -> None:
    """faults: a frozen or stalled database."""
    reading = Reading(narrow, "default")
    async with reading.together():
        first = await when(reading)
        with pytest.raises(Late):
            await within(run(reading, SLOW), 0.05, reading.cut)
        assert (await when(reading)).backend != first.backend
    assert (await when(reading)).at > first.at
    await narrow.close()


async def test_a_recall_that_is_given_up_between_two_steps_gives_its_connection_back(narrow: Database) -> None:
    reading, begun = Reading(narrow, "default"), asyncio.Event()

    async def recalling() -> None:
        async with reading.together():
            await when(reading)
            begun.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(recalling())
    await begun.wait()
    task.cancel()
    await asyncio.wait({task})
    assert await when(Reading(narrow, "default"))
    await narrow.close()
