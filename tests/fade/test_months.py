"""Months: made ahead, emptied of what expired, dropped when nothing in them is alive."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg
import pytest

from tests.fade.support import TENANT, consolidated, faded
from tests.support import Said, count, perceived, streams
from thoth_substrate.db import months as table
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import StatementRefused
from thoth_substrate.fade.months import maintain
from thoth_substrate.fade.pin import pin
from thoth_substrate.fade.release import release
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.ids import SliceIds, ingest_time
from thoth_substrate.perceive.diary import record
from thoth_substrate.views.audit import verify

MAY = "substrate_slices_y2026m05"
IMPATIENT = timedelta(milliseconds=50)


@pytest.fixture
def reader(dsn: str) -> Iterator[psycopg.Connection]:
    """Somebody in the middle of a long transaction that has read the slices."""
    with psycopg.connect(dsn) as connection:
        connection.execute("select count(*) from thoth.substrate_slices")
        yield connection


def there(sql: psycopg.Connection, child: str = MAY) -> bool:
    row = sql.execute("select to_regclass('thoth.' || %s) is not null", (child,)).fetchone()
    assert row is not None
    return bool(row[0])


async def spent_may(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> list[UUID]:
    """Two slices of May, released, and the clock in October."""
    ids = perceived(sql, clock.now(), [Said("one"), Said("two", tenant="b")])
    consolidated(sql, ids)
    clock.advance(timedelta(days=150))
    assert (await release(db, limit_rows=10)).released == 2
    return ids


async def test_three_months_ahead_are_made_and_nothing_is_made_twice(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    sql.execute("drop table thoth.substrate_slices_y2026m11")  # whatever months the template made, these are not there
    clock.advance(timedelta(days=-3650))
    assert (await maintain(db, clock)).made == 12
    assert (await maintain(db, clock)).made == 0
    names = [month.child for month in await table.months(db) if month.first < datetime(2017, 1, 1).date()]
    assert names[-4:] == [f"substrate_slices_y2016m{n:02}" for n in (5, 6, 7, 8)]


async def test_a_month_in_which_everything_is_released_is_dropped(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    await spent_may(db, sql, clock)
    assert MAY in (await maintain(db, clock)).dropped
    assert not there(sql)


async def test_one_living_slice_of_any_tenant_keeps_the_month(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    one, two = perceived(sql, clock.now(), [Said("one"), Said("two", tenant="b")])
    consolidated(sql, [one, two])
    await pin(db, "b", two)
    clock.advance(timedelta(days=1000))
    assert (await release(db, limit_rows=10)).released == 1
    assert MAY not in (await maintain(db, clock)).dropped
    assert there(sql)


async def test_the_current_month_and_the_one_that_ended_today_stay(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """Hosts' clocks differ, and a journal may be late: a day's grace."""
    streams(sql)
    await maintain(db, clock)
    clock.advance(datetime(2026, 6, 1, 12, tzinfo=UTC) - clock.now())
    assert (await maintain(db, clock)).dropped == ()
    clock.advance(timedelta(days=1))
    assert (await maintain(db, clock)).dropped == (MAY,)


async def test_rejected_slices_expire_by_their_profile_and_their_content_goes_even_if_the_month_stays(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    said = [
        Said("spam", actor="Eve", state="rejected", metadata={"a": 1}),
        Said("alive"),
        Said("spam", tenant="b", state="rejected"),
    ]
    rejected, alive, _ = perceived(sql, clock.now(), said)
    clock.advance(timedelta(days=89))
    assert (await maintain(db, clock)).expired_slices == 0
    clock.advance(timedelta(days=1, minutes=1))  # ids run ahead of a clock that stands still, by a millisecond each 4096
    report = await maintain(db, clock)
    assert (report.expired_slices, MAY in report.dropped) == (2, False)
    row = sql.execute(
        "select text, payload, metadata, actor, triage_state, released_at from thoth.substrate_slices where slice_id = %s",
        (rejected,),
    ).fetchone()
    assert row == ("", None, {}, "", "rejected", clock.now())
    assert sql.execute("select slice_id from thoth.substrate_salience").fetchall() == [(alive,)]
    assert (await maintain(db, clock)).expired_slices == 0


async def test_a_dropped_month_leaves_its_anchor_and_the_chain_of_decisions_still_verifies(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    streams(sql)
    for n in range(3):
        await record(db, TENANT, "sentinel", {"n": n})
    await record(db, "b", "sentinel", {})
    clock.advance(timedelta(days=30))
    await record(db, TENANT, "curator", {"n": 3})
    clock.advance(timedelta(days=100))
    report = await maintain(db, clock)
    assert (report.expired_slices, MAY in report.dropped) == (5, True)
    assert "substrate_slices_y2026m06" in report.dropped
    await record(db, TENANT, "curator", {"n": 4})
    verdict = await verify(db, TENANT)
    assert (verdict.well, verdict.entries, verdict.months_dropped, verdict.newest_seq) == (True, 1, 2, 5)
    assert (await verify(db, "b")).well
    sql.execute("delete from thoth.substrate_audit_anchors where month = '2026-05-01'")
    assert ((await verify(db, TENANT)).fault, (await verify(db, TENANT)).at_seq) == ("missing", 1)


async def test_the_diary_expires_entry_by_entry_where_a_neighbour_keeps_the_month(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    perceived(sql, clock.now(), [Said("alive")])
    sql.execute("update thoth.substrate_streams set profile = 'diary' where stream = 'substrate.self_state'")
    for n in range(3):
        await record(db, TENANT, "sentinel", {"n": n})
    clock.advance(timedelta(days=91))
    assert (await maintain(db, clock)).expired_slices == 3
    verdict = await verify(db, TENANT)
    assert (verdict.well, verdict.entries, verdict.purged) == (True, 3, 3)


async def test_logs_expire_by_the_profile_log(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    [slice_id] = perceived(sql, clock.now(), [Said("hello")])
    await pin(db, TENANT, slice_id)
    assert count(sql, "substrate_salience_events_y2026m05") == 1
    clock.advance(datetime(2026, 11, 27, tzinfo=UTC) - clock.now())
    assert (await maintain(db, clock)).dropped == ()
    clock.advance(timedelta(days=2))
    assert (await maintain(db, clock)).dropped == ("substrate_recall_log_y2026m05", "substrate_salience_events_y2026m05")


async def test_a_reader_holds_a_month_up_and_nobody_else_until_it_is_done(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, reader: psycopg.Connection
) -> None:
    """faults: detach with a reader open. The detach waits its patience, is taken up again later, and stops no one."""
    [_, _] = await spent_may(db, sql, clock)
    reader.rollback()
    reader.execute("select count(*) from thoth.substrate_slices")
    report = await maintain(db, clock, patience=IMPATIENT)
    assert MAY not in report.dropped
    assert f"{MAY}: readers hold it" in report.waiting
    perceived(sql, clock.now(), [Said("meanwhile")])
    assert count(sql, "substrate_slices") == 1  # the two tombstones are out of sight already
    assert f"{MAY}: readers hold it" in (await maintain(db, clock, patience=IMPATIENT)).waiting
    reader.rollback()
    assert MAY in (await maintain(db, clock)).dropped
    assert not there(sql)


async def test_a_maintenance_killed_between_detaching_and_dropping_is_taken_up_where_it_stood(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: SIGKILL anywhere."""
    await spent_may(db, sql, clock)
    [may] = [month for month in await table.months(db) if month.child == MAY]
    assert await table.mark(db, may)
    await table.detach(db, may)
    assert there(sql)
    assert MAY in (await maintain(db, clock)).dropped


async def test_a_month_that_somebody_detached_by_hand_is_not_ours_to_drop(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    await spent_may(db, sql, clock)
    sql.execute(f"alter table thoth.substrate_slices detach partition thoth.{MAY}".encode())
    assert MAY not in (await maintain(db, clock)).dropped
    assert there(sql)


async def test_what_comes_in_while_a_month_is_being_detached_is_kept(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """A host that was away since May writes its journal's tail between the question and the detach."""
    born = clock.now()
    await spent_may(db, sql, clock)
    [may] = [month for month in await table.months(db) if month.child == MAY]
    assert await table.is_spent(db, may)
    assert await table.mark(db, may)
    late = perceived(sql, born, [Said("written on a train")])
    await table.detach(db, may)
    assert not await table.drop(db, may)
    assert sql.execute("select slice_id from thoth.substrate_slices where text <> ''").fetchall() == [(late[0],)]
    [may] = [month for month in await table.months(db) if month.child == MAY]
    assert (may.attached, may.marked) == (True, False)


async def test_a_month_that_is_needed_again_comes_back_with_what_it_holds(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: a month whose partition does not exist yet."""
    born = clock.now()
    await spent_may(db, sql, clock)
    [may] = [month for month in await table.months(db) if month.child == MAY]
    await table.mark(db, may)
    await table.detach(db, may)
    assert await table.ensure(db, born) == 3
    perceived(sql, born, [Said("late")])
    assert count(sql, MAY) == 3


async def test_two_maintainers_at_once_drop_a_month_once_and_neither_fails(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: two workers started by accident."""
    await spent_may(db, sql, clock)
    reports = await asyncio.gather(*(maintain(db, clock, patience=IMPATIENT) for _ in range(4)))
    again = await maintain(db, clock)
    assert sum(report.dropped.count(MAY) for report in (*reports, again)) == 1


async def test_a_default_partition_made_by_hand_is_named_and_no_month_is_detached_beside_it(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: a month whose partition does not exist yet, and rows already in DEFAULT."""
    await spent_may(db, sql, clock)
    sql.execute("create table thoth.by_hand partition of thoth.substrate_slices default")
    assert await table.default_partitions(db) == [table.DefaultPartition("substrate_slices", "by_hand", 0)]
    report = await maintain(db, clock)
    assert report.waiting == ("by_hand is a DEFAULT partition, made by hand: no month can be detached beside it",)
    assert report.dropped == ()
    far = datetime(2030, 1, 1, 12, tzinfo=UTC)
    slice_id = SliceIds().next(far)
    sql.execute(
        "insert into thoth.substrate_slices (tenant_id, slice_id, ingest_time, stream_id, session_id, actor, event_time,"
        " content_hash, text) values ('default', %s, %s, 1, 's', 'a', %s, '', 'stray')",
        (slice_id, ingest_time(slice_id), far),
    )
    with pytest.raises(StatementRefused, match="default partition"):
        await table.ensure(db, far)


async def test_no_month_is_detached_while_an_index_is_being_built(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, dsn: str
) -> None:
    """An index build that waits for a writer, as CREATE INDEX CONCURRENTLY does."""
    await spent_may(db, sql, clock)
    with psycopg.connect(dsn) as writer, psycopg.connect(dsn, autocommit=True) as builder:
        writer.execute("update thoth.substrate_terms_h00 set passages = passages")
        building = asyncio.create_task(
            asyncio.to_thread(builder.execute, "create index concurrently held_up on thoth.substrate_terms_h00 (passages)")
        )
        while not await table.index_build_runs(db):
            await asyncio.wait([building], timeout=0.01)
        report = await maintain(db, clock)
        writer.rollback()
        await building
    assert report.waiting == ("an index is being built: no month is detached until it is done",)
    assert MAY in (await maintain(db, clock)).dropped


async def test_a_month_name_that_is_none_never_reaches_a_statement(db: Database) -> None:
    strange = table.Month(
        "substrate_slices", 'x"; drop table thoth.substrate_slices; --', datetime(2026, 1, 1).date(), True, False, True
    )
    with pytest.raises(ValueError, match="not kept by month"):
        await table.detach(db, strange)
    with pytest.raises(StatementRefused, match="is not a month"):
        await table.mark(db, strange)


async def test_a_faded_year_of_months_is_gone_and_so_is_all_it_held(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    for _ in range(12):
        consolidated(sql, perceived(sql, clock.now(), [Said("hello")]))
        clock.advance(timedelta(days=30))
    faded(sql, clock.now())
    assert (await release(db, limit_rows=100)).released == 12
    await maintain(db, clock)
    assert count(sql, "substrate_slices") == count(sql, "substrate_salience") == 0
