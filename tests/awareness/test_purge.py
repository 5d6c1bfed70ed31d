"""A purge takes what the index says of it: whole concepts, of which the rest is read again without it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta

import psycopg
import pytest

from tests.awareness.topics import noted, topic
from tests.awareness.week import TELEGRAM, WHATSAPP, week
from tests.llm.scripted import Reply, Request, ScriptedModel
from tests.support import Said
from tests.workers.crew_support import context, number, tick, told
from thoth_substrate.awareness.keep import concepts
from thoth_substrate.db.pool import Database, PoolOptions
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.purge.purge import purge
from thoth_substrate.purge.receipts import verify
from thoth_workers.crew.indexer import AGENT


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as scripted:
        yield scripted


async def keywords(db: Database) -> set[str]:
    """Every keyword of what is going on."""
    return {word for one in await concepts(db, "default") for word in one.keywords}


async def test_a_concept_that_points_to_the_purged_alone_goes_with_it(
    db: Database, sql: psycopg.Connection, model: ScriptedModel
) -> None:
    found = await week(db, sql)
    await tick(AGENT, context(db, model))
    assert "lisbon" in await keywords(db)
    receipt = await purge(db, "default", found[f"{TELEGRAM}/viaje"])
    assert not {"lisbon", "hotel alfama", "flight tp1011"} & await keywords(db)
    assert {"boiler", "paella", "kafka", "dr ruiz"} <= await keywords(db), "the others stay"
    assert (receipt.gone["substrate_concepts"], receipt.gone["substrate_sources"]) == (1, 1)
    assert receipt.gone["substrate_keywords"] >= 4
    checked = await verify(db, "default", receipt.purge_id)
    assert (checked.well, checked.left) == (True, {})
    row = sql.execute("select position -> 'again' from thoth.substrate_cursors where agent = 'indexer'").fetchone()
    assert row == (None,), "nothing is left of its windows"


async def test_a_concept_that_was_met_elsewhere_too_is_made_anew_without_the_purged(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock
) -> None:
    found = await week(db, sql)
    await tick(AGENT, context(db, model))
    await purge(db, "default", found[f"{WHATSAPP}/Ortega"])
    assert "boiler" not in await keywords(db), "which word came from where nobody can tell"
    clock.advance(timedelta(hours=6))
    await tick(AGENT, context(db, model))
    assert "caldera" not in model.chats[-1].user
    assert "You are to pay half".lower() in model.chats[-1].user.lower()
    [boiler] = [one for one in await concepts(db, "default") if "boiler" in one.keywords]
    assert [one.ref.rpartition("/")[2] for one in boiler.sources] == ["thread-77"]
    row = sql.execute("select position -> 'again' from thoth.substrate_cursors where agent = 'indexer'").fetchone()
    assert row == (None,)


async def test_words_that_only_the_purged_had_go_wherever_they_were_noted(db: Database, sql: psycopg.Connection) -> None:
    """A model that had the purged before it may have named another topic with its words."""
    [secret, _] = await told(db, sql, [Said("The codeword is zyzzyva."), Said("The boiler failed.", session="s2")])
    await noted(db, topic(db.clock.now(), "boiler", "zyzzyva", sessions=("elsewhere",)), topic(db.clock.now(), "paella"))
    await purge(db, "default", [secret])
    assert await keywords(db) == {"paella"}


async def test_a_purge_that_goes_by_while_the_model_thinks_leaves_nothing_of_it(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock, dsn: str
) -> None:
    """faults: a call whose result arrives after its source was changed or deleted."""
    [secret, _] = await told(db, sql, [Said("Lisbon is booked.", session="a"), Said("The boiler failed.", session="b")])
    good = model._script

    async def purging() -> None:
        other = await Database.open(dsn, PoolOptions(size=2), clock)
        await purge(other, "default", [secret])
        await other.close()

    def meanwhile(request: Request) -> Reply:
        asyncio.run(purging())
        return good(request)

    model.always(meanwhile)
    await tick(AGENT, context(db, model))
    assert await keywords(db) == set(), "what was read before the purge is not written after it"
    model.always(good)
    await tick(AGENT, context(db, model))
    assert "boiler" in await keywords(db)
    assert "lisbon" not in await keywords(db)
    assert number(sql, "select count(*) from thoth.substrate_slices where payload::text ilike '%%lisbon%%'") == 0
