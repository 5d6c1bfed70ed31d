"""Workers made for tests, and hosts to run them on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Any

import psycopg

from thoth_substrate.db.pool import Database
from thoth_substrate.settings import Settings, load
from thoth_workers.supervisor import Supervisor
from thoth_workers.worker import Context, Report, Tick, Worker

TENANT = "default"
BRISK = timedelta(milliseconds=1)


def settings(**given: Any) -> Settings:
    """Settings of nobody's environment but these."""
    return load(THOTH_HOME="/nonexistent", **given)


def worker(
    tick: Tick,
    *,
    name: str = "tester",
    every: timedelta = BRISK,
    limit: timedelta = timedelta(seconds=20),
    singleton: bool = True,
) -> Worker:
    """A worker that is always enabled."""
    return Worker(name, every, limit, tick, lambda _: True, singleton)


def supervisor(db: Database, *workers: Worker, grace: timedelta = timedelta(seconds=10), **given: Any) -> Supervisor:
    """A host of its own with these workers; it calibrates nothing."""

    async def calibrate(_: Database) -> int:
        return 0

    return Supervisor(settings(**given), db, None, db.clock, workers=workers, grace=grace, calibrate=calibrate)


def counting(reached: Mapping[int, asyncio.Event] | None = None, report: Callable[[int], Report] | None = None) -> Tick:
    """A tick that counts, sets the event of its number, and reports what it is told to."""
    ticks = 0

    async def tick(_: Context) -> Report:
        nonlocal ticks
        ticks += 1
        if reached and ticks in reached:
            reached[ticks].set()
        return report(ticks) if report else Report()

    return tick


async def until(running: Awaitable[None], happened: asyncio.Event, stop: asyncio.Event) -> None:
    """Run a supervisor until something has happened, then stop it and wait for its end."""
    task = asyncio.ensure_future(running)
    waiting = asyncio.ensure_future(happened.wait())
    await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED, timeout=90)
    assert happened.is_set()
    stop.set()
    await task


def agent(sql: psycopg.Connection, name: str = "tester") -> dict[str, Any]:
    """The worker's row."""
    with sql.cursor(row_factory=psycopg.rows.dict_row) as cursor:
        row = cursor.execute(
            "select lease_holder, lease_token, greatest(lease_until, 'epoch') as lease_until, alive_since, heartbeat_at, ticks,"
            " last_report, last_failure, last_failure_at from thoth.substrate_agents where agent = %s",
            (name,),
        ).fetchone()
    assert row is not None
    return row


def decisions(sql: psycopg.Connection, tenant_id: str = TENANT) -> list[dict[str, Any]]:
    """The diary of a tenant, in order."""
    rows = sql.execute(
        "select payload from thoth.substrate_slices where session_id = 'diary' and tenant_id = %s"
        " order by (metadata ->> 'seq')::int",
        (tenant_id,),
    )
    return [row[0] for row in rows]
