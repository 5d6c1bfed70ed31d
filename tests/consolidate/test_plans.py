"""What promotion asks is read by key, whatever the size of what is held: no table of knowledge and no month is walked through."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tests.plans import plan, scanned
from tests.support import Said, perceived
from thoth_substrate.consolidate import entities, facts, judge, merge, promote, read, statements
from thoth_substrate.db.queries import Query
from thoth_substrate.model.clock import PinnedClock

MODES = ("force_generic_plan", "force_custom_plan")
TABLES = (
    "substrate_slices_y2026m05", "substrate_salience_h", "substrate_unconsolidated", "substrate_entities",
    "substrate_entity_aliases",
    "substrate_entity_merges", "substrate_relationships", "substrate_citations", "substrate_supports", "substrate_verdicts",
    "substrate_digests", "substrate_statements", "substrate_statement_postings", "substrate_unassociated", "substrate_outcomes",
)  # fmt: skip
_FILL = """
create temporary table filling as
select tenant_id, slice_id, event_time, row_number() over (order by slice_id) as n from thoth.substrate_slices;
insert into thoth.substrate_entities (tenant_id, entity_id, kind, name, norm, first_seen, last_seen, merged_into, agent)
select tenant_id, n, 'thing', 'e' || n, 'e' || n, event_time, event_time,
    case when n % 10 = 3 then n - 4 end, 'parser' from filling;
insert into thoth.substrate_entity_aliases select tenant_id, norm, entity_id, name from thoth.substrate_entities;
insert into thoth.substrate_entity_merges (tenant_id, merge_id, kept_id, merged_id, moved_ids, reason)
select tenant_id, 500000 + n, n - 4, n, '{}', 'x' from filling where n % 10 = 3;
insert into thoth.substrate_relationships (tenant_id, relationship_id, subject_id, predicate, object_id, object_text, object_norm,
    statement, valid_from, stated_confidence, confidence, agent)
select tenant_id, 100000 + n, n, 'likes', n % 1000 + 1, 'x', 'x', 'they like it', event_time, 1, 1, 'parser' from filling;
insert into thoth.substrate_citations (tenant_id, row_id, slice_id, passage_no, quote_start, quote, content_hash, event_time)
select tenant_id, 100000 + n, slice_id, 0, 0, 'x', '\\x00', event_time from filling;
insert into thoth.substrate_supports select tenant_id, 200000 + n, 100000 + n from filling;
insert into thoth.substrate_verdicts select tenant_id, slice_id, 0, 'extracted', '', 'parser', event_time from filling;
insert into thoth.substrate_digests (tenant_id, slice_id, importance) select tenant_id, slice_id, 0.5 from filling;
insert into thoth.substrate_statements select tenant_id, 100000 + n, 'relationship',
    array['like', 'e' || n], '{1,1}', 2 from filling;
insert into thoth.substrate_statement_postings
select s.tenant_id, t, s.row_id, 1, 2 from thoth.substrate_statements s, unnest(s.terms) t;
insert into thoth.substrate_unassociated select tenant_id, n from filling;
insert into thoth.substrate_outcomes select tenant_id, 100000 + n, 'corroborated', 100000 + n, event_time from filling;
analyze;
"""


@pytest.fixture
def ids(sql: psycopg.Connection, clock: PinnedClock) -> str:
    """Two tenants of 4,000 slices, entities and facts each; as an SQL literal, the ids of one batch."""
    batch = perceived(sql, clock.now(), [Said(f"turn {n}", tenant=f"t{n % 2}", state="passed") for n in range(8000)])
    sql.execute(_FILL.encode())
    return "array[" + ", ".join(f"'{one}'" for one in batch[:32:2]) + "]::uuid[]"


@pytest.mark.parametrize("mode", MODES)
def test_a_promotion_reads_by_key(sql: psycopg.Connection, ids: str, mode: str) -> None:
    some, rows = "array[1, 3, 7]::bigint[]", "array[100001, 100003, 100007]::bigint[]"
    words, sessions = "array['a', 'b', 'c']", "array['s1', 's1', 's1']"
    times, bytes_ = "array_fill(timestamptz '2024-01-01', array[3])", "array_fill('\\x00'::bytea, array[3])"
    decision, three = "'00000000-0000-0000-0000-000000000001'", f"({ids})[1:3]"
    asked: list[tuple[Query[Any], tuple[str, ...]]] = [
        (promote._SLICES, (ids,)),
        (promote._ANCHORS, (ids,)),
        (entities._NAMED, ("array['e1', 'e3', 'nobody']",)),
        (entities._EVIDENCE, (some, sessions, some)),
        (entities._SEEN, (some, words, words, times, times, "array[null, null, null]::halfvec[]", "'m'")),
        (entities._ALIASES, (some, words, words, decision)),
        (facts._HELD, (some, "array['likes', 'likes', 'likes']", some, words, "array[true, false, false]")),
        (facts._RETRACTED, (rows, words, rows)),
        (
            facts._CITED,
            (rows, three, "array[0, 0, 0]::smallint[]", "array[0, 0, 0]", words, bytes_, times, words, words, decision),
        ),
        (facts._INHERITED, (some, rows)),
        (facts._SUPPORTS, (some, rows)),
        (facts._OUTCOMES, (rows, "array['corrected', 'corrected', 'corrected']", rows)),
        (facts._CORROBORATED, (rows, sessions)),
        (judge._KNOWN, (ids,)),
        (judge._PLACES, (ids,)),
        (
            judge._MADE,
            (three, "array[0, 0, 0]::smallint[]", "array_fill('nothing'::text, array[3])", words, "'parser'", decision),
        ),
        (judge._CONSOLIDATED, (ids,)),
        (judge._PARTIAL, (ids,)),
        (statements._DUE, (rows,)),
        (statements._GONE, (rows,)),
        (statements._UNPOSTED, (rows,)),
        (statements._FACTS, (some, "500")),
        (merge._ROOTS, (some,)),
        (merge._MERGED, ("1", "7", "'x'", decision)),
        (merge._KNOWN, ("500003",)),
        (merge._UNMERGED, ("500003", "3", some)),
    ]
    for query, arguments in asked:
        found = plan(sql, query, "'t0'", *arguments, tenant="t0", mode=mode)
        assert (query.name, scanned(found, TABLES)) == (query.name, [])


@pytest.mark.parametrize("mode", MODES)
def test_facts_about_somebody_are_read_by_key(sql: psycopg.Connection, ids: str, mode: str) -> None:
    asked: list[tuple[Query[Any], tuple[str, ...]]] = [
        (read._NAMED, ("'e3'",)),
        (read._ABOUT, ("array[1, 7]::bigint[]", "true", "100")),
        (read._CITATIONS, ("100001", "100")),
    ]
    for query, arguments in asked:
        found = plan(sql, query, "'t0'", *arguments, tenant="t0", mode=mode)
        assert (query.name, scanned(found, TABLES)) == (query.name, [])
