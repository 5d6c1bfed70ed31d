"""What a slice weighs sets how fast it fades, from the moment that it is known."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import psycopg
import pytest

from tests.fade.support import anchored, causes, level
from tests.plans import plan, scanned
from tests.support import Said, perceived
from thoth_substrate.db.again import again
from thoth_substrate.db.pool import Database
from thoth_substrate.fade import importance
from thoth_substrate.fade.forget import forget
from thoth_substrate.fade.importance import learn
from thoth_substrate.fade.pin import pin
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.salience import Anchor, fades_at, half_life

TENANT = "default"
BASE = timedelta(days=14)


async def _learn(db: Database, importances: dict[UUID, float]) -> int:
    async def once() -> int:
        async with db.tenant(TENANT) as tx:
            return await learn(tx, TENANT, importances)

    return await again(db, once)


@pytest.mark.parametrize(("weight", "factor"), [(0.0, 0.25), (0.25, 0.5), (0.75, 2.0), (1.0, 4.0)])
async def test_the_half_life_follows_the_importance_and_the_level_stays(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, weight: float, factor: float
) -> None:
    (one,) = perceived(sql, clock.now(), [Said("the mill stands still")])
    clock.advance(timedelta(days=7))
    before = level(sql, one, clock.now())
    assert await _learn(db, {one: weight}) == 1
    now = anchored(sql, one)
    assert now is not None
    assert level(sql, one, clock.now()) == pytest.approx(before, abs=1e-6)
    assert half_life(BASE, weight) == BASE * factor
    expected = fades_at(Anchor(before, clock.now(), half_life(BASE, weight)), 0.05)
    assert abs((now.fades_at - expected).total_seconds()) < 60
    assert level(sql, one, clock.now() + BASE * factor) == pytest.approx(before / 2, abs=1e-6)
    assert causes(sql, one) == ["importance"]


async def test_learned_twice_nothing_moves(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    (one,) = perceived(sql, clock.now(), [Said("a")])
    assert await _learn(db, {one: 0.9}) == 1
    first = anchored(sql, one)
    clock.advance(timedelta(days=3))
    assert await _learn(db, {one: 0.9}) == 0
    assert anchored(sql, one) == first
    assert causes(sql, one) == ["importance"]


async def test_ordinary_importance_moves_nothing(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    (one,) = perceived(sql, clock.now(), [Said("a")])
    assert await _learn(db, {one: 0.5}) == 0
    assert causes(sql, one) == []


async def test_a_forgotten_slice_stays_at_zero_and_a_pinned_one_pinned(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    gone, pinned = perceived(sql, clock.now(), [Said("a"), Said("b")])
    await forget(db, TENANT, gone)
    await pin(db, TENANT, pinned)
    assert await _learn(db, {gone: 1.0, pinned: 1.0}) == 1
    assert level(sql, gone, clock.now()) == 0
    held = anchored(sql, pinned)
    assert held is not None
    assert held.pinned
    assert held.fades_at.year == 9999


async def test_what_is_out_of_bounds_is_clamped_and_what_is_unknown_passed_over(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    (one,) = perceived(sql, clock.now(), [Said("a")])
    assert await _learn(db, {one: 7.0, UUID(int=7): 0.9}) == 1
    assert sql.execute("select importance from thoth.substrate_salience where slice_id = %s", (one,)).fetchone() == (1.0,)
    assert await _learn(db, {}) == 0


@pytest.mark.parametrize("mode", ["force_generic_plan", "force_custom_plan"])
def test_anchors_are_moved_by_key(sql: psycopg.Connection, clock: PinnedClock, mode: str) -> None:
    ids = perceived(sql, clock.now(), [Said(f"turn {n}") for n in range(3000)])
    sql.execute("analyze")
    some = "array[" + ", ".join(f"'{one}'" for one in ids[:16]) + "]::uuid[]"
    for query, more in ((importance._HELD, ()), (importance._LEARNED, ("array_fill(0.9::real, array[16])",))):
        found = plan(sql, query, "'default'", some, *more, mode=mode)
        assert scanned(found, ("substrate_salience_h",)) == [], query.name
