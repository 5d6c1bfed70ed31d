"""Backfill: passages get their vectors, in bulk, once, whatever happens in between."""

from __future__ import annotations

import numpy as np
import psycopg

from tests.support import Said, count, perceived
from thoth_substrate.db.pool import Database
from thoth_substrate.embed.backfill import backfill
from thoth_substrate.embed.local import LocalEmbedder
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.triage.index import index


async def test_short_turns_get_a_vector_of_their_own_and_one_with_the_turn_before(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    perceived(sql, clock.now(), [Said("Where did you go?", state="passed"), Said("To Lisbon, with Ana.", state="passed")])
    await index(db, limit_rows=10)
    report = await backfill(db, LocalEmbedder(), limit_rows=10)
    assert (report.embedded, report.vectors) == (2, 3)
    assert count(sql, "substrate_unembedded") == 0
    kinds = sql.execute("select kind from thoth.substrate_passage_vectors order by passage_id, kind").fetchall()
    assert kinds == [("turn",), ("turn",), ("window",)]
    row = sql.execute("select vectors, turns, sum from thoth.substrate_vector_stats").fetchone()
    assert row is not None
    assert row[:2] == (3, 2)
    assert 1.8 < np.linalg.norm(row[2]) < 2.0
