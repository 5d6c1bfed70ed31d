"""Reinforcement, and what bounds it."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import psycopg
import pytest

from tests.fade.support import TENANT, anchored, causes, level
from tests.support import Said, perceived
from thoth_substrate.db.pool import Database
from thoth_substrate.fade.forget import forget
from thoth_substrate.fade.pin import pin
from thoth_substrate.fade.reinforce import reinforce
from thoth_substrate.model.clock import PinnedClock


async def test_being_used_adds_the_profiles_full_bump_and_being_surfaced_a_fifth(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    used, surfaced = perceived(sql, clock.now(), [Said("one"), Said("two")])
    clock.advance(timedelta(days=28))
    assert await reinforce(db, TENANT, [used], "used") == 1
    assert await reinforce(db, TENANT, [surfaced], "surfaced") == 1
    assert level(sql, used, clock.now()) == pytest.approx(0.35)
    assert level(sql, surfaced, clock.now()) == pytest.approx(0.27)
    found = anchored(sql, used)
    assert found is not None
    assert found.fades_at - clock.now() == pytest.approx(timedelta(days=39.302), abs=timedelta(minutes=5))
    assert causes(sql, used) == ["used"]


async def test_recall_cannot_keep_a_memory_alive_by_showing_it_again_and_again(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: recall that reinforces what it shows, so that it shows it again."""
    [slice_id] = perceived(sql, clock.now(), [Said("hello")])
    clock.advance(timedelta(days=28))
    moved = 0
    for _ in range(60):
        moved += await reinforce(db, TENANT, [slice_id], "surfaced")
        clock.advance(timedelta(minutes=1))
    assert moved == 1
    assert level(sql, slice_id, clock.now()) < 0.28
    assert await reinforce(db, TENANT, [slice_id], "surfaced") == 1


async def test_what_was_just_surfaced_may_be_used_but_not_twice_in_a_minute(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    [slice_id] = perceived(sql, clock.now(), [Said("hello")])
    clock.advance(timedelta(days=28))
    assert await reinforce(db, TENANT, [slice_id], "surfaced") == 1
    clock.advance(timedelta(seconds=10))
    assert await reinforce(db, TENANT, [slice_id], "used") == 1
    clock.advance(timedelta(seconds=59))
    assert await reinforce(db, TENANT, [slice_id], "used") == 0
    assert await reinforce(db, TENANT, [slice_id], "surfaced") == 0
    clock.advance(timedelta(seconds=1))
    assert await reinforce(db, TENANT, [slice_id], "used") == 1
    assert causes(sql, slice_id) == ["surfaced", "used", "used"]


async def test_salience_is_never_more_than_one_and_pinned_or_forgotten_slices_do_not_move(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    fresh, pinned, forgotten = perceived(sql, clock.now(), [Said("a"), Said("b"), Said("c")])
    await pin(db, TENANT, pinned)
    await forget(db, TENANT, forgotten)
    assert await reinforce(db, TENANT, [fresh, pinned, forgotten], "used") == 1
    found = anchored(sql, fresh)
    assert found is not None
    assert found.anchor == 1.0
    assert await reinforce(db, TENANT, [], "used") == 0


async def test_two_turns_that_use_the_same_memories_in_opposite_orders_do_not_deadlock_and_count_once(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: concurrent writers touching overlapping sets in opposite orders (deadlock)."""
    ids = perceived(sql, clock.now(), [Said(f"turn {n}") for n in range(200)])
    clock.advance(timedelta(days=1))
    await pin(db, TENANT, ids[0])  # makes this month's events, so that the turns below meet only each other
    turns = [ids if n % 2 else ids[::-1] for n in range(8)]
    moved = await asyncio.gather(*(reinforce(db, TENANT, turn, "used") for turn in turns))
    assert sum(moved) == len(ids) - 1
    deadlocks = sql.execute("select deadlocks from pg_stat_database where datname = current_database()").fetchone()
    assert deadlocks == (0,)


async def test_another_tenants_slices_are_not_reinforced(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    [slice_id] = perceived(sql, clock.now(), [Said("hello")])
    assert await reinforce(db, "somebody-else", [slice_id], "used") == 0
