"""The diary: decisions in a chain, born passed and exempt."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import psycopg
import pytest

from tests.support import count, streams
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import UnknownStream
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.ids import ingest_time
from thoth_substrate.perceive.diary import record
from thoth_substrate.views.audit import verify

TENANT = "default"
QUEUES = ("pending", "unindexed", "unconsolidated", "unembedded", "salience", "passages")


async def test_a_decision_is_stored_as_a_slice_that_waits_for_nothing(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: the diary audited by the diary. No queue ever holds an entry, so no worker ever works because of one."""
    streams(sql)
    slice_id = await record(db, TENANT, "sentinel", {"did": 3})
    assert ingest_time(slice_id) == clock.now()
    row = sql.execute(
        "select actor, session_id, triage_state, consolidation_state, text, payload, event_time, ingest_time,"
        " octet_length(content_hash) from thoth.substrate_slices where slice_id = %s",
        (slice_id,),
    ).fetchone()
    payload = {"agent": "sentinel", "decision": {"did": 3}, "at": "2026-05-15T12:00:00.000Z"}
    assert row == ("sentinel", "diary", "passed", "exempt", "", payload, clock.now(), clock.now(), 32)
    assert {queue: count(sql, f"substrate_{queue}") for queue in QUEUES} == dict.fromkeys(QUEUES, 0)


async def test_decisions_of_many_hosts_at_once_form_one_chain_without_gaps(db: Database, sql: psycopg.Connection) -> None:
    streams(sql)
    await asyncio.gather(*(record(db, TENANT, f"worker{n % 3}", {"n": n}) for n in range(40)))
    rows = sql.execute("select (metadata ->> 'seq')::int from thoth.substrate_slices order by 1").fetchall()
    assert [row[0] for row in rows] == list(range(1, 41))
    verdict = await verify(db, TENANT)
    assert (verdict.well, verdict.entries, verdict.newest_seq) == (True, 40, 40)


async def test_large_decisions_under_the_servers_own_clock_form_a_whole_chain(dsn: str, sql: psycopg.Connection) -> None:
    """The clock moves on while an entry is written: what is digested must be what is stored."""
    streams(sql)
    unpinned = await Database.open(dsn)
    for _ in range(40):
        await record(unpinned, "default", "parser", {"gathered": "a long conversation " * 20_000})
    assert (await verify(unpinned, "default")).sentence == "The diary is whole: 40 entries, newest number 40."
    await unpinned.close()


async def test_each_tenant_has_a_chain_of_its_own(db: Database, sql: psycopg.Connection) -> None:
    streams(sql)
    for tenant in ("a", "b", "a"):
        await record(db, tenant, "curator", {})
    assert [(await verify(db, tenant)).newest_seq for tenant in ("a", "b", "c")] == [2, 1, 0]


async def test_whatever_a_decision_says_it_can_be_stored(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    """faults: a NUL in content or in a key; a lone surrogate."""
    streams(sql)
    odd = {"a\x00b": "\ud83d abc \x00", "ids": {1: clock.now()}, "set": ("x", b"y"), "path\\u0000": "\\u0000"}
    await record(db, TENANT, "sentinel", odd)
    row = sql.execute("select payload -> 'decision' from thoth.substrate_slices").fetchone()
    assert row is not None
    assert row[0]["a\ufffdb"] == "? abc \ufffd"
    assert row[0]["path\\u0000"] == "\\u0000"
    assert datetime.fromisoformat(row[0]["ids"]["1"]) == datetime(2026, 5, 15, 12, tzinfo=UTC)
    assert (await verify(db, TENANT)).well


async def test_a_month_that_is_not_there_yet_is_made(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    """faults: a month whose partition does not exist yet."""
    streams(sql)
    before = sql.execute("select to_regclass('thoth.substrate_slices_y2026m05')").fetchone()
    await asyncio.gather(*(record(db, TENANT, "sentinel", {}) for _ in range(4)))
    assert (before, count(sql, "substrate_slices_y2026m05")) == ((None,), 4)


async def test_before_the_streams_are_registered_it_says_so(db: Database) -> None:
    with pytest.raises(UnknownStream, match="not registered"):
        await record(db, TENANT, "sentinel", {})
