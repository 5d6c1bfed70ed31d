"""Indexing: from passed slices to passages, postings and the embedder's queue."""

from __future__ import annotations

from datetime import timedelta

import psycopg

from tests.support import Said, count, perceived
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.triage.index import IndexReport, index


async def test_a_passed_slice_becomes_a_passage_with_postings(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    [slice_id] = perceived(sql, clock.now(), [Said("We moved to Lisbon in May; Lisbon is warm.", actor="Ana", state="passed")])
    assert await index(db, limit_rows=10) == IndexReport(tenants=1, slices=1, passages=1)
    row = sql.execute(
        "select slice_id, passage_no, seq, char_start, char_end, length, actor, terms, counts from thoth.substrate_passages"
    ).fetchone()
    assert row == (slice_id, 0, 1, 0, 42, 6, "Ana", ["ana", "move", "lisbon", "may", "warm"], [1, 1, 2, 1, 1])
    assert sql.execute("select count, length from thoth.substrate_postings where term = 'lisbon'").fetchall() == [(2, 6)]
    assert sql.execute("select term, passages from thoth.substrate_terms order by 1").fetchall() == [
        ("ana", 1), ("lisbon", 1), ("may", 1), ("move", 1), ("warm", 1)
    ]  # fmt: skip
    assert sql.execute("select passages, total_length from thoth.substrate_text_stats").fetchall() == [(1, 6)]
    assert count(sql, "substrate_unindexed") == 0
    assert count(sql, "substrate_unembedded") == 1


async def test_passages_are_numbered_in_the_order_of_events_and_a_late_one_is_appended(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    now = clock.now()
    said = [Said(f"turn number {n}", at=now + timedelta(minutes=m), state="passed") for n, m in ((2, 2), (1, 1), (3, 3))]
    perceived(sql, now, said)
    await index(db, limit_rows=10)
    perceived(sql, now, [Said("turn number 0", at=now, state="passed")])
    await index(db, limit_rows=10)
    rows = sql.execute("select seq, terms[4] from thoth.substrate_passages order by seq").fetchall()
    assert rows == [(1, "1"), (2, "2"), (3, "3"), (4, "0")]
    assert sql.execute("select last_seq from thoth.substrate_sessions").fetchall() == [(4,)]
