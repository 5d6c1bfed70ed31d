"""Force-reject: the queue is bounded, an outage is not punished."""

from __future__ import annotations

from datetime import timedelta

import psycopg
import pytest

from tests.support import Said, count, perceived
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.triage.expire import RejectReport, force_reject

DAY = timedelta(days=1)


def sentinel(sql: psycopg.Connection, clock: PinnedClock, alive_for: timedelta, silent_for: timedelta = timedelta()) -> None:
    """A Sentinel that came alive so long ago and was last heard of so long ago."""
    sql.execute(
        "insert into thoth.substrate_agents (agent, alive_since, heartbeat_at) values ('sentinel', %s, %s)"
        " on conflict (agent) do update set alive_since = excluded.alive_since, heartbeat_at = excluded.heartbeat_at",
        (clock.now() - alive_for, clock.now() - silent_for),
    )


async def test_what_a_live_sentinel_does_not_take_in_time_is_rejected_with_a_reason(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    [old] = perceived(sql, clock.now(), [Said("old")])
    clock.advance(timedelta(minutes=5, seconds=1))
    perceived(sql, clock.now(), [Said("new")])
    sentinel(sql, clock, alive_for=DAY)
    assert await force_reject(db) == RejectReport(1)
    rows = sql.execute("select triage_state, triage_reason from thoth.substrate_slices order by slice_id").fetchall()
    assert rows == [("rejected", "waited longer than 00:05:00 (profile default-text) for triage"), ("pending", None)]
    assert sql.execute("select text from thoth.substrate_slices where slice_id = %s", (old,)).fetchone() == ("old",)
    assert count(sql, "substrate_pending") == 1


async def test_each_profile_has_its_own_time(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    perceived(sql, clock.now(), [Said("words")])
    perceived(sql, clock.now(), [Said("21.5")], profile="default-signal")
    clock.advance(timedelta(seconds=31))
    sentinel(sql, clock, alive_for=DAY)
    assert await force_reject(db) == RejectReport(1)


async def test_what_was_perceived_while_the_worker_was_away_for_a_day_is_not_rejected_when_it_returns(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: the worker away for a day: what was perceived meanwhile must not be rejected when it returns."""
    sentinel(sql, clock, alive_for=DAY)
    perceived(sql, clock.now(), [Said("in the morning")])
    clock.advance(DAY)
    assert await force_reject(db) == RejectReport(0)  # its last heartbeat is a day old
    sentinel(sql, clock, alive_for=timedelta(seconds=1))
    assert await force_reject(db) == RejectReport(0)  # back for a second: the wait counts from here
    clock.advance(timedelta(minutes=5))
    sentinel(sql, clock, alive_for=timedelta(minutes=5, seconds=1))
    assert await force_reject(db) == RejectReport(1)  # it had its five minutes


@pytest.mark.parametrize("silent_s", [31, 3600])
async def test_nothing_is_rejected_while_the_heartbeat_is_stale(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, silent_s: int
) -> None:
    perceived(sql, clock.now(), [Said("old")])
    clock.advance(DAY)
    sentinel(sql, clock, alive_for=DAY, silent_for=timedelta(seconds=silent_s))
    assert await force_reject(db) == RejectReport(0)


async def test_without_any_sentinel_nothing_is_rejected(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    perceived(sql, clock.now(), [Said("old")])
    clock.advance(DAY)
    assert await force_reject(db) == RejectReport(0)


async def test_it_is_bounded_and_goes_on_the_next_time(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    perceived(sql, clock.now(), [Said(f"turn {n}") for n in range(5)])
    clock.advance(DAY)
    sentinel(sql, clock, alive_for=DAY)
    assert [(await force_reject(db, limit_rows=2)).rejected for _ in range(4)] == [2, 2, 1, 0]


async def test_the_place_of_a_slice_that_went_with_its_month_is_cleared(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    sql.execute(
        "insert into thoth.substrate_pending (tenant_id, slice_id, profile, queued_at)"
        " values ('default', '019e0000-0000-7000-8000-000000000000', 'default-text', %s)",
        (clock.now() - DAY,),
    )
    sentinel(sql, clock, alive_for=DAY)
    assert await force_reject(db) == RejectReport(0)
    assert count(sql, "substrate_pending") == 0
