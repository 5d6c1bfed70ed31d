"""Vectors at hand: kept in the process, never older than the database's, and the same as if it had compared them itself."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np
import psycopg
import pytest

from thoth_substrate.db.pool import Database
from thoth_substrate.model.embedding import code, unit
from thoth_substrate.recall.aftermath import Work
from thoth_substrate.recall.at_hand import FEW, RESTING_S, AtHand, Held
from thoth_substrate.recall.deadline import Reading
from thoth_substrate.recall.question import understand
from thoth_substrate.recall.search import Limits, Lookup, TenantState, Wording, by_meaning, centred, know

DIMENSIONS = 64
ROOM = 1 << 20


class Later:
    """Does what it is given when it is told to."""

    def __init__(self, *, full: bool = False) -> None:
        self.waiting: list[Work] = []
        self.full = full

    def take(self, work: Work) -> bool:
        """Whether there is room for it."""
        if not self.full:
            self.waiting.append(work)
        return not self.full

    async def now(self) -> int:
        given = list(self.waiting)
        self.waiting.clear()
        for work in given:
            await work()
        return len(given)


@pytest.fixture
def filled(sql: psycopg.Connection) -> psycopg.Connection:
    sql.execute("insert into thoth.substrate_embedding_models values ('m', %s, %s, true)", (DIMENSIONS, [0.0] * DIMENSIONS))
    return sql


def put(sql: psycopg.Connection, tenant: str, passages: range, kinds: tuple[str, ...] = ("turn", "window")) -> None:
    """Vectors of passages, and the row that every change of them touches."""
    rng = np.random.default_rng(passages.start + len(kinds))
    with sql.cursor().copy("copy thoth.substrate_passage_vectors from stdin") as copy:
        for number in passages:
            for kind in kinds:
                vector = unit(rng.normal(size=DIMENSIONS).astype(np.float32))
                bits = code(vector, np.zeros(DIMENSIONS, np.float32))
                copy.write_row((tenant, number, kind, "m", "[" + ",".join(map(str, vector)) + "]", bits))
    changed(sql, tenant)


def changed(sql: psycopg.Connection, tenant: str) -> None:
    sql.execute(
        "insert into thoth.substrate_vector_stats select tenant_id, model, count(*), count(*) filter (where kind = 'turn'),"
        " array_fill(0::real, array[%s]) from thoth.substrate_passage_vectors where tenant_id = %s group by 1, 2"
        " on conflict (tenant_id, model) do update set vectors = excluded.vectors, turns = excluded.turns",
        (DIMENSIONS, tenant),
    )


async def state_of(db: Database, tenant: str) -> TenantState:
    return (await know(Reading(db, tenant), "mill", db.clock.now(), Limits())).state


async def held_now(at_hand: AtHand, db: Database, tenant: str = "t") -> Held | None:
    return await at_hand.of(Reading(db, tenant), await state_of(db, tenant))


async def as_the_database(db: Database, held: Held, tenant: str = "t") -> None:
    """What is at hand leads to the same passages, as like the question as the database says, and the same background."""
    question = unit(np.random.default_rng(1).normal(size=DIMENSIONS).astype(np.float32))
    words, lookup_state = Wording([], [], [], 0, 0), await state_of(db, tenant)
    lookup = Lookup(lookup_state, understand("x", db.clock.now()), words, Limits(candidates=20), question)
    theirs = await by_meaning(Reading(db, tenant), lookup, [])
    ours = await by_meaning(Reading(db, tenant), lookup, [], held.compare(centred(question, lookup_state)))
    assert [one.passage_id for one in ours.near] == [one.passage_id for one in theirs.near]
    for mine, its in zip(ours.near, theirs.near, strict=True):
        assert (mine.similarity, mine.mean, mine.deviation) == pytest.approx((its.similarity, its.mean, its.deviation), abs=1e-4)


async def test_they_are_at_hand_once_somebody_asked_and_say_what_the_database_says(
    db: Database, filled: psycopg.Connection
) -> None:
    put(filled, "t", range(1, 40))
    later = Later()
    at_hand = AtHand(ROOM, later.take)
    assert await held_now(at_hand, db) is None, "nobody waits for them"
    assert await later.now() == 1
    held = await held_now(at_hand, db)
    assert held is not None
    await as_the_database(db, held)


async def test_what_came_and_what_went_is_seen_by_the_next_recall(db: Database, filled: psycopg.Connection) -> None:
    """faults: a vector that is deleted while another process keeps it; one that comes out of order."""
    put(filled, "t", range(10, 40))
    at_hand = AtHand(ROOM, (later := Later()).take)
    await held_now(at_hand, db)
    await later.now()
    put(filled, "t", range(1, 5))
    put(filled, "t", range(40, 44), ("turn",))
    filled.execute("delete from thoth.substrate_passage_vectors where tenant_id = 't' and passage_id between 15 and 22")
    changed(filled, "t")
    held = await held_now(at_hand, db)
    assert held is not None
    assert held.version == (await state_of(db, "t")).vectors_version
    assert len(held.keys) == (30 - 8) * 2 + 4 * 2 + 4
    await as_the_database(db, held)
    filled.execute("insert into thoth.substrate_passage_vectors select tenant_id, passage_id, 'window', model, embedding, code"
                   " from thoth.substrate_passage_vectors where tenant_id = 't' and passage_id = 40")  # fmt: skip
    changed(filled, "t")
    held = await held_now(at_hand, db)
    assert held is not None
    assert sorted(held.keys)[-5:] == [80, 81, 82, 84, 86]
    filled.execute("delete from thoth.substrate_passage_vectors where tenant_id = 't'")
    filled.execute("update thoth.substrate_vector_stats set vectors = 1 where tenant_id = 't'")
    held = await held_now(at_hand, db)
    assert held is not None
    assert held.compare(np.zeros(DIMENSIONS, np.float32)).nearest(5) == []


async def test_many_new_ones_are_fetched_after_the_answer(db: Database, filled: psycopg.Connection) -> None:
    put(filled, "t", range(1, 10))
    at_hand = AtHand(ROOM, (later := Later()).take)
    await held_now(at_hand, db)
    await later.now()
    put(filled, "t", range(10, 11 + FEW), ("turn",))
    assert await held_now(at_hand, db) is None
    assert await later.now() == 1
    held = await held_now(at_hand, db)
    assert held is not None
    await as_the_database(db, held)


async def test_each_tenant_has_its_own(db: Database, filled: psycopg.Connection) -> None:
    put(filled, "t", range(1, 10))
    put(filled, "u", range(100, 103))
    at_hand = AtHand(ROOM, (later := Later()).take)
    for tenant in ("t", "u"):
        await held_now(at_hand, db, tenant)
    await later.now()
    for tenant, passages in (("t", range(1, 10)), ("u", range(100, 103))):
        held = await held_now(at_hand, db, tenant)
        assert held is not None
        assert set(held.keys >> 1) == set(passages)


async def test_room_is_made_of_what_rests_and_never_of_what_is_asked(db: Database, filled: psycopg.Connection) -> None:
    """faults: many tenants in turn, each of whom would push out the one before."""
    put(filled, "t", range(1, 11))
    put(filled, "u", range(100, 110))
    one = int(20 * DIMENSIONS * 4 * 1.25)
    at_hand = AtHand(int(one * 1.5), (later := Later()).take)
    for tenant in ("t", "u"):
        await held_now(at_hand, db, tenant)
        await later.now()
    first = await held_now(at_hand, db)
    assert first is not None, "it was asked just now"
    assert await held_now(at_hand, db, "u") is None
    assert later.waiting == [], "nothing is fetched that there is no room for"
    first.asked_at = asyncio.get_running_loop().time() - RESTING_S
    assert await held_now(at_hand, db, "u") is None
    assert await later.now() == 1
    assert await held_now(at_hand, db, "u") is not None
    assert await held_now(at_hand, db) is None


async def test_who_has_more_than_the_bound_is_never_held(db: Database, filled: psycopg.Connection) -> None:
    put(filled, "t", range(1, 10))
    at_hand = AtHand(1000, (later := Later()).take)
    assert await held_now(at_hand, db) is None
    assert later.waiting == []
    nothing = replace(await state_of(db, "t"), vectors=0)
    assert await AtHand(ROOM, later.take).of(Reading(db, "t"), nothing) is None
    assert later.waiting == []


async def test_a_tenant_that_grows_out_of_the_bound_is_let_go(db: Database, filled: psycopg.Connection) -> None:
    """faults: a bound that is asked for at the beginning only."""
    put(filled, "t", range(1, 11))
    at_hand = AtHand(int(30 * DIMENSIONS * 4 * 1.25), (later := Later()).take)
    await held_now(at_hand, db)
    await later.now()
    assert await held_now(at_hand, db) is not None
    put(filled, "t", range(20, 40))
    assert await held_now(at_hand, db) is None
    assert later.waiting == []


async def test_what_found_no_room_in_the_queue_is_asked_for_again(db: Database, filled: psycopg.Connection) -> None:
    put(filled, "t", range(1, 10))
    later = Later(full=True)
    at_hand = AtHand(ROOM, later.take)
    assert await held_now(at_hand, db) is None
    later.full = False
    assert await held_now(at_hand, db) is None
    assert await later.now() == 1
    assert await held_now(at_hand, db) is not None


async def test_nobody_waits_for_what_is_being_fetched(db: Database, filled: psycopg.Connection) -> None:
    """faults: a recall that holds a connection and waits for whoever needs one."""
    put(filled, "t", range(1, 10))
    at_hand = AtHand(ROOM, (later := Later()).take)
    await held_now(at_hand, db)
    await later.now()
    held = await held_now(at_hand, db)
    assert held is not None
    put(filled, "t", range(10, 11 + FEW), ("turn",))
    assert await held_now(at_hand, db) is None
    async with held.changing:  # as if it were fetched just now
        assert await asyncio.wait_for(held_now(at_hand, db), 30) is None
    assert await later.now() == 1
