"""What a person types for a slice or a recall."""

from __future__ import annotations

from datetime import timedelta

import psycopg
import pytest

from tests.views.plans import plan, scanned
from tests.views.seed import a_recall, a_slice, many_slices
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput, UnknownSlice
from thoth_substrate.model.ids import ingest_time
from thoth_substrate.views import resolve


async def test_an_id_and_its_beginning_mean_the_slice(db: Database, seeded: psycopg.Connection) -> None:
    one = a_slice(seeded, db.clock.now())
    a_slice(seeded, db.clock.now() + timedelta(seconds=1))
    for word in (str(one), str(one).upper(), one.hex, resolve.short(one), str(one)[:13]):
        assert await resolve.slice_id(db, "default", word) == one


async def test_slices_of_one_millisecond_are_told_apart_by_the_short_form(db: Database, seeded: psycopg.Connection) -> None:
    several = [a_slice(seeded, db.clock.now()) for _ in range(20)]
    assert [await resolve.slice_id(db, "default", resolve.short(one)) for one in several] == several


async def test_an_ambiguous_beginning_names_the_ids(db: Database, seeded: psycopg.Connection) -> None:
    first = a_slice(seeded, db.clock.now())
    a_slice(seeded, db.clock.now())
    with pytest.raises(BadInput, match=f"Several ids begin with .*{first}"):
        await resolve.slice_id(db, "default", str(first)[:8])


async def test_a_handle_means_the_newest_recall_that_showed_it(db: Database, seeded: psycopg.Connection) -> None:
    old, new = a_slice(seeded, db.clock.now()), a_slice(seeded, db.clock.now())
    a_recall(seeded, db.clock.now() - timedelta(hours=2), "then", [("101", old), ("102", old)])
    a_recall(seeded, db.clock.now() - timedelta(hours=1), "now", [("101", new)])
    assert await resolve.slice_id(db, "default", "101") == new
    assert await resolve.slice_id(db, "default", "[102]") == old
    with pytest.raises(UnknownSlice, match="showed the handle 999"):
        await resolve.slice_id(db, "default", "999")


async def test_an_id_from_another_tenant_is_unknown(db: Database, seeded: psycopg.Connection) -> None:
    """faults: an id from another tenant"""
    theirs = a_slice(seeded, db.clock.now(), tenant="other")
    a_recall(seeded, db.clock.now(), "theirs", [("101", theirs)], tenant="other")
    for word in (str(theirs), "101"):
        with pytest.raises(UnknownSlice):
            await resolve.slice_id(db, "default", word)


@pytest.mark.parametrize("word", ["", "abc", "zzzz", "0123456789abcdef0123456789abcdef0", "a b c d", "'; drop", "----"])
async def test_what_cannot_be_an_id_is_bad_input(db: Database, word: str) -> None:
    with pytest.raises(BadInput, match="is not an id"):
        await resolve.slice_id(db, "default", word)


@pytest.mark.parametrize("word", ["0000", "ffff", "ffffffff-ffff-ffff-ffff-ffffffffffff"])
async def test_ids_outside_the_calendar_are_unknown_and_no_error(db: Database, word: str) -> None:
    with pytest.raises(UnknownSlice):
        await resolve.slice_id(db, "default", word)


async def test_a_recall_is_found_by_its_beginning_or_as_the_last(db: Database, seeded: psycopg.Connection) -> None:
    first = a_recall(seeded, db.clock.now() - timedelta(hours=1), "first")
    last = a_recall(seeded, db.clock.now(), "last")
    assert await resolve.recall_id(db, "default", "last") == last
    assert await resolve.recall_id(db, "default", str(first)[:18]) == first
    with pytest.raises(BadInput, match="recall recent"):
        await resolve.recall_id(db, "nobody", "last")


async def test_looking_up_an_id_reads_one_month(db: Database, seeded: psycopg.Connection) -> None:
    one = a_slice(seeded, db.clock.now())
    many_slices(seeded, db.clock.now())
    low, high = resolve._bounds(str(one)[:18])
    root = await plan(db, "default", resolve._BY_PREFIX, "default", low, high, ingest_time(low), ingest_time(high))
    assert "Append" not in str(root)
    assert not scanned(root, "substrate_slices")
