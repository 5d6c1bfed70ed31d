"""Coherence is measured on the knowledge: each part falls by what it is about, and by nothing else."""

from __future__ import annotations

from datetime import timedelta

import psycopg
import pytest

from tests.consolidate.facts import NOW, Facts
from tests.support import Said, perceived
from thoth_substrate.consolidate.associate import associate
from thoth_substrate.consolidate.coherence import coherence, latest, measured, note, prune, state, tallies
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.coherence import Coherence, Part
from thoth_substrate.model.knowledge import Maker


@pytest.fixture
def facts(sql: psycopg.Connection) -> Facts:
    return Facts(sql)


async def _measure(db: Database) -> Coherence:
    async with db.tenant("default") as tx:
        found, _ = await tallies(tx, "default", 0)
    return measured(found)


async def _associate(db: Database) -> None:
    async with db.tenant("default") as tx:
        await associate(tx, "default", 1000)


async def test_without_knowledge_there_is_no_score(db: Database) -> None:
    found = await _measure(db)
    assert found.score is None
    assert (await coherence(db, "default")).score is None


async def test_sound_knowledge_is_coherent(db: Database, facts: Facts) -> None:
    facts.fact("Maya", "lives_in", "Porto", functional=True, sessions=["s1", "s2"], stated=1.0)
    await _associate(db)
    found = await _measure(db)
    assert found.score == pytest.approx(1.0)
    assert {name: part.observations for name, part in found.parts.items()} == {
        "integrity": 3, "contradiction": 1, "grounding": 0, "coverage": 0, "freshness": 2, "calibration": 1,
    }  # fmt: skip


async def test_a_quote_that_no_longer_stands_in_its_source(
    db: Database, sql: psycopg.Connection, facts: Facts, clock: PinnedClock
) -> None:
    text = "I moved to Porto in March."
    where, other = perceived(sql, clock.now(), [Said(text, state="passed"), Said("I like tea.", state="passed")])
    facts.cite(facts.fact("Maya", "lives_in", "Porto", cited=False), where, quote="moved to Porto", text=text, start=2)
    facts.cite(facts.fact("Maya", "likes", "tea", cited=False), other, quote="like tea", text="I like tea.", start=2)
    assert (await _measure(db)).parts["integrity"] == Part(1.0, 4)
    sql.execute("update thoth.substrate_slices set text = 'I moved to Faro in March.' where slice_id = %s", (where,))
    assert (await _measure(db)).parts["integrity"] == Part(0.75, 4)


async def test_what_rests_on_nothing(db: Database, facts: Facts) -> None:
    facts.fact("Maya", "lives_in", "Porto", cited=False)
    assert (await _measure(db)).parts["integrity"] == Part(0.0, 1)


async def test_facts_that_exclude_one_another(db: Database, facts: Facts) -> None:
    facts.fact("Maya", "born_in", "Faro", value=True, functional=True)
    facts.fact("Maya", "born_in", "Porto", value=True, functional=True, asserted=NOW + timedelta(hours=1))
    facts.fact("Ben", "born_in", "Lyon", value=True, functional=True)
    facts.fact("Ben", "likes", "tea", value=True)
    found = await _measure(db)
    assert found.parts["contradiction"] == Part(0.5, 2)


async def test_a_pattern_whose_entities_have_nothing_to_do_with_one_another(
    db: Database, sql: psycopg.Connection, facts: Facts
) -> None:
    at_home, away = facts.fact("Maya", "lives_in", "Porto"), facts.fact("Rex", "sleeps_in", "the shed")
    row = sql.execute(
        "insert into thoth.substrate_patterns (tenant_id, kind, statement, norm, valid_from, valid_to, stated_confidence,"
        " confidence, agent) values ('default', 'pattern', 'x', 'x', %s, %s, 1, 1, 'patternfinder') returning pattern_id",
        (NOW, NOW),
    ).fetchone()
    assert row is not None
    for fact in (at_home, away):
        sql.execute("insert into thoth.substrate_supports values ('default', %s, %s)", (row[0], fact))
    await _associate(db)
    assert (await _measure(db)).parts["grounding"].value == pytest.approx(2 / 6)
    facts.fact("Maya", "owns", "Rex")
    facts.fact("Rex", "lives_in", "Porto")
    facts.fact("Maya", "built", "the shed")
    await _associate(db)
    assert (await _measure(db)).parts["grounding"].value > 0.9


async def test_failures_and_dead_letters_are_not_covered(db: Database, sql: psycopg.Connection, facts: Facts) -> None:
    for number, outcome in enumerate(("extracted", "nothing", "failed")):
        sql.execute(
            "insert into thoth.substrate_verdicts (tenant_id, slice_id, passage_no, outcome, agent)"
            " values ('default', %s, 0, %s, 'parser')",
            (facts.slice_id(number), outcome),
        )
    sql.execute(
        "insert into thoth.substrate_dead_letters values ('default', 'parser', %s, 5, 'no', %s)", (facts.slice_id(9), NOW)
    )
    assert (await _measure(db)).parts["coverage"] == Part(0.5, 4)


async def test_what_waits_for_long_to_be_derived_is_stale(db: Database, facts: Facts, clock: PinnedClock) -> None:
    facts.fact("Maya", "lives_in", "Porto")
    clock.advance(timedelta(minutes=59))
    assert (await _measure(db)).parts["freshness"] == Part(1.0, 2)
    async with db.tenant("default") as tx:
        before = await state(tx, "default")
    clock.advance(timedelta(minutes=2))
    assert (await _measure(db)).parts["freshness"] == Part(0.0, 2)
    async with db.tenant("default") as tx:
        assert (before.overdue, (await state(tx, "default")).overdue) == (0, 2)
    await _associate(db)
    assert (await _measure(db)).parts["freshness"] == Part(1.0, 2)


async def test_an_import_of_what_was_said_years_ago_is_not_stale(db: Database, facts: Facts) -> None:
    """How old its news are says nothing of how well what is derived follows them; neither does that they came in just now."""
    facts.fact("Maya", "lives_in", "Porto", sessions=["s1", "s2"], stated=1.0)
    await _associate(db)
    before = await _measure(db)
    for n in range(20):
        facts.fact(f"Ben{n}", "lives_in", "Lyon", at=NOW - timedelta(days=1100 + n), asserted=NOW)
    for _ in range(2):
        found = await _measure(db)
        assert found.parts["freshness"] == Part(1.0, 23)
        assert found.score is not None
        assert before.score is not None
        assert found.score >= before.score
        await _associate(db)


async def test_confidences_that_do_not_come_true(db: Database, facts: Facts) -> None:
    facts.fact("Maya", "likes", "tea", value=True, stated=0.95, sessions=["s1", "s2"])
    facts.retract(facts.fact("Maya", "likes", "rain", value=True, stated=0.95), "corrected by the user")
    part = (await _measure(db)).parts["calibration"]
    assert part.value == pytest.approx(0.55)
    assert part.observations == 2


async def test_a_measurement_is_kept_and_the_last_one_read(db: Database, facts: Facts, clock: PinnedClock) -> None:
    facts.fact("Maya", "lives_in", "Porto")
    found = await _measure(db)
    for score in (0.25, 0.5):
        async with db.tenant("default") as tx:
            await note(tx, "default", Coherence(score, found.parts), Maker("critic"))
        clock.advance(timedelta(minutes=1))
    kept = await coherence(db, "default")
    assert kept.score == 0.5
    assert kept.parts == found.parts
    assert kept.observed_at is not None
    assert (await coherence(db, "somebody")).score is None


async def test_old_measurements_go_by_the_log_profile_but_never_the_last(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: the diary audited by the diary; nothing grows for ever."""
    for _ in range(3):
        async with db.tenant("default") as tx:
            await note(tx, "default", Coherence(1.0, {}), Maker("critic"))
        clock.advance(timedelta(days=100))
    async with db.tenant("default") as tx:
        assert await prune(tx, "default") == 2
        assert (await latest(tx, "default")).score == 1.0
    clock.advance(timedelta(days=1000))
    async with db.tenant("default") as tx:
        assert await prune(tx, "default") == 0


async def test_quotes_are_looked_up_a_stretch_at_a_time(db: Database, facts: Facts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thoth_substrate.consolidate.coherence.STRETCH_ROWS", 2)
    told = [facts.fact("Maya", "likes", f"thing {number}", value=True) for number in range(3)]
    async with db.tenant("default") as tx:
        _, after = await tallies(tx, "default", 0)
        assert after == told[1]
        _, after = await tallies(tx, "default", after)
        assert after == 0


async def test_the_state_moves_with_the_knowledge(db: Database, facts: Facts) -> None:
    facts.fact("Maya", "lives_in", "Porto")
    async with db.tenant("default") as tx:
        before = await state(tx, "default")
        assert await state(tx, "default") == before
    facts.fact("Maya", "likes", "tea", value=True)
    async with db.tenant("default") as tx:
        assert await state(tx, "default") != before
