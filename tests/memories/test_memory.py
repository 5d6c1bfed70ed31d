"""A memory: what it says of itself, how it is changed, and requests that come twice."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from uuid import UUID, uuid4

import psycopg
import pytest

from tests.memories.support import digested, told_of
from tests.support import Said, count, perceived
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import AlreadyReplaced, BadInput, UnknownSlice
from thoth_substrate.fade.forget import forget
from thoth_substrate.fade.retire import retire_alone
from thoth_substrate.memories import keys
from thoth_substrate.memories.listing import Wanted, page
from thoth_substrate.memories.memory import memory
from thoth_substrate.memories.versions import Standing, Unretired, cut_off, finish, history, replace
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.streams import DIARY

Make = Callable[[Standing], Awaitable[UUID]]


def saying(sql: psycopg.Connection, clock: PinnedClock, text: str, **how: str) -> Make:
    """What `replace` is given: perceives `text`."""

    async def make(_: Standing) -> UUID:
        return perceived(sql, clock.now(), [Said(text, **how)])[0]  # type: ignore[arg-type]

    return make


async def test_a_new_memory_says_what_it_waits_for(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    waiting, passed = perceived(sql, clock.now(), [Said("new"), Said("older", state="passed")])
    new, older = await memory(db, "default", waiting), await memory(db, "default", passed)
    assert (new.state, new.waits_for, new.parsed) == ("pending", ["triage"], False)
    assert (older.state, older.waits_for) == ("passed", ["consolidate", "index"])


async def test_a_parsed_memory_says_what_was_made_of_it(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    (one,) = perceived(sql, clock.now(), [Said("Maya likes Lisbon.", state="passed", metadata={"n": 1})])
    digested(sql, one, topics=["travel"], importance=0.75)
    maya = told_of(sql, "Maya", [one], clock.now())
    told_of(sql, "Lisbon", [one], clock.now(), says="Maya likes Lisbon.")
    found = await memory(db, "default", one)
    assert (found.parsed, found.topics, found.importance, found.metadata) == (True, ["travel"], 0.75, {"n": 1})
    assert [(entity.entity_id, entity.name, entity.kind) for entity in found.entities] == [(maya, "Maya", "person")]
    assert [fact.statement for fact in found.facts] == ["Maya likes Lisbon."]


async def test_another_tenants_memory_is_unknown(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    (theirs,) = perceived(sql, clock.now(), [Said("x", tenant="theirs")])
    for look in (memory, history):
        with pytest.raises(UnknownSlice, match=str(theirs)):
            await look(db, "default", theirs)
    with pytest.raises(UnknownSlice):
        await replace(db, "default", theirs, saying(sql, clock, "y"), by="test")


async def test_a_newer_version_takes_the_place_of_the_older(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    (first,) = perceived(sql, clock.now(), [Said("in Porto", state="passed")])
    clock.advance(timedelta(minutes=1))
    second = (await replace(db, "default", first, saying(sql, clock, "in Lisbon"), by="maya")).slice_id
    clock.advance(timedelta(minutes=1))
    third = await replace(db, "default", second, saying(sql, clock, "in Faro"), by="maya")
    assert (third.replaces, third.version) == (second, 3)
    retire = partial(_retire, db)
    assert (await finish(db, "default", retire), await finish(db, "default", retire)) == (2, 0)
    assert [one.text for one in (await page(db, "default", Wanted())).memories] == ["in Faro"]
    for one in (first, second, third.slice_id):
        chain = await history(db, "default", one)
        assert [(v.version, v.memory and v.memory.text, v.changed_by) for v in chain] == [
            (1, "in Porto", ""), (2, "in Lisbon", "maya"), (3, "in Faro", "maya"),
        ]  # fmt: skip
    old, new = await memory(db, "default", first), await memory(db, "default", third.slice_id)
    assert (old.state, old.replaced_by, old.version) == ("replaced", second, 1)
    assert (new.state, new.replaces, new.version) == ("pending", second, 3)


async def _retire(db: Database, one: Unretired) -> None:
    await retire_alone(db, "default", [one.replaces], "replaced by a newer version")


async def test_of_two_who_change_a_memory_the_second_is_told(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    (first,) = perceived(sql, clock.now(), [Said("x")])
    changes = [replace(db, "default", first, saying(sql, clock, text), by="test") for text in ("a", "b", "c")]
    outcomes = await asyncio.gather(*changes, return_exceptions=True)
    refused = [outcome for outcome in outcomes if isinstance(outcome, AlreadyReplaced)]
    assert (len(refused), count(sql, "substrate_memory_versions")) == (2, 1)
    assert count(sql, "substrate_slices") == 2, "who is refused has perceived nothing"


async def test_what_is_forgotten_or_the_diarys_is_not_changed(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    gone, diary = perceived(sql, clock.now(), [Said("x"), Said("y", stream=DIARY)])
    sql.execute("update thoth.substrate_slices set consolidation_state = 'exempt' where slice_id = %s", [diary])
    await forget(db, "default", gone)
    for one in (gone, diary):
        with pytest.raises(BadInput, match=r"forgotten|diary"):
            await replace(db, "default", one, saying(sql, clock, "z"), by="test")
    assert (await memory(db, "default", gone)).state == "forgotten"
    assert (await memory(db, "default", diary)).state == "diary"


async def test_the_older_version_is_not_retired_before_the_newer_is_stored(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: a changed file's new version is ingested before the old is retired."""
    (first,) = perceived(sql, clock.now(), [Said("x", state="passed")])

    async def in_the_journal(_: Standing) -> UUID:
        return UUID(f"{first.hex[:12]}7fff8{uuid4().hex[:15]}")

    await replace(db, "default", first, in_the_journal, by="test")
    assert await finish(db, "default", partial(_retire, db)) == 0
    row = sql.execute("select forgotten from thoth.substrate_slices where slice_id = %s", [first]).fetchone()
    assert row == (False,)


async def test_the_older_version_stays_when_the_newer_was_forgotten_before_it_was_retired(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """Whoever finds both after a change that was cut off, and takes the newer one back, keeps the older one."""
    (first,) = perceived(sql, clock.now(), [Said("port 5432", state="passed")])
    newer = (await replace(db, "default", first, saying(sql, clock, "port 5433"), by="test")).slice_id
    clock.advance(timedelta(minutes=2))
    assert await cut_off(db) == ["default"]
    await forget(db, "default", newer)
    assert await cut_off(db) == []
    assert await finish(db, "default", partial(_retire, db)) == 0
    row = sql.execute("select text, forgotten from thoth.substrate_slices where slice_id = %s", [first]).fetchone()
    assert row == ("port 5432", False)


async def test_a_key_makes_one_memory(db: Database) -> None:
    made: list[UUID] = []

    async def make() -> UUID:
        made.append(uuid4())
        return made[-1]

    answers = await asyncio.gather(*[keys.once(db, "default", "k", b"body", make) for _ in range(4)])
    assert len(made) == 1
    assert {one.slice_id for one in answers} == set(made)
    assert sorted(one.repeated for one in answers) == [False, True, True, True]
    assert (await keys.once(db, "theirs", "k", b"another", make)).repeated is False


async def test_a_key_is_good_for_one_request_and_for_a_day(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    async def make() -> UUID:
        return uuid4()

    first = await keys.once(db, "default", "k", b"body", make)
    with pytest.raises(BadInput, match="another request"):
        await keys.once(db, "default", "k", b"another body", make)
    clock.advance(keys.KEPT + timedelta(seconds=1))
    assert (await keys.once(db, "default", "k", b"another body", make)).slice_id != first.slice_id
    assert count(sql, "substrate_idempotency_keys") == 1
    for key in ("", " ", "x" * 201, "a\x00b", "\ud83d", "a\nb"):
        with pytest.raises(BadInput, match="idempotency key"):
            await keys.once(db, "default", key, b"", make)


async def test_a_key_whose_memory_could_not_be_made_is_free_again(db: Database) -> None:
    async def fails() -> UUID:
        raise BadInput("no")

    async def make() -> UUID:
        return uuid4()

    with pytest.raises(BadInput, match="no"):
        await keys.once(db, "default", "k", b"body", fails)
    assert (await keys.once(db, "default", "k", b"body", make)).repeated is False
