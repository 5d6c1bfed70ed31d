"""The breaker's arithmetic, and its account in the database when failures come together."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import psycopg

from thoth_substrate.db.pool import Database
from thoth_substrate.ledger.breaker import Breaker, Policy, after_failure
from thoth_substrate.ledger.costs import endpoints
from thoth_substrate.ledger.ledger import PostgresLedger
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.ports import Admitted, Down
from thoth_substrate.settings import load

AT = datetime(2026, 5, 15, 12, tzinfo=UTC)
POLICY = Policy(3, timedelta(seconds=30), timedelta(minutes=2))
WHERE = "http://there/v1"


def test_it_opens_at_its_number_and_waits_twice_as_long_each_time() -> None:
    assert after_failure(Breaker("closed", 1, AT, AT), POLICY, None) == Breaker("closed", 2, AT, AT)
    assert after_failure(Breaker("closed", 2, AT, AT), POLICY, None) == Breaker("open", 3, AT + timedelta(seconds=30), AT)
    assert after_failure(Breaker("half_open", 3, AT, AT), POLICY, None).retry_at == AT + timedelta(seconds=60)
    assert after_failure(Breaker("half_open", 4000, AT, AT), POLICY, None).retry_at == AT + timedelta(minutes=10)


def test_an_endpoint_that_names_a_time_is_left_alone_until_then_but_not_for_ever() -> None:
    asked = after_failure(Breaker("closed", 0, AT, AT), POLICY, AT + timedelta(minutes=3))
    assert asked == Breaker("open", 1, AT + timedelta(minutes=3), AT)
    assert after_failure(Breaker("closed", 0, AT, AT), POLICY, AT + timedelta(days=3)).retry_at == AT + timedelta(hours=1)


def test_late_failures_change_nothing() -> None:
    opened = Breaker("open", 3, AT + timedelta(seconds=9), AT)
    assert after_failure(opened, POLICY, None) == opened


async def test_failures_that_come_together_are_counted_one_by_one(db: Database, clock: PinnedClock) -> None:
    ledger = PostgresLedger(db, load(THOTH_BREAKER_FAILURES=20), clock)
    await asyncio.gather(*(ledger.failed(WHERE, "HTTP 500") for _ in range(19)))
    assert await ledger.admit(WHERE) == Admitted(failures=19)
    assert await ledger.failed(WHERE, "HTTP 502") == clock.now() + timedelta(seconds=30)
    down = await ledger.admit(WHERE)
    assert isinstance(down, Down)
    assert "HTTP 502" in down.reason
    [line] = await endpoints(db)
    assert (line.endpoint, line.state, line.failures, line.opened, line.last_failure) == (WHERE, "open", 20, 1, "HTTP 502")
    assert (line.opened_at, line.retry_at, line.last_ok_at) == (clock.now(), clock.now() + timedelta(seconds=30), None)


async def test_of_many_who_would_probe_one_does(db: Database, clock: PinnedClock) -> None:
    ledger = PostgresLedger(db, load(THOTH_BREAKER_FAILURES=1), clock)
    await ledger.failed(WHERE, "HTTP 500")
    clock.advance(timedelta(minutes=1))
    admitted = await asyncio.gather(*(ledger.admit(WHERE) for _ in range(8)))
    assert [one for one in admitted if isinstance(one, Admitted)] == [Admitted(True, 1)]
    assert all(one.retry_at > clock.now() for one in admitted if isinstance(one, Down))
    await ledger.answered(WHERE)
    assert await ledger.admit(WHERE) == Admitted()


async def test_while_all_is_well_the_row_is_written_once_a_minute(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    ledger = PostgresLedger(db, load(), clock)

    def version() -> object:
        return sql.execute("select xmin::text from thoth.substrate_endpoints").fetchone()

    await ledger.answered(WHERE)
    first = version()
    for _ in range(5):
        clock.advance(timedelta(seconds=10))
        await ledger.answered(WHERE)
    assert version() == first
    clock.advance(timedelta(seconds=20))
    await ledger.answered(WHERE)
    assert version() != first


async def test_a_lesser_tier_is_forgotten_in_a_week(db: Database, clock: PinnedClock) -> None:
    ledger = PostgresLedger(db, load(), clock)
    assert await ledger.tier(WHERE, "m") is None
    await ledger.learn_tier(WHERE, "m", "json")
    await ledger.learn_tier(WHERE, "n", "schema")
    assert (await ledger.tier(WHERE, "m"), await ledger.tier(WHERE, "n")) == ("json", "schema")
    clock.advance(timedelta(days=8))
    assert (await ledger.tier(WHERE, "m"), await ledger.tier(WHERE, "n")) == (None, "schema")
