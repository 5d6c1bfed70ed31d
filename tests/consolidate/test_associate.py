"""Layer 2 is a function of the facts, however and how often it was computed."""

from __future__ import annotations

import random
from typing import Any

import psycopg
import pytest

from tests.consolidate.facts import NOW, Facts
from thoth_substrate.consolidate.associate import HUB, Associated, associate, due, unassociated, weight
from thoth_substrate.consolidate.communities import Edge, cluster, communities
from thoth_substrate.db.pool import Database

Rows = list[tuple[Any, ...]]


@pytest.fixture
def facts(sql: psycopg.Connection) -> Facts:
    return Facts(sql)


async def _run(db: Database, batch: int = 1000, tenant: str = "default") -> list[Associated]:
    """Runs until the queue is empty."""
    ran: list[Associated] = []
    while len(ran) < 10_000:
        async with db.tenant(tenant) as tx:
            done = await associate(tx, tenant, batch)
        if done is None:
            return ran
        ran.append(done)
    pytest.fail("the queue does not empty")


def _held(sql: psycopg.Connection, tenant: str = "default") -> Rows:
    return sql.execute(
        "select left_id, right_id, weight, together, linked, shared from thoth.substrate_associations"
        " where tenant_id = %s order by 1, 2",
        (tenant,),
    ).fetchall()


async def _anew(db: Database, sql: psycopg.Connection, facts: Facts) -> Rows:
    """What one run over everything gives, with nothing known before."""
    sql.execute("delete from thoth.substrate_associations")
    sql.execute("delete from thoth.substrate_cursors")
    facts.queue_all()
    assert len(await _run(db, 1_000_000)) == 1
    return _held(sql)


def _between(sql: psycopg.Connection, facts: Facts, one: str, other: str) -> tuple[int, int, int] | None:
    ends = sorted((facts.names[one], facts.names[other]))
    return sql.execute(
        "select together, linked, shared from thoth.substrate_associations where left_id = %s and right_id = %s", ends
    ).fetchone()


def test_a_weight_rises_with_each_count_and_stays_below_one() -> None:
    assert weight(0, 0, 0) == 0.0
    assert weight(1, 1, 0) == pytest.approx(0.6)
    assert weight(0, 0, 1) == pytest.approx(0.2)
    assert weight(1, 0, 0) < weight(2, 0, 0) < weight(2, 1, 0) < weight(2, 1, 1) < weight(10**9, 10**9, 10**9) <= 1.0


async def test_what_a_fact_leads_to(db: Database, sql: psycopg.Connection, facts: Facts) -> None:
    facts.fact("Maya", "works_at", "Acme", sessions=("s1", "s2"))
    facts.fact("Ben", "works_at", "Acme")
    facts.fact("Ben", "likes", "rye bread", value=True)
    assert await unassociated(db) == ["default"]
    assert len(await _run(db)) == 1
    assert _between(sql, facts, "Maya", "Acme") == (2, 1, 0)
    assert _between(sql, facts, "Ben", "Acme") == (1, 1, 0)
    assert _between(sql, facts, "Maya", "Ben") == (0, 0, 1)


async def test_entities_of_one_slice_are_together_once(db: Database, sql: psycopg.Connection, facts: Facts) -> None:
    where = facts.cite(facts.entity("Maya"))
    facts.cite(facts.entity("Porto"), where)
    facts.cite(facts.fact("Maya", "visited", "Porto", cited=False), where, start=3)
    await _run(db)
    assert _between(sql, facts, "Maya", "Porto") == (1, 1, 0)


async def test_running_again_changes_nothing(db: Database, sql: psycopg.Connection, facts: Facts) -> None:
    """faults: one fact stated 49 times."""
    told = facts.fact("Maya", "lives_in", "Porto", sessions=[f"s{n}" for n in range(49)])
    await _run(db)
    once = sql.execute("table thoth.substrate_associations").fetchall()
    for _ in range(100):
        facts.queue_all()
        assert [(ran.written, ran.removed, ran.queued) for ran in await _run(db)] == [(0, 0, 0)]
    assert sql.execute("table thoth.substrate_associations").fetchall() == once
    facts.retract(told)
    await _run(db)
    assert _held(sql) == []


async def test_a_negated_fact_links_nobody(db: Database, sql: psycopg.Connection, facts: Facts) -> None:
    facts.fact("Maya", "lives_in", "Porto", negated=True)
    await _run(db)
    assert _between(sql, facts, "Maya", "Porto") == (1, 0, 0)


async def test_a_hub_in_common_says_nothing(db: Database, sql: psycopg.Connection, facts: Facts) -> None:
    for number in range(HUB):
        facts.fact(f"guest {number}", "stays_at", "the hostel", cited=False)
    await _run(db, 5)
    assert _between(sql, facts, "guest 0", "guest 1") == (0, 0, 1)
    last = facts.fact("one more", "stays_at", "the hostel", cited=False)
    await _run(db, 1)
    assert _between(sql, facts, "guest 0", "guest 1") is None
    facts.retract(last)
    await _run(db, 1)
    assert _between(sql, facts, "guest 0", "guest 1") == (0, 0, 1)


async def test_merged_entities_count_as_one_and_apart_again_when_it_is_undone(
    db: Database, sql: psycopg.Connection, facts: Facts
) -> None:
    facts.fact("Maya", "works_at", "Acme")
    facts.fact("Maia", "lives_in", "Porto")
    facts.fact("Ben", "works_at", "Acme")
    await _run(db)
    apart = _held(sql)
    facts.merge("Maya", "Maia")
    await _run(db, 1)
    assert _between(sql, facts, "Maya", "Porto") == (1, 1, 0)
    assert _between(sql, facts, "Acme", "Porto") == (0, 0, 1)
    assert _between(sql, facts, "Maia", "Porto") is None
    facts.unmerge("Maya", "Maia")
    await _run(db, 1)
    assert _held(sql) == apart


@pytest.mark.parametrize("seed", range(6))
async def test_any_history_in_any_batches_comes_to_the_same(
    seed: int, db: Database, sql: psycopg.Connection, facts: Facts
) -> None:
    rng = random.Random(seed)
    people = [f"p{n}" for n in range(24)]
    living: list[int] = []
    merged: set[tuple[str, str]] = set()
    for name in people:
        facts.entity(name)
    for _ in range(90):
        deed = rng.random()
        if deed < 0.7 or not living:
            hub = people[0] if rng.random() < 0.4 else rng.choice(people)
            other = rng.choice([name for name in people if name != hub])
            living.append(facts.fact(hub, "knows", other, cited=rng.random() < 0.5, negated=rng.random() < 0.1))
        elif deed < 0.85:
            facts.retract(living.pop(rng.randrange(len(living))))
        elif deed < 0.95 or not merged:
            free = [name for name in people if not any(name in pair for pair in merged)]
            if len(free) > 2:
                pair = (rng.choice(free[:2]), rng.choice(free[2:]))
                merged.add(pair)
                facts.merge(*pair)
        else:
            facts.unmerge(*merged.pop())
        if rng.random() < 0.5:
            async with db.tenant("default") as tx:
                await associate(tx, "default", rng.randint(1, 5))
    await _run(db, rng.randint(1, 7))
    step_by_step = _held(sql)
    assert step_by_step
    assert step_by_step == await _anew(db, sql, facts)


async def test_a_run_that_is_killed_leaves_the_queue_as_it_was(db: Database, sql: psycopg.Connection, facts: Facts) -> None:
    facts.fact("Maya", "works_at", "Acme")

    async def killed() -> None:
        async with db.tenant("default") as tx:
            assert await associate(tx, "default", 10)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await killed()
    async with db.tenant("default") as tx:
        assert len(await due(tx, "default", 10)) == 2
    assert _held(sql) == []


async def test_what_a_promotion_still_holds_is_left_for_later(
    db: Database, sql: psycopg.Connection, facts: Facts, dsn: str
) -> None:
    """faults: concurrent writers touching overlapping sets in opposite orders."""
    maya = facts.entity("Maya")
    facts.entity("Ben")
    with psycopg.connect(dsn) as promoting:
        promoting.execute(
            "insert into thoth.substrate_unassociated values ('default', %s, %s)"
            " on conflict (tenant_id, entity_id) do update set queued_at = excluded.queued_at",
            (maya, NOW),
        )
        assert [ran.entities for ran in await _run(db)] == [1]
        promoting.commit()
    assert [ran.entities for ran in await _run(db)] == [1]


async def test_communities_are_found_when_associations_changed(db: Database, sql: psycopg.Connection, facts: Facts) -> None:
    for one, other in (("Maya", "Acme"), ("Ben", "Acme"), ("Maya", "Ben"), ("Rex", "the park"), ("Rex", "the vet")):
        facts.fact(one, "knows", other)
    facts.entity("nobody's friend")
    await _run(db)
    async with db.tenant("default") as tx:
        found = await cluster(tx, "default")
    assert found is not None
    assert (found.communities, found.moved) == (2, 6)
    held: dict[int, int] = dict(sql.execute("select entity_id, community_id from thoth.substrate_communities").fetchall())
    office, dog = {facts.names[n] for n in ("Maya", "Ben", "Acme")}, {facts.names[n] for n in ("Rex", "the park", "the vet")}
    assert held == {**dict.fromkeys(office, min(office)), **dict.fromkeys(dog, min(dog))}
    async with db.tenant("default") as tx:
        assert await cluster(tx, "default") is None
    assert await unassociated(db) == []


async def test_a_community_that_lost_its_facts_is_gone(db: Database, sql: psycopg.Connection, facts: Facts) -> None:
    told = facts.fact("Maya", "works_at", "Acme")
    await _run(db)
    async with db.tenant("default") as tx:
        await cluster(tx, "default")
    facts.retract(told)
    await _run(db)
    async with db.tenant("default") as tx:
        assert await cluster(tx, "default") is not None
    assert sql.execute("select count(*) from thoth.substrate_communities").fetchone() == (0,)


def _town(blocks: int, seed: int = 1) -> list[Edge]:
    """Blocks of twenty who know one another, with one acquaintance in ten elsewhere."""
    rng = random.Random(seed)
    weights: dict[tuple[int, int], float] = {}
    for one in range(blocks * 20):
        for _ in range(6):
            near = one // 20 * 20 + rng.randrange(20)
            other = rng.randrange(blocks * 20) if rng.random() < 0.1 else near
            if other != one:
                weights[min(one, other), max(one, other)] = round(rng.random(), 3)
    return [Edge(*pair, value) for pair, value in weights.items()]


def test_communities_do_not_depend_on_the_order_of_what_they_rest_on() -> None:
    edges = _town(50)
    found = communities(edges)
    random.Random(2).shuffle(edges)
    assert communities(edges) == found
    assert all(community <= entity and found[community] == community for entity, community in found.items())
    assert communities([]) == {}


def test_a_change_in_one_corner_moves_nobody_in_another() -> None:
    edges = _town(200)
    before, after = communities(edges), communities([*edges, Edge(0, 39, 0.9), Edge(1, 38, 0.9)])
    moved = {entity for entity in before if before[entity] != after[entity]}
    assert len(set(before.values())) > 150
    assert len(moved) < 0.02 * len(before)
