"""The Associator's tick: the queue is drained, communities follow, nothing is said when nothing is to be done."""

from __future__ import annotations

import psycopg

from tests.support import count
from tests.workers.crew_support import context, tick
from tests.workers.layers import an_office, associated, decisions, ground
from thoth_substrate.db.pool import Database
from thoth_substrate.model.intensity import Intensity
from thoth_workers.crew.associator import AGENT
from thoth_workers.replay import replay


async def test_the_queue_is_drained_and_communities_are_found(db: Database, sql: psycopg.Connection) -> None:
    an_office(await ground(db, sql))
    assert (await tick(AGENT, context(db, None))).did == 1
    assert count(sql, "substrate_unassociated") == 0
    assert count(sql, "substrate_associations") == 3
    assert count(sql, "substrate_communities") == 3
    told = decisions(sql, "associator")
    assert [(one["applied"]["entities"], one["applied"]["communities"]["communities"]) for one in told] == [(3, 1)]


async def test_without_work_nothing_is_told(db: Database, sql: psycopg.Connection) -> None:
    an_office(await ground(db, sql))
    await associated(db)
    before = len(decisions(sql, "associator"))
    for _ in range(20):
        assert (await tick(AGENT, context(db, None))).did == 0
    assert len(decisions(sql, "associator")) == before


async def test_at_a_low_level_it_takes_fewer_and_comes_to_the_same(db: Database, sql: psycopg.Connection) -> None:
    facts = await ground(db, sql)
    for number in range(30):
        facts.fact(f"guest {number}", "met", f"guest {(number + 1) % 30}")
    low = context(db, None, level=Intensity.LOW)
    ticks = 0
    while (await tick(AGENT, low)).did:
        ticks += 1
    assert ticks >= 2
    step_by_step = sql.execute("select left_id, right_id, together, linked, shared from thoth.substrate_associations").fetchall()
    facts.queue_all()
    await associated(db)
    at_once = sql.execute("select left_id, right_id, together, linked, shared from thoth.substrate_associations").fetchall()
    assert sorted(step_by_step) == sorted(at_once)


async def test_a_decision_can_be_run_again(db: Database, sql: psycopg.Connection) -> None:
    an_office(await ground(db, sql))
    await associated(db)
    row = sql.execute(
        "select slice_id from thoth.substrate_slices where session_id = 'diary' and payload ->> 'agent' = 'associator'"
    ).fetchone()
    assert row is not None
    assert (await replay(db, "default", row[0])).same is True
