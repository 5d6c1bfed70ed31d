"""The Critic's tick: outcomes, calibration and coherence, once for each state of the knowledge."""

from __future__ import annotations

from datetime import timedelta

import psycopg

from tests.consolidate.facts import NOW
from tests.support import count
from tests.workers.crew_support import context, tick
from tests.workers.layers import an_office, associated, decisions, ground
from thoth_substrate.consolidate.coherence import coherence
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import PinnedClock
from thoth_workers.crew.critic import AGENT
from thoth_workers.replay import replay


async def test_it_measures_and_keeps_the_parts(db: Database, sql: psycopg.Connection) -> None:
    facts = await ground(db, sql)
    an_office(facts)
    facts.fact("Maya", "born_in", "Faro", value=True, functional=True)
    facts.fact("Maya", "born_in", "Lagos", value=True, functional=True, asserted=NOW + timedelta(hours=1))
    await associated(db)
    assert (await tick(AGENT, context(db, None))).did == 1
    found = await coherence(db, "default")
    assert found.score is not None
    assert 0.0 < found.score < 1.0
    assert found.parts["contradiction"].value == 0.0
    assert found.parts["integrity"].observations == 14
    assert count(sql, "substrate_outcomes") == 1
    assert count(sql, "substrate_calibration") == 2


async def test_the_same_knowledge_is_measured_once_a_day(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    """faults: alarms that alarm about alarms."""
    an_office(await ground(db, sql))
    await associated(db)
    for _ in range(20):
        await tick(AGENT, context(db, None))
    assert count(sql, "substrate_observations") == 1
    assert len(decisions(sql, "critic")) == 1
    clock.advance(timedelta(days=1))
    await ground(db, sql)
    await tick(AGENT, context(db, None))
    assert count(sql, "substrate_observations") == 2


async def test_a_measurement_is_kept_when_a_part_has_moved_or_an_hour_has_passed(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    facts = await ground(db, sql)
    an_office(facts)
    await associated(db)
    kept: list[int] = []
    for _ in range(3):
        facts.fact("Maya", "likes", f"thing {len(kept)}", value=True)
        await associated(db)
        await tick(AGENT, context(db, None))
        kept.append(count(sql, "substrate_observations"))
        clock.advance(timedelta(minutes=25))
    clock.advance(timedelta(minutes=25))
    facts.fact("Maya", "likes", "rain", value=True)
    await tick(AGENT, context(db, None))
    assert kept == [1, 1, 1]
    assert count(sql, "substrate_observations") == 2
    facts.fact("Maya", "likes", "snow", value=True, cited=False)
    await tick(AGENT, context(db, None))
    assert count(sql, "substrate_observations") == 3
    assert len(decisions(sql, "critic")) == 5


async def test_a_tenant_without_knowledge_is_left_alone(db: Database, sql: psycopg.Connection) -> None:
    await ground(db, sql)
    assert (await tick(AGENT, context(db, None))).did == 0
    assert count(sql, "substrate_observations") == 0
    assert count(sql, "substrate_cursors") == 0


async def test_a_decision_can_be_run_again(db: Database, sql: psycopg.Connection) -> None:
    an_office(await ground(db, sql))
    await tick(AGENT, context(db, None))
    row = sql.execute(
        "select slice_id from thoth.substrate_slices where session_id = 'diary' and payload ->> 'agent' = 'critic'"
    ).fetchone()
    assert row is not None
    assert (await replay(db, "default", row[0])).same is True
