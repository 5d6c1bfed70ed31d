"""The statements of fading read by key, whatever the size of what is stored: no month and no tenant is walked through."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.plans import indexes, nodes, plan, scanned
from tests.support import Said, perceived
from thoth_substrate.db.queries import Query
from thoth_substrate.fade import forget, hold, pin, reinforce, release, unindex
from thoth_substrate.model.clock import PinnedClock
from thoth_workers import lease

MODES = ("force_generic_plan", "force_custom_plan")
TABLES = (
    "substrate_slices_y2026m04", "substrate_slices_y2026m05", "substrate_salience_h", "substrate_passages_h",
    "substrate_passage_vectors_h", "substrate_postings_h", "substrate_terms_h", "substrate_pending", "substrate_unindexed",
    "substrate_unconsolidated", "substrate_unembedded", "substrate_verdicts", "substrate_digests",
)  # fmt: skip
PASSAGES = f"array{list(range(1, 13))}::bigint[]"
_FILL = """
insert into thoth.substrate_unindexed select tenant_id, slice_id from thoth.substrate_slices;
insert into thoth.substrate_unconsolidated select tenant_id, slice_id from thoth.substrate_slices;
insert into thoth.substrate_verdicts
select tenant_id, slice_id, 0, 'nothing', '', 'parser', event_time from thoth.substrate_slices;
insert into thoth.substrate_digests (tenant_id, slice_id, importance) select tenant_id, slice_id, 0.5 from thoth.substrate_slices;
insert into thoth.substrate_passages (tenant_id, slice_id, passage_no, stream_id, session_no, seq, event_time,
    char_start, char_end, length, actor, terms, counts)
select tenant_id, slice_id, 0, 1, 1, 1, event_time, 0, 9, 3, 'user', array['a', 'b' || md5(slice_id::text)], '{1,1}'
from thoth.substrate_slices;
insert into thoth.substrate_unembedded select tenant_id, passage_id from thoth.substrate_passages;
insert into thoth.substrate_postings select p.tenant_id, t, p.passage_id, 1, 2 from thoth.substrate_passages p, unnest(p.terms) t;
insert into thoth.substrate_terms select tenant_id, term, count(*) from thoth.substrate_postings group by 1, 2;
insert into thoth.substrate_embedding_models values ('m', 8, array_fill(0::real, array[8]), true);
insert into thoth.substrate_passage_vectors select tenant_id, passage_id, 'turn', 'm', array_fill(1::real, array[8])::halfvec,
    (repeat(passage_id::bit(16)::text, 96))::bit(1536) from thoth.substrate_passages;
update thoth.substrate_salience set releasable = true, fades_at = anchored_at where abs(hashtext(slice_id::text)) % 4 = 0;
"""


@pytest.fixture
def ids(sql: psycopg.Connection, clock: PinnedClock) -> str:
    """Slices of two months and four tenants, indexed and queued; as an SQL literal, the ids of one batch.

    A batch is small beside what is stored, and so is a tick's share of what is due: no two plans are then of a like cost.
    """
    batch = []
    for ago in (30, 0):
        said = [Said(f"turn {n}", tenant=f"t{n % 4}") for n in range(3000)]
        batch = perceived(sql, clock.now() - timedelta(days=ago), said)
    sql.execute(_FILL)
    sql.execute("analyze")
    return "array[" + ", ".join(f"'{slice_id}'" for slice_id in batch[:240:20]) + "]::uuid[]"


@pytest.mark.parametrize("mode", MODES)
def test_what_is_due_is_a_range_of_an_index(sql: psycopg.Connection, ids: str, mode: str) -> None:
    found = plan(sql, release._DUE, "20", role="thoth_worker", tenant="", mode=mode, point_lookups=False)
    assert scanned(found, TABLES) == []
    assert indexes(found)
    assert all(name.endswith("_fades_at_idx") for name in indexes(found))
    assert {node["Node Type"] for node in nodes(found)} <= {"Limit", "Merge Append", "Index Scan", "Append", "Result"}


@pytest.mark.parametrize("mode", MODES)
def test_a_batch_of_releases_reads_by_key(sql: psycopg.Connection, ids: str, mode: str) -> None:
    thin = "array_fill('thin'::text, array[12])"
    asked: list[tuple[Query[Any], tuple[str, ...]]] = [
        (release._STALE, ("'t0'", ids)),
        (release._CLAIM, ("'t0'", ids)),
        (release._POSTPONE, ("'t0'", ids)),
        (release._EMPTY, ("'t0'", ids, thin)),
        (release._ANCHORS, ("'t0'", ids)),
        (release._JUDGED, ("'t0'", ids)),
        (unindex._DEQUEUE, ("'t0'", ids)),
        (unindex._TAKE_BACK, ("'t0'", ids)),
        (unindex._UNQUEUED, ("'t0'", PASSAGES)),
        (unindex._VECTORS, ("'t0'", PASSAGES)),
    ]
    for query, arguments in asked:
        found = plan(sql, query, *arguments, tenant="t0", mode=mode)
        assert scanned(found, TABLES) == [], query.name
        assert not any("term_idx" in name for name in indexes(found)), "the trigram index is no way to a term"


@pytest.mark.parametrize("mode", MODES)
def test_one_slice_is_pinned_or_forgotten_by_key(sql: psycopg.Connection, ids: str, mode: str) -> None:
    one = f"({ids})[1]"
    for query in (hold._HELD, pin._PINNED, pin._UNPINNED, forget._FORGOTTEN):
        found = plan(sql, query, "'t0'", one, tenant="t0", mode=mode, point_lookups=query is forget._FORGOTTEN)
        assert scanned(found, TABLES) == [], query.name
    found = plan(sql, reinforce._REINFORCED, "'t0'", ids, "'used'", "1.0", "'1 minute'", tenant="t0", mode=mode)
    assert scanned(found, TABLES) == []


@pytest.mark.parametrize("mode", MODES)
def test_a_lease_is_asked_for_by_key(sql: psycopg.Connection, mode: str) -> None:
    sql.execute("insert into thoth.substrate_agents (agent) select 'agent' || n from generate_series(1, 2000) n")
    sql.execute("analyze thoth.substrate_agents")
    beat = ("'agent7'", "'me'", "true", "1", "'5 seconds'", "true", "'10 seconds'", "1", "null")
    for query, arguments in ((lease._BEAT, beat), (lease._STANDING, ("'agent7'",)), (lease._LEAVE, ("'agent7'", "'me'", "1"))):
        found = plan(sql, query, *arguments, role="thoth_worker", tenant="", mode=mode, point_lookups=False)
        assert indexes(found) == {"substrate_agents_pkey"}
