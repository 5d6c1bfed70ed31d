"""A fact by its handle or number: what it says, when it holds, what it rests on."""

from __future__ import annotations

from datetime import timedelta

import orjson
import psycopg
import pytest

from tests.recall.known import Told, a_fact, a_pattern, an_entity
from tests.views.plans import plan, scanned
from tests.views.seed import a_recall, a_slice, many_slices
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput, UnknownSlice
from thoth_substrate.views import facts, recalls, resolve


def shown_fact(sql: psycopg.Connection, db: Database, row_id: int, handle: str = "412") -> None:
    """A recall that showed a fact under a handle."""
    asked = a_recall(sql, db.clock.now(), "where?")
    line = [{"handle": handle, "kind": "fact", "row_id": row_id, "score": 3.0}]
    sql.execute("update thoth.substrate_recall_log set shown = %s where recall_id = %s", [orjson.dumps(line).decode(), asked])


async def test_a_handle_means_the_fact_that_was_shown_under_it(db: Database, seeded: psycopg.Connection) -> None:
    source = a_slice(seeded, db.clock.now())
    row = a_fact(seeded, Told("Maya lives in Porto.", an_entity(seeded, "Maya"), functional=True), [source])
    shown_fact(seeded, db, row)
    assert await resolve.anything(db, "default", "412") == row
    assert await resolve.anything(db, "default", f"row:{row}") == row
    assert await resolve.anything(db, "default", str(source)) == source
    found = await facts.fact_portrait(db, "default", row)
    assert (found.fact.subject, found.fact.statement, found.fact.functional) == ("Maya", "Maya lives in Porto.", True)
    assert [(line.slice_id, line.quote, line.gone) for line in found.citations] == [(source, "words", False)]


async def test_a_fact_cannot_be_pinned_or_forgotten_like_a_slice(db: Database, seeded: psycopg.Connection) -> None:
    shown_fact(seeded, db, a_fact(seeded, Told("Maya lives in Porto.")))
    with pytest.raises(BadInput, match="no slice but something known"):
        await resolve.slice_id(db, "default", "412")


async def test_a_fact_of_another_tenant_is_unknown(db: Database, seeded: psycopg.Connection) -> None:
    """faults: an id from another tenant"""
    row = a_fact(seeded, Told("Theirs."), tenant="other")
    with pytest.raises(UnknownSlice):
        await facts.fact_portrait(db, "default", row)


async def test_a_pattern_shows_the_facts_beneath_it_and_their_quotes_outlive_the_slices(
    db: Database, seeded: psycopg.Connection
) -> None:
    released = a_slice(seeded, db.clock.now(), "", consolidation="released")
    forgotten = a_slice(seeded, db.clock.now() + timedelta(seconds=1))
    seeded.execute("update thoth.substrate_slices set forgotten = true where slice_id = %s", [forgotten])
    supports = [a_fact(seeded, Told("One."), [released]), a_fact(seeded, Told("Two."), [forgotten])]
    found = await facts.fact_portrait(db, "default", a_pattern(seeded, "Both.", supports))
    assert [(line.row_id, line.statement) for line in found.supports] == list(zip(supports, ("One.", "Two."), strict=True))
    assert [(line.slice_id, line.gone) for line in found.citations] == [(released, True)]


async def test_an_explained_recall_reads_its_facts_anew(db: Database, seeded: psycopg.Connection) -> None:
    row = a_fact(seeded, Told("Maya lives in Porto."))
    shown_fact(seeded, db, row)
    asked = await resolve.recall_id(db, "default", "last")
    [line] = (await recalls.explained(db, "default", asked)).lines
    assert (line.row_id, line.kind, line.text, line.gone, line.slice_id) == (row, "fact", "Maya lives in Porto.", False, None)
    seeded.execute("delete from thoth.substrate_relationships")
    [line] = (await recalls.explained(db, "default", asked)).lines
    assert (line.gone, line.text) == (True, "")


async def test_a_fact_and_its_citations_are_read_by_key(db: Database, seeded: psycopg.Connection) -> None:
    many_slices(seeded, db.clock.now())
    for query in (facts._FACT, facts._CITATIONS, facts._SUPPORTS):
        assert not scanned(await plan(db, "default", query, "default", 7), "substrate_slices")
