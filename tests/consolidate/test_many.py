"""Many facts: layer 2 is the same however often and in whatever batches it is computed, and patterns do not multiply.

At a tenth of its size here. `python -m tests.consolidate.test_many 10000` does it at full size on THOTH_TEST_DSN, with times.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import psycopg

from tests.consolidate.facts import NOW
from tests.consolidate.town import settle
from tests.servers import at
from thoth_substrate.consolidate.associate import associate
from thoth_substrate.consolidate.calibrate import calibrate
from thoth_substrate.consolidate.coherence import tallies
from thoth_substrate.consolidate.communities import cluster
from thoth_substrate.db.migrate import migrate
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import PinnedClock

SLICES, TIMES = 1000, 5


async def test_the_same_after_one_run_or_many(db: Database, sql: psycopg.Connection) -> None:
    await comes_to_the_same(db, sql, SLICES, TIMES, lambda *_: None)


async def comes_to_the_same(
    db: Database, sql: psycopg.Connection, slices: int, times: int, tell: Callable[[str, float], None]
) -> None:
    """In batches, in one run, and `times` over all again: the same weights and communities."""
    facts = settle(sql, slices)
    sql.execute("analyze")
    tell("in batches of 200", await _timed(_drain(db, 200)))
    tell("communities", await _timed(_cluster(db)))
    in_batches, communities = _held(sql), _communities(sql)
    sql.execute("delete from thoth.substrate_associations")
    sql.execute("delete from thoth.substrate_communities")
    sql.execute("delete from thoth.substrate_cursors")
    facts.queue_all()
    tell("in one run", await _timed(_drain(db, 10**6)))
    await _cluster(db)
    assert _held(sql) == in_batches
    assert _communities(sql) == communities
    for _ in range(times):
        facts.queue_all()
        tell("over all again", await _timed(_drain(db, 200)))
    assert _held(sql) == in_batches
    facts.queue(1, facts.sql.execute("select max(entity_id) from thoth.substrate_entities").fetchone()[0])  # type: ignore[index]
    tell("one whom everybody knows, and one other", await _timed(_drain(db, 200)))
    for what, deed in (("outcomes and calibration", calibrate), ("the same again", calibrate), ("coherence", _tallies)):
        tell(what, await _timed(_within(db, deed)))
    assert len(communities) > 0


async def _drain(db: Database, batch: int) -> None:
    more = True
    while more:
        async with db.tenant("default") as tx:
            more = await associate(tx, "default", batch) is not None


async def _cluster(db: Database) -> None:
    async with db.tenant("default") as tx:
        await cluster(tx, "default")


async def _tallies(tx: Any, tenant_id: str) -> None:
    await tallies(tx, tenant_id, 0)


async def _within(db: Database, deed: Any) -> None:
    async with db.tenant("default") as tx:
        await deed(tx, "default")


async def _timed(deed: Any) -> float:
    began = time.monotonic()
    await deed
    return time.monotonic() - began


def _held(sql: psycopg.Connection) -> list[Any]:
    return sql.execute(
        "select left_id, right_id, weight, together, linked, shared from thoth.substrate_associations order by 1, 2"
    ).fetchall()


def _communities(sql: psycopg.Connection) -> list[Any]:
    return sql.execute("select entity_id, community_id from thoth.substrate_communities order by 1").fetchall()


async def _at_full_size(slices: int) -> None:
    server = os.environ["THOTH_TEST_DSN"]
    name = f"thoth_many_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as owner:
        owner.execute(f'create database "{name}"'.encode())
        try:
            migrate(at(server, name))
            db = await Database.open(at(server, name), clock=PinnedClock(NOW))
            with psycopg.connect(at(server, name), autocommit=True) as sql:
                await comes_to_the_same(db, sql, slices, 1, lambda what, s: print(f"{what}: {s:.2f} s"))
                print(f"{len(_held(sql))} associations, {len({c for _, c in _communities(sql)})} communities")
            await db.close()
        finally:
            owner.execute(f'drop database "{name}" with (force)'.encode())


if __name__ == "__main__":
    asyncio.run(_at_full_size(int(sys.argv[1])))
