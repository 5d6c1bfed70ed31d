"""Supersession from end to end: what is said in slices, promoted, and asked as of any date, in the world and in the mind."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from tests.consolidate.support import Mind, day, fact, quoted
from tests.support import ASSISTANT, Said
from thoth_substrate.consolidate.read import facts_about, relationships_as_of
from thoth_substrate.model.knowledge import Proposals


async def _as_of(mind: Mind, at: str, predicate: str = "lives_in", known_at: datetime | None = None) -> list[str]:
    """What was so of Maya on that day, denials marked."""
    found = await relationships_as_of(mind.db, mind.tenant, day(at), known_at=known_at, about="Maya")
    return sorted(f"{'not ' * one.negated}{one.object}" for one in found if one.predicate == predicate)


async def _history(mind: Mind) -> list[tuple[Any, ...]]:
    """Everything that was ever held of Maya: object, validity, reason."""
    found = await facts_about(mind.db, mind.tenant, "Maya", past=True)
    return [(one.object, one.valid_to and one.valid_to.date().isoformat(), one.retract_reason) for one in found]


async def test_moved_city(mind: Mind) -> None:
    await mind.learns("I live in Berlin.", fact("Maya", "lives_in", "Berlin"), at=day("2023-03-01"))
    mind.clock.advance(timedelta(days=1))
    await mind.learns("We moved to Paris!", fact("Maya", "moved_to", "Paris"), at=day("2024-03-01"))
    assert [await _as_of(mind, at) for at in ("2023-02-01", "2023-06-01", "2024-02-29", "2024-03-02", "2026-05-20")] == [
        [], ["Berlin"], ["Berlin"], ["Paris"], ["Paris"]
    ]  # fmt: skip
    assert await _as_of(mind, "2024-06-01", known_at=mind.clock.now() - timedelta(hours=1)) == ["Berlin"], "before it knew"
    assert await _history(mind) == [("Berlin", None, "superseded"), ("Berlin", "2024-03-01", None), ("Paris", None, None)]


async def test_changed_job(mind: Mind) -> None:
    await mind.learns("I work at Acme.", fact("Maya", "works at", "Acme"), at=day("2022-01-10"))
    await mind.learns(
        "I left Acme in March and started at Globex.",
        fact("Maya", "works_at", "Acme", ends=True, valid_to=day("2024-03-01")),
        fact("Maya", "works_at", "Globex", valid_from=day("2024-04-01")),
        at=day("2024-05-01"),
    )
    assert [await _as_of(mind, at, "works_at") for at in ("2023-01-01", "2024-03-15", "2024-06-01")] == [["Acme"], [], ["Globex"]]
    assert ("Acme", None, "ended") in await _history(mind)


async def test_two_jobs_at_once(mind: Mind) -> None:
    await mind.learns("I work at Acme.", fact("Maya", "works_at", "Acme", functional=True), at=day("2022-01-10"))
    await mind.learns(
        "On weekends I also work at the Bakery.", fact("Maya", "works_at", "Bakery", functional=True), at=day("2023-01-10")
    )
    assert await _as_of(mind, "2023-06-01", "works_at") == ["Acme", "Bakery"]
    await mind.learns("I quit Acme. Globex is my new job.", fact("Maya", "works_at", "Globex"), at=day("2024-01-10"))
    assert await _as_of(mind, "2024-06-01", "works_at") == ["Bakery", "Globex"], "the one beside it goes on"


async def test_an_older_fact_learned_later(mind: Mind) -> None:
    """faults: history added out of order; an import of a 2023 conversation dates every derived row 2023."""
    await mind.learns("I live in Paris.", fact("Maya", "lives_in", "Paris"), at=day("2024-03-01"))
    mind.clock.advance(timedelta(days=1))
    await mind.learns("I live in Berlin.", fact("Maya", "lives_in", "Berlin"), at=day("2023-03-01"))
    assert mind.facts() == [("Berlin", "2023-03-01", "2024-03-01", False), ("Paris", "2024-03-01", None, False)]
    assert await _as_of(mind, "2023-06-01") == ["Berlin"]
    assert await _as_of(mind, "2026-05-20") == ["Paris"]
    assert await _as_of(mind, "2023-06-01", known_at=mind.clock.now() - timedelta(hours=1)) == []
    seen = mind.rows(
        "select name, first_seen::date::text, last_seen::date::text from thoth.substrate_entities order by entity_id"
    )
    assert seen[0] == ("Maya", "2023-03-01", "2024-03-01")
    assert {row[1] for row in seen} == {"2023-03-01", "2024-03-01"}


async def test_an_older_fact_about_what_was_confirmed_since_does_not_become_current(mind: Mind) -> None:
    await mind.learns("I live in Berlin.", fact("Maya", "lives_in", "Berlin"), at=day("2022-01-01"))
    await mind.learns("Berlin is still home.", fact("Maya", "lives_in", "Berlin"), at=day("2024-01-01"))
    await mind.learns("I live in Oslo.", fact("Maya", "lives_in", "Oslo"), at=day("2023-01-01"))
    assert mind.facts() == [
        ("Berlin", "2022-01-01", "2023-01-01", False), ("Oslo", "2023-01-01", "2024-01-01", False),
        ("Berlin", "2024-01-01", None, False),
    ]  # fmt: skip


async def test_a_negation(mind: Mind) -> None:
    await mind.learns("I live in Berlin.", fact("Maya", "lives_in", "Berlin"), at=day("2023-03-01"))
    await mind.learns("I do not live in Berlin.", fact("Maya", "lives_in", "Berlin", negated=True), at=day("2024-03-01"))
    assert await _as_of(mind, "2023-06-01") == ["Berlin"]
    assert await _as_of(mind, "2024-06-01") == ["not Berlin"]
    assert ("Berlin", None, "ended: it is said to be so no longer") in await _history(mind)
    assert mind.rows("select outcome from thoth.substrate_outcomes") == [], "the world changed"


async def test_a_correction_by_the_user(mind: Mind) -> None:
    await mind.learns("I live in Berlin.", fact("Maya", "lives_in", "Berlin"), at=day("2023-03-01"))
    mind.clock.advance(timedelta(days=1))
    promoted = await mind.learns(
        "No, I never lived in Berlin. It is Bern!", fact("Maya", "lives_in", "Bern", corrects=True), at=day("2024-03-01")
    )
    assert promoted.superseded == 1
    assert await _as_of(mind, "2023-06-01") == ["Bern"], "it always was so"
    assert await _as_of(mind, "2023-06-01", known_at=mind.clock.now() - timedelta(hours=1)) == ["Berlin"], "the mind's own past"
    history = await _history(mind)
    assert ("Berlin", None, "corrected: it was never so") in history
    rows = mind.rows(
        "select r.object_text, o.outcome, b.object_text from thoth.substrate_outcomes o"
        " join thoth.substrate_relationships r on r.relationship_id = o.row_id"
        " join thoth.substrate_relationships b on b.relationship_id = o.by_id"
    )
    assert rows == [("Berlin", "corrected", "Bern")]


async def test_the_agents_own_refuted_conclusion_does_not_come_back(mind: Mind) -> None:
    """faults: the agent's own refuted conclusions coming back as authority."""
    await mind.learns("I live in Berlin.", fact("Maya", "lives_in", "Berlin"), at=day("2023-03-01"))
    await mind.learns("No! Bern!", fact("Maya", "lives_in", "Bern", corrects=True), at=day("2024-03-01"))
    promoted = await mind.learns(
        "You live in Berlin.", fact("Maya", "lives_in", "Berlin"), at=day("2024-04-01"), stream=ASSISTANT, actor="assistant"
    )
    assert await _as_of(mind, "2024-05-01") == ["Bern"]
    assert promoted.detail["refused"] == 1
    assert len(promoted.consolidated) == 1, "its passage is settled: it names Maya, and there is nothing more to keep in it"


async def test_both_sides_of_a_change_in_one_batch(mind: Mind) -> None:
    said = (Said("I live in Berlin.", at=day("2023-03-01")), Said("Now I live in Paris.", at=day("2024-03-01")))
    first, second = await mind.hears(*said)
    taken = await mind.claims()
    assert taken is not None
    facts = (
        quoted(fact("Maya", "lives_in", "Paris"), second, "I live in Paris"),
        quoted(fact("Maya", "lives_in", "Berlin"), first, "I live in Berlin"),
    )
    promoted = await mind.promotes(taken, Proposals((), facts))
    assert set(promoted.consolidated) == {first, second}
    assert mind.facts() == [("Berlin", "2023-03-01", "2024-03-01", False), ("Paris", "2024-03-01", None, False)]
    assert mind.rows("select count(*) from thoth.substrate_relationships") == [(2,)], "nobody ever held it otherwise"


async def test_moved_back_and_the_future(mind: Mind) -> None:
    for where, when in (("Berlin", "2022-01-01"), ("Paris", "2023-01-01"), ("Berlin", "2024-01-01")):
        await mind.learns(f"I live in {where}.", fact("Maya", "lives_in", where), at=day(when))
    await mind.learns(
        "In August 2027 I will move to Rome.",
        fact("Maya", "lives_in", "Rome", valid_from=day("2027-08-01")),
        at=day("2026-05-01"),
    )
    assert [await _as_of(mind, at) for at in ("2022-06-01", "2023-06-01", "2026-05-20", "2027-09-01")] == [
        ["Berlin"], ["Paris"], ["Berlin"], ["Rome"]
    ]  # fmt: skip
