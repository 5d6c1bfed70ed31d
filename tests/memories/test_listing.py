"""Memories in pages: every filter, every page once, and a plan that reads by an index."""

from __future__ import annotations

import base64
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests.memories.support import digested, told_of
from tests.plans import indexes, plan, scanned
from tests.support import ASSISTANT, USER, Said, perceived
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput
from thoth_substrate.memories import listing
from thoth_substrate.memories.listing import Page, Wanted, page
from thoth_substrate.memories.memory import MEMORIES
from thoth_substrate.model.clock import PinnedClock

MODES = ("force_generic_plan", "force_custom_plan")


def texts(found: Page) -> list[str]:
    return [memory.text for memory in found.memories]


async def all_of(db: Database, wanted: Wanted, *, limit_rows: int) -> list[str]:
    """What every page together holds, and that no page is longer than asked."""
    found: list[str] = []
    cursor: str | None = None
    for _ in range(1000):
        one = await page(db, "default", wanted, cursor=cursor, limit_rows=limit_rows)
        assert len(one.memories) <= limit_rows
        found += texts(one)
        cursor = one.next_cursor
        if cursor is None:
            return found
    raise AssertionError("the pages have no end")


async def test_pages_hold_every_memory_once_the_newest_first(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    for month in range(3):
        perceived(
            sql, clock.now() - timedelta(days=30 * (2 - month)), [Said(f"{month}-{n:02}", state="passed") for n in range(7)]
        )
    wanted = [f"{month}-{n:02}" for month in (2, 1, 0) for n in reversed(range(7))]
    assert await all_of(db, Wanted(), limit_rows=4) == wanted
    assert await all_of(db, Wanted(), limit_rows=21) == wanted
    assert await all_of(db, Wanted(), limit_rows=500) == wanted


async def test_what_comes_meanwhile_does_not_shift_the_pages(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    perceived(sql, clock.now(), [Said(f"{n}") for n in range(4)])
    first = await page(db, "default", Wanted(), limit_rows=2)
    perceived(sql, clock.now() + timedelta(seconds=1), [Said("later")])
    second = await page(db, "default", Wanted(), cursor=first.next_cursor, limit_rows=2)
    assert (texts(first), texts(second)) == (["3", "2"], ["1", "0"])


async def test_a_conversation_is_listed_by_when_things_happened(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    now = clock.now()
    told = [Said("third", at=now), Said("first", at=now - timedelta(days=2)), Said("second", at=now - timedelta(days=1))]
    perceived(sql, now, [*told, Said("elsewhere", session="s2")])
    assert await all_of(db, Wanted(session="s1"), limit_rows=1) == ["third", "second", "first"]


@pytest.fixture
def six(sql: psycopg.Connection, clock: PinnedClock) -> list[UUID]:
    """Six memories that differ in everything that filters ask for."""
    now = clock.now()
    ids = perceived(sql, now, [
        Said("zero", state="passed", at=now - timedelta(days=9)),
        Said("one", state="pending", actor="maya", session="s2"),
        Said("two", state="quarantined"),
        Said("three", state="passed", stream=ASSISTANT, actor="assistant"),
        Said("four", state="passed", metadata={"project": {"name": "thoth", "n": 1}, "path": "/notes/a.md"}),
        Said("five", state="rejected", metadata={"project": {"name": "other"}, "source": "mail:7"}),
    ])  # fmt: skip
    digested(sql, ids[0], topics=["Travel", "food"], importance=0.9)
    digested(sql, ids[3], topics=["travelling"], importance=0.2)
    told_of(sql, "Maya", [ids[1]], now)
    told_of(sql, "Lisbon", [ids[0], ids[3]], now, says="Lisbon is warm.")
    return ids


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (Wanted(), ["four", "three", "one", "zero"]),
        (Wanted(states=("quarantined", "rejected")), ["five", "two"]),
        (Wanted(states=()), []),
        (Wanted(streams=(ASSISTANT,)), ["three"]),
        (Wanted(streams=(ASSISTANT, USER)), ["four", "three", "one", "zero"]),
        (Wanted(streams=()), []),
        (Wanted(streams=("no.such",)), []),
        (Wanted(actor="maya"), ["one"]),
        (Wanted(session="s2"), ["one"]),
        (Wanted(session="nowhere"), []),
        (Wanted(since=datetime(2026, 5, 14, tzinfo=UTC)), ["four", "three", "one"]),
        (Wanted(until=datetime(2026, 5, 14, tzinfo=UTC)), ["zero"]),
        (Wanted(topic="TRAVEL"), ["zero"]),
        (Wanted(importance=0.5), ["four", "one", "zero"]),
        (Wanted(importance=0.9), ["zero"]),
        (Wanted(entity="maya"), ["one"]),
        (Wanted(entity="LISBON"), ["three", "zero"]),
        (Wanted(entity="Lisbon", session="s2"), []),
        (Wanted(entity="Lisbon", session="s1", streams=(USER,)), ["zero"]),
        (Wanted(entity="nobody"), []),
        (Wanted(metadata={"project": {"name": "thoth"}}), ["four"]),
        (Wanted(metadata={"project": {"name": "thoth", "n": 2}}), []),
        (Wanted(metadata={"project": None}), []),
        (Wanted(source="/notes/"), ["four"]),
        (Wanted(source="/note%"), []),
        (Wanted(source="mail:", states=("rejected",)), ["five"]),
    ],
    ids=str,
)
async def test_a_filter_leaves_what_it_says(db: Database, six: list[UUID], wanted: Wanted, found: list[str]) -> None:
    """faults: an empty allow-list means nothing, never everything."""
    assert await all_of(db, wanted, limit_rows=2) == found


async def test_an_entity_is_found_by_its_number_and_with_those_merged_into_it(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    one, two = perceived(sql, clock.now(), [Said("of maya"), Said("of m.")])
    kept, merged = (told_of(sql, name, [slice_id], clock.now()) for name, slice_id in (("Maya", one), ("M.", two)))
    sql.execute("update thoth.substrate_entities set merged_into = %s where entity_id = %s", [kept, merged])
    for word in (str(kept), "maya", "M."):
        assert await all_of(db, Wanted(entity=word), limit_rows=5) == ["of m.", "of maya"]


async def test_where_hardly_any_fit_a_page_ends_early_and_goes_on(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MOST_LOOKED_AT", 20)
    perceived(sql, clock.now(), [Said("needle", actor="maya"), *[Said(f"hay {n}") for n in range(60)]])
    first = await page(db, "default", Wanted(actor="maya"), limit_rows=5)
    assert first.memories == []
    assert first.next_cursor is not None
    assert await all_of(db, Wanted(actor="maya"), limit_rows=5) == ["needle"]


async def test_another_tenants_memories_are_not_there(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    perceived(sql, clock.now(), [Said("theirs", tenant="theirs"), Said("ours")])
    assert await all_of(db, Wanted(), limit_rows=5) == ["ours"]
    assert await all_of(db, Wanted(session="s1"), limit_rows=5) == ["ours"]


async def test_a_cursor_is_ours_and_of_these_filters(db: Database, six: list[UUID]) -> None:
    first = await page(db, "default", Wanted(), limit_rows=1)
    assert first.next_cursor is not None
    with pytest.raises(BadInput, match="other filters"):
        await page(db, "default", replace(Wanted(), actor="maya"), cursor=first.next_cursor)
    for word in ("x", "é", "....", _b64(b"[]"), _b64(b"{}"), _b64(b'["0",1,"a"]'), _b64(b'["' + b"f" * 32 + b'",1,"a"]'),
                 _b64(b'["019e2a3b4c5d70018aaaaaaaaaaaaaaa",1e300,"a"]'), _b64(b"null"), "\x00", "[" * 9999):  # fmt: skip
        with pytest.raises(BadInput, match="none of ours"):
            await page(db, "default", Wanted(), cursor=word)


def _b64(text: bytes) -> str:
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


@pytest.mark.parametrize("mode", MODES)
def test_every_way_down_reads_by_an_index(sql: psycopg.Connection, clock: PinnedClock, mode: str) -> None:
    tables = (
        "substrate_slices_y2026m04", "substrate_slices_y2026m05", "substrate_salience_h", "substrate_citations",
        "substrate_digests", "substrate_memory_versions",
        "substrate_pending", "substrate_unindexed", "substrate_unconsolidated",
    )  # fmt: skip
    for ago in (30, 0):
        for start in range(0, 4000, 1000):
            said = [Said(f"{n}", tenant=f"t{n % 4}", session=f"s{n % 50}") for n in range(start, start + 1000)]
            ids = perceived(sql, clock.now() - timedelta(days=ago), said)
    sql.execute(
        "insert into thoth.substrate_citations (tenant_id, row_id, slice_id, passage_no, quote_start, quote, content_hash,"
        " event_time) select tenant_id, 1 + (hashtext(slice_id::text) & 255), slice_id, 0, 0, 'x', '\\x00', event_time"
        " from thoth.substrate_slices"
    )
    sql.execute(
        "insert into thoth.substrate_digests (tenant_id, slice_id, importance)"
        " select tenant_id, slice_id, 0.5 from thoth.substrate_slices"
    )
    sql.execute(
        "insert into thoth.substrate_memory_versions (tenant_id, slice_id, replaces, first_id, version)"
        " select tenant_id, slice_id, gen_random_uuid(), gen_random_uuid(), 2 from thoth.substrate_slices"
    )
    for queue in ("substrate_unindexed", "substrate_unconsolidated"):
        sql.execute(
            f"insert into thoth.{queue} (tenant_id, slice_id) select tenant_id, slice_id from thoth.substrate_slices".encode()
        )
    sql.execute("analyze")
    last, at = f"'{listing._LAST.slice_id}'", "'2026-05-20'"
    listed = f"array{[str(one) for one in ids[:200:4]]}::uuid[]"
    asked: list[tuple[Any, tuple[str, ...]]] = [
        (listing.NEWEST, ("'t0'", last, at, "51")),
        (listing.OF_SESSION, ("'t0'", "'s4'", last, at, "51")),
        (listing.OF_ROWS, ("'t0'", "'{1,2,3}'", last, "51")),
        (MEMORIES, ("'t0'", listed, "'{passed}'", *["null"] * 5, "0.5", "'{}'", "'x'", "'{1,2}'", "51")),
    ]
    for query, arguments in asked:
        found = plan(sql, query, *arguments, tenant="t0", mode=mode)
        assert scanned(found, tables) == [], query.name
        assert indexes(found), query.name
