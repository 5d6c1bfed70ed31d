"""The hot statements of embedding read by key, whatever the size of what is stored."""

from __future__ import annotations

import psycopg
import pytest

from tests.plans import indexes, plan, scanned
from tests.support import Said, perceived
from thoth_substrate.embed import backfill, reembed
from thoth_substrate.model.clock import PinnedClock

MODES = ("force_generic_plan", "force_custom_plan")
TABLES = ("substrate_slices_y2026m05", "substrate_unembedded", "substrate_passages_h", "substrate_passage_vectors_h")


@pytest.fixture
def ids(sql: psycopg.Connection, clock: PinnedClock) -> str:
    """Passages of one tenant, with vectors, all queued; as an SQL literal, the ids of one batch."""
    perceived(sql, clock.now(), [Said(f"turn {n} about the mill", session=f"s{n % 9}", state="passed") for n in range(4000)])
    sql.execute(
        """
        insert into thoth.substrate_passages (tenant_id, slice_id, passage_no, stream_id, session_no, seq, event_time,
            char_start, char_end, length, actor, terms, counts)
        select tenant_id, slice_id, 0, 1, 1, row_number() over (), event_time,
            0, 9, 3, 'user', '{a}', '{1}' from thoth.substrate_slices;
        insert into thoth.substrate_unembedded select tenant_id, passage_id from thoth.substrate_passages;
        insert into thoth.substrate_embedding_models values ('m', 8, '{1}', true);
        insert into thoth.substrate_passage_vectors
        select tenant_id, passage_id, 'turn', 'm', '[1,2,3,4,5,6,7,8]', passage_id::bit(1536) from thoth.substrate_passages;
        """
    )
    sql.execute("analyze")
    rows = sql.execute("select passage_id from thoth.substrate_passages order by passage_id limit 16").fetchall()
    return f"array{[row[0] for row in rows]}::bigint[]"


@pytest.mark.parametrize("mode", MODES)
def test_gathering_reads_by_key(sql: psycopg.Connection, ids: str, mode: str) -> None:
    found = plan(sql, backfill._DUE, "32", role="thoth_worker", tenant="", mode=mode, point_lookups=False)
    assert scanned(found, TABLES) == []
    assert indexes(found) == {"substrate_unembedded_due"}
    found = plan(sql, backfill._TEXTS, "'default'", ids, mode=mode)
    assert scanned(found, TABLES) == []


@pytest.mark.parametrize("mode", MODES)
def test_storing_reads_by_key(sql: psycopg.Connection, ids: str, mode: str) -> None:
    arrays = ("array['turn']", "array['[1,2,3,4,5,6,7,8]'::halfvec]", f"array['{'01' * 768}']")
    assert scanned(plan(sql, backfill._STORE, "'default'", "'m'", ids, *arrays, mode=mode), TABLES) == []
    assert scanned(plan(sql, backfill._FAILED, "'default'", ids, "array[60]", "array['no']", mode=mode), TABLES) == []


@pytest.mark.parametrize("mode", MODES)
def test_queueing_again_walks_by_key(sql: psycopg.Connection, ids: str, mode: str) -> None:
    assert scanned(plan(sql, reembed._REQUEUE, "'default'", "1000", "500", mode=mode), TABLES) == []
