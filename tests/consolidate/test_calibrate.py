"""What befalls facts scores the confidences that were stated of them."""

from __future__ import annotations

from datetime import timedelta

import psycopg
import pytest

from tests.consolidate.facts import NOW, Facts
from thoth_substrate.consolidate.calibrate import Calibrated, calibrate, calibration
from thoth_substrate.db.pool import Database
from thoth_substrate.model.calibration import Calibration

NOTHING = Calibrated(0, 0, 0, 0)


@pytest.fixture
def facts(sql: psycopg.Connection) -> Facts:
    return Facts(sql)


async def _calibrate(db: Database) -> Calibrated:
    async with db.tenant("default") as tx:
        return await calibrate(tx, "default")


async def _known(db: Database) -> Calibration:
    async with db.tenant("default") as tx:
        return await calibration(tx, "default", "parser", "scripted")


def _noted(sql: psycopg.Connection) -> set[tuple[int, str, int]]:
    return set(sql.execute("select row_id, outcome, by_id from thoth.substrate_outcomes").fetchall())


async def test_a_fact_without_an_outcome_is_not_scored(db: Database, sql: psycopg.Connection, facts: Facts) -> None:
    facts.fact("Maya", "likes", "tea", sessions=["s1", "s1"])
    twice = facts.fact("Maya", "lives_in", "Porto", sessions=["s1", "s2"])
    assert await _calibrate(db) == Calibrated(noted=0, withdrawn=0, written=2, removed=0)
    assert _noted(sql) == {(twice, "corroborated", twice)}


async def test_computed_again_it_is_the_same_and_nothing_is_written(db: Database, sql: psycopg.Connection, facts: Facts) -> None:
    for number in range(5):
        facts.fact("Maya", f"p{number}", "x", value=True, sessions=["s1", "s2"], stated=0.1 * number)
    await _calibrate(db)
    before = sql.execute("table thoth.substrate_calibration").fetchall()
    assert [await _calibrate(db) for _ in range(20)] == [NOTHING] * 20
    assert sql.execute("table thoth.substrate_calibration").fetchall() == before


async def test_a_correction_counts_against_what_was_stated(db: Database, sql: psycopg.Connection, facts: Facts) -> None:
    wrong = facts.fact("Maya", "lives_in", "Faro", sessions=["s1", "s2"])
    right = facts.fact("Maya", "lives_in", "Porto")
    facts.retract(wrong, "corrected by the user", right)
    await _calibrate(db)
    assert _noted(sql) == {(wrong, "corroborated", wrong), (wrong, "corrected", right)}
    assert (await _known(db)).confidence("parser", "scripted", "lives_in", 0.9) < 0.85


async def test_a_change_in_the_world_speaks_against_nobody(db: Database, sql: psycopg.Connection, facts: Facts) -> None:
    moved = NOW + timedelta(days=30)
    facts.fact("Maya", "lives_in", "Faro", functional=True, at=NOW, until=moved)
    facts.fact("Maya", "lives_in", "Porto", functional=True, at=moved)
    old = facts.fact("Ben", "lives_in", "Faro", functional=True)
    facts.retract(old, "superseded", facts.fact("Ben", "lives_in", "Porto", functional=True, at=moved))
    await _calibrate(db)
    assert _noted(sql) == set()


async def test_two_that_cannot_both_be_so_the_later_contradicts_the_earlier(
    db: Database, sql: psycopg.Connection, facts: Facts
) -> None:
    first = facts.fact("Maya", "born_in", "Faro", value=True, functional=True)
    second = facts.fact("Maya", "born_in", "Porto", value=True, functional=True, asserted=NOW + timedelta(hours=1))
    likes = facts.fact("Maya", "likes", "tea", value=True)
    denied = facts.fact("Maya", "likes", "tea", value=True, negated=True, asserted=NOW + timedelta(hours=1))
    await _calibrate(db)
    assert _noted(sql) == {(first, "contradicted", second), (likes, "contradicted", denied)}
    facts.retract(second, "purged")
    assert (await _calibrate(db)).withdrawn == 1
    assert await _calibrate(db) == NOTHING
    assert _noted(sql) == {(likes, "contradicted", denied)}


async def test_merged_entities_are_one_subject(db: Database, sql: psycopg.Connection, facts: Facts) -> None:
    first = facts.fact("Maya", "born_in", "Faro", value=True, functional=True)
    second = facts.fact("Maia", "born_in", "Porto", value=True, functional=True, asserted=NOW + timedelta(hours=1))
    await _calibrate(db)
    assert _noted(sql) == set()
    facts.merge("Maya", "Maia")
    await _calibrate(db)
    assert _noted(sql) == {(first, "contradicted", second)}


async def test_models_and_predicates_are_told_apart(db: Database, facts: Facts) -> None:
    for number in range(30):
        facts.fact("Maya", "likes", f"thing {number}", value=True, sessions=["s1", "s2"], stated=0.95)
        wrong = facts.fact("Maya", "owns", f"thing {number}", value=True, stated=0.95)
        facts.retract(wrong, "corrected by the user")
        facts.fact("Maya", "owns", f"thing {number}", value=True, sessions=["s1", "s2"], stated=0.95, model="other")
    await _calibrate(db)
    known = await _known(db)
    assert known.confidence("parser", "scripted", "likes", 0.95) > 0.85
    assert known.confidence("parser", "scripted", "owns", 0.95) < 0.2
    assert 0.45 < known.confidence("parser", "scripted", "sells", 0.95) < 0.65


async def test_outcomes_of_facts_that_are_gone_go(db: Database, sql: psycopg.Connection, facts: Facts) -> None:
    told = facts.fact("Maya", "lives_in", "Porto", sessions=["s1", "s2"])
    await _calibrate(db)
    sql.execute("delete from thoth.substrate_relationships where relationship_id = %s", (told,))
    assert (await _calibrate(db)).removed == 2
    assert _noted(sql) == set()
