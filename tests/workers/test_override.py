"""The operator's word: it wins at once, ends by itself, and can be taken back."""

from __future__ import annotations

from datetime import timedelta

import psycopg
import pytest

from tests.workers.support import counting, supervisor, worker
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.intensity import Intensity
from thoth_workers.override import Freed, hold, release

NAMES = ("tester",)


async def test_a_word_for_an_hour_holds_an_hour(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    host = supervisor(db, worker(counting()))
    held = await hold(db, NAMES, "tester", Intensity.OFF, timedelta(hours=1))
    assert (held.level, held.until) == ("OFF", clock.now() + timedelta(hours=1))
    clock.advance(timedelta(minutes=59))
    assert (await host.run_once("tester")).standing == "its level is OFF"
    clock.advance(timedelta(minutes=2))
    assert (await host.run_once("tester")).report is not None


async def test_a_word_without_an_end_holds_until_it_is_taken_back(db: Database, sql: psycopg.Connection) -> None:
    host = supervisor(db, worker(counting()))
    await hold(db, NAMES, "tester", Intensity.OFF, None)
    assert (await host.run_once("tester")).standing == "its level is OFF"
    assert await release(db, NAMES, "tester") == Freed("tester", "FULL")
    assert (await host.run_once("tester")).report is not None
    assert await release(db, NAMES, "tester") == Freed("tester", "FULL")  # twice is once


async def test_an_unknown_worker_and_a_span_of_nothing_are_refused(db: Database, sql: psycopg.Connection) -> None:
    sql.execute("insert into thoth.substrate_agents (agent) values ('of-another-host')")
    await hold(db, NAMES, "of-another-host", Intensity.LOW, None)
    with pytest.raises(BadInput, match="there are of-another-host, tester"):
        await hold(db, NAMES, "parsre", Intensity.LOW, None)
    with pytest.raises(BadInput, match="no worker"):
        await release(db, NAMES, "parsre")
    with pytest.raises(BadInput, match="--for"):
        await hold(db, NAMES, "tester", Intensity.LOW, timedelta(0))
