"""A host that is stopped or killed in the middle of a tick: nothing half done stays, and another goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from tests.workers.support import agent, counting, supervisor, worker
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import PinnedClock

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def clock() -> PinnedClock:
    """The killed host runs by the machine's clock, so this one does too, until it is moved."""
    return PinnedClock(datetime.now(UTC))


@contextmanager
def in_a_tick(dsn: str, grace_s: float) -> Iterator[subprocess.Popen[str]]:
    """A host process that is in the middle of its tick."""
    command = [sys.executable, "-m", "tests.workers.host", dsn, str(grace_s)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "began\n"
        try:
            yield process
        finally:
            process.kill()


def halves(sql: psycopg.Connection) -> int:
    row = sql.execute("select count(*) from thoth.substrate_tenants where tenant_id = 'half'").fetchone()
    assert row is not None
    return int(row[0])


async def test_sigterm_in_the_middle_of_a_tick_ends_the_process_in_order(dsn: str, sql: psycopg.Connection) -> None:
    """faults: SIGTERM in the middle of a tick."""
    with in_a_tick(dsn, 0.05) as process:
        assert agent(sql)["lease_holder"].split(":")[1] == str(process.pid)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    assert (halves(sql), agent(sql)["lease_holder"]) == (0, None)


async def test_after_a_sigkill_another_host_takes_over_when_the_lease_has_ended(
    dsn: str, sql: psycopg.Connection, db: Database, clock: PinnedClock
) -> None:
    """faults: SIGKILL anywhere."""
    other = supervisor(db, worker(counting()))
    with in_a_tick(dsn, 5) as process:
        process.kill()
        process.wait(30)
    assert halves(sql) == 0
    clock.advance(agent(sql)["lease_until"] - clock.now() - timedelta(milliseconds=1))
    assert (await other.run_once("tester")).standing == f"held by {agent(sql)['lease_holder']}"
    clock.advance(timedelta(milliseconds=1))
    assert (await other.run_once("tester")).report is not None
    assert agent(sql)["lease_token"] == 2
