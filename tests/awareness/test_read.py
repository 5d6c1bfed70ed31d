"""What a pointer leads to: the slices of its window in order; of released ones what remains, and where to look."""

from __future__ import annotations

from datetime import timedelta

import psycopg
import pytest

from tests.awareness.week import MAIL, WHATSAPP, week
from tests.consolidate.facts import Facts
from tests.support import ASSISTANT, Said, perceived
from thoth_substrate.awareness.pointers import Pointer, conversation
from thoth_substrate.awareness.read import Reading, read
from thoth_substrate.db.months import ensure
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput
from thoth_substrate.perceive import streams


async def ortega(db: Database, *, limit_rows: int = 200) -> Reading:
    """The whole conversation about the boiler on WhatsApp."""
    return await read(db, "default", f"conversation:{conversation(WHATSAPP, 'Ortega')}", limit_rows=limit_rows)


async def test_a_window_is_read_in_order_and_no_further(db: Database, sql: psycopg.Connection) -> None:
    await week(db, sql)
    found = await ortega(db)
    assert [one.text[:12] for one in found.slices] == ["Hola, la cal", "El casero so", "<Sticker omi", "👍👍"]
    assert (found.more, found.where, found.outside) == (False, "", False)
    first, second, *_ = found.slices
    window = Pointer("conversation", f"{WHATSAPP}/Ortega", first.event_time, second.event_time)
    assert [one.slice_id for one in (await read(db, "default", str(window))).slices] == [first.slice_id, second.slice_id]
    assert (await ortega(db, limit_rows=1)).more


async def test_what_the_agent_said_there_is_read_too_and_no_other_channel(db: Database, sql: psycopg.Connection) -> None:
    await streams.register(db)
    said = [("Is it on?", WHATSAPP, "passed"), ("It is.", ASSISTANT, "passed"), ("elsewhere", MAIL, "passed"),
            ("held", WHATSAPP, "quarantined")]  # fmt: skip
    perceived(sql, db.clock.now(), [Said(text, session="x", stream=stream, state=state) for text, stream, state in said])
    found = await read(db, "default", f"conversation:{conversation(WHATSAPP, 'x')}")
    assert [one.text for one in found.slices] == ["Is it on?", "It is."]


async def test_of_released_slices_what_is_known_remains_and_where_to_look(db: Database, sql: psycopg.Connection) -> None:
    await week(db, sql)
    await ensure(db, db.clock.now())
    slices = (await ortega(db)).slices
    facts = Facts(sql)
    row = facts.fact("Marta", "owns", "boiler", statement="Marta's boiler failed.")
    sql.execute("update thoth.substrate_citations set slice_id = %s where row_id = %s", [slices[0].slice_id, row])
    release = (
        "update thoth.substrate_slices set consolidation_state = 'consolidated', external_id = %s where slice_id = %s",
        "update thoth.substrate_slices set consolidation_state = 'released', text = '', payload = null where slice_id = %s",
    )
    sql.execute(release[0], ["wa-17", slices[0].slice_id])
    sql.execute(release[1], [slices[0].slice_id])
    found = await ortega(db)
    first = found.slices[0]
    assert (first.state, first.text, first.facts, first.external_id) == ("released", "", ["Marta's boiler failed."], "wa-17")
    assert found.where == "What was released may still be where it was imported from: WhatsApp wa-17."


async def test_of_forgotten_slices_nothing_is_told(db: Database, sql: psycopg.Connection) -> None:
    await week(db, sql)
    first = (await ortega(db)).slices[0]
    sql.execute("update thoth.substrate_slices set forgotten = true where slice_id = %s", [first.slice_id])
    again = (await ortega(db)).slices[0]
    assert (again.state, again.text, again.facts) == ("forgotten", "", [])


async def test_a_source_outside_says_where_to_look_and_is_read_where_it_was_imported(
    db: Database, sql: psycopg.Connection
) -> None:
    found = await week(db, sql)
    outside = await read(db, "default", "mail:<4711@example.org>")
    assert (outside.outside, outside.slices) == (True, [])
    assert outside.where == "It is outside, in mail: look there for <4711@example.org>."
    [first, _] = found[f"{MAIL}/thread-77"]
    sql.execute("insert into thoth.substrate_external_ids values ('default', 'mail', '<4711@example.org>', %s)", [first])
    here = await read(db, "default", "mail:<4711@example.org>")
    assert [one.slice_id for one in here.slices] == [first]
    assert here.where == ""


async def test_an_empty_window_and_another_tenants_are_readings_without_slices(db: Database, sql: psycopg.Connection) -> None:
    await week(db, sql)
    for tenant, session in (("default", "nobody"), ("other", "Ortega")):
        found = await read(db, tenant, f"conversation:{conversation(WHATSAPP, session)}")
        assert (found.slices, found.more) == ([], False)
        assert session in found.where


async def test_what_is_no_pointer_is_refused(db: Database) -> None:
    with pytest.raises(BadInput, match="thoth awareness lookup"):
        await read(db, "default", "boiler")


async def test_a_window_may_lie_in_several_months(db: Database, sql: psycopg.Connection) -> None:
    await streams.register(db)
    now = db.clock.now()
    for days in (40, 1):
        at = now - timedelta(days=days)
        perceived(sql, at, [Said(f"{days} days ago", session="x", stream=WHATSAPP, at=at, state="passed")])
    found = await read(db, "default", f"conversation:{conversation(WHATSAPP, 'x')}")
    assert [one.text for one in found.slices] == ["40 days ago", "1 days ago"]
