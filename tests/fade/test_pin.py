"""Pinning: never fades until it is unpinned."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import psycopg
import pytest

from tests.fade.support import TENANT, anchored, causes, consolidated, faded, level
from tests.support import Said, perceived
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput, UnknownSlice
from thoth_substrate.fade.forget import forget
from thoth_substrate.fade.pin import pin, unpin
from thoth_substrate.fade.release import release
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.streams import DIARY


async def test_a_pinned_slice_is_never_due_however_old(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    kept, going = perceived(sql, clock.now(), [Said("keep me"), Said("let me go")])
    consolidated(sql, [kept, going])
    assert await pin(db, TENANT, kept)
    clock.advance(timedelta(days=4000))
    report = await release(db, limit_rows=10)
    assert report.by_tenant[TENANT].first == report.by_tenant[TENANT].last == going


async def test_pinning_twice_moves_and_logs_once(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    [slice_id] = perceived(sql, clock.now(), [Said("hello")])
    assert await pin(db, TENANT, slice_id)
    clock.advance(timedelta(days=1))
    assert not await pin(db, TENANT, slice_id)
    assert causes(sql, slice_id) == ["pinned"]


async def test_an_unpinned_slice_fades_from_that_moment_and_not_from_its_birth(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    [slice_id] = perceived(sql, clock.now(), [Said("hello")])
    assert not await unpin(db, TENANT, slice_id)
    await pin(db, TENANT, slice_id)
    clock.advance(timedelta(days=1000))
    assert await unpin(db, TENANT, slice_id)
    assert level(sql, slice_id, clock.now()) == 1.0
    assert level(sql, slice_id, clock.now() + timedelta(days=14)) == pytest.approx(0.5)
    found = anchored(sql, slice_id)
    assert found is not None
    assert found.fades_at - clock.now() == pytest.approx(timedelta(days=60.506994), abs=timedelta(seconds=1))
    assert causes(sql, slice_id) == ["pinned", "unpinned"]


async def test_a_faded_slice_that_is_pinned_comes_back_to_full_salience(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    [slice_id] = perceived(sql, clock.now(), [Said("hello")])
    faded(sql, clock.now())
    assert level(sql, slice_id, clock.now()) < 0.05
    await pin(db, TENANT, slice_id)
    assert level(sql, slice_id, clock.now()) == 1.0


async def test_what_is_not_there_or_not_to_be_kept_cannot_be_pinned(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    forgotten, diary = perceived(sql, clock.now(), [Said("forget me"), Said("", stream=DIARY)])
    sql.execute("update thoth.substrate_slices set consolidation_state = 'exempt' where slice_id = %s", (diary,))
    await forget(db, TENANT, forgotten)
    with pytest.raises(UnknownSlice, match="no slice"):
        await pin(db, TENANT, uuid4())
    with pytest.raises(UnknownSlice, match="no slice"):
        await pin(db, "somebody-else", forgotten)
    with pytest.raises(BadInput, match="forgotten, and goes on"):
        await pin(db, TENANT, forgotten)
    with pytest.raises(BadInput, match="audit chain"):
        await pin(db, TENANT, diary)
    await release(db, limit_rows=10)
    with pytest.raises(BadInput, match="only its tombstone"):
        await pin(db, TENANT, forgotten)
