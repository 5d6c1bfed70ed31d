"""Forgetting, and the one way out of the index that it shares with releasing."""

from __future__ import annotations

from datetime import timedelta

import psycopg
import pytest

from tests.fade.support import TENANT, anchored, causes, embedded
from tests.support import Said, count, perceived
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput
from thoth_substrate.fade.forget import Forgotten, forget
from thoth_substrate.fade.pin import pin
from thoth_substrate.fade.release import release
from thoth_substrate.fade.unindex import Unindexed
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.streams import DIARY
from thoth_substrate.triage.index import index

TABLES = ("passages", "passage_vectors", "postings", "terms", "unembedded", "unindexed", "unconsolidated", "pending")


async def test_what_is_forgotten_leaves_every_index_and_queue_at_once(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    said = [Said("Lisbon is warm.", actor="Ana", state="passed"), Said("Oslo is cold.", actor="Ben", state="passed")]
    ana, ben = perceived(sql, clock.now(), said)
    await index(db, limit_rows=10)
    embedded(sql)
    assert await forget(db, TENANT, ana) == Forgotten(True, Unindexed(passages=1, postings=3, vectors=2))
    assert sql.execute("select slice_id from thoth.substrate_passages").fetchall() == [(ben,)]
    assert sql.execute("select term from thoth.substrate_terms order by 1").fetchall() == [("ben",), ("cold",), ("oslo",)]
    assert sql.execute("select term from thoth.substrate_postings order by 1").fetchall() == [("ben",), ("cold",), ("oslo",)]
    assert sql.execute("select passages, total_length from thoth.substrate_text_stats").fetchall() == [(1, 3)]
    assert sql.execute("select vectors, turns, sum from thoth.substrate_vector_stats").fetchall() == [(2, 1, [2.0] * 8)]
    assert sql.execute("select slice_id from thoth.substrate_unconsolidated").fetchall() == [(ben,)]
    await forget(db, TENANT, ben)
    assert {table: count(sql, f"substrate_{table}") for table in TABLES} == dict.fromkeys(TABLES, 0)
    assert sql.execute("select vectors, turns, sum from thoth.substrate_vector_stats").fetchall() == [(0, 0, [0.0] * 8)]


async def test_shared_terms_stay_for_the_others_and_another_tenant_is_not_touched(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    said = [Said("warm sun", state="passed"), Said("warm rain", state="passed"), Said("warm sun", state="passed", tenant="b")]
    first, _, _ = perceived(sql, clock.now(), said)
    await index(db, limit_rows=10)
    await forget(db, TENANT, first)
    rows = sql.execute("select tenant_id, term, passages from thoth.substrate_terms where term in ('warm', 'sun') order by 1, 2")
    assert rows.fetchall() == [("b", "sun", 1), ("b", "warm", 1), (TENANT, "warm", 1)]


async def test_forgetting_is_done_once_and_a_pin_does_not_hold_it(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    [slice_id] = perceived(sql, clock.now(), [Said("a secret", state="passed")])
    await pin(db, TENANT, slice_id)
    clock.advance(timedelta(seconds=1))
    assert (await forget(db, TENANT, slice_id)).changed
    found = anchored(sql, slice_id)
    assert found is not None
    assert (found.anchor, found.fades_at, found.pinned, found.releasable) == (0.0, clock.now(), False, True)
    clock.advance(timedelta(seconds=1))
    assert not (await forget(db, TENANT, slice_id)).changed
    assert causes(sql, slice_id) == ["pinned", "forgotten"]


async def test_a_forgotten_slice_loses_its_content_on_the_next_cycle_though_nothing_was_promoted(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    [slice_id] = perceived(sql, clock.now(), [Said("a secret", actor="Ana", metadata={"from": "Ana"})])
    await forget(db, TENANT, slice_id)
    assert (await release(db, limit_rows=10)).released == 1
    row = sql.execute(
        "select text, payload, metadata, actor, consolidation_state, released_at from thoth.substrate_slices"
    ).fetchone()
    assert row == ("", None, {}, "", "released", clock.now())
    assert not (await forget(db, TENANT, slice_id)).changed


async def test_a_slice_that_waited_for_the_indexer_when_it_was_forgotten_is_never_indexed(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    [slice_id] = perceived(sql, clock.now(), [Said("a secret", state="passed")])
    await forget(db, TENANT, slice_id)
    await index(db, limit_rows=10)
    assert count(sql, "substrate_passages") == 0


async def test_the_diary_is_not_forgotten(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    [slice_id] = perceived(sql, clock.now(), [Said("", stream=DIARY)])
    sql.execute("update thoth.substrate_slices set consolidation_state = 'exempt'")
    with pytest.raises(BadInput, match="audit chain"):
        await forget(db, TENANT, slice_id)
