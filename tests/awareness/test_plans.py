"""The line, a lookup, a reading and a noting go by key, however many tenants there are: no table is walked through."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.plans import indexes, plan, scanned
from tests.support import Said, perceived
from thoth_substrate.awareness import erase, keep, line, lookup, note, read
from thoth_substrate.db.queries import Query
from thoth_substrate.model.clock import PinnedClock
from thoth_workers.crew import indexer

FIRST = "'019e0000-0000-7000-8000-000000000000'"  # of May 2026
MODES = ("force_generic_plan", "force_custom_plan")
TABLES = (
    "substrate_concepts", "substrate_keywords", "substrate_sources", "substrate_slices_y2026m03", "substrate_slices_y2026m04",
    "substrate_slices_y2026m05", "substrate_citations", "substrate_relationships", "substrate_external_ids",
)  # fmt: skip
# Forty tenants of 500 topics with eight words and two sources each.
_FILL = """
insert into thoth.substrate_concepts (tenant_id, concept_id, expires_at)
select 't' || t, t * 1000 + n, timestamptz '2026-06-01' + make_interval(days => n % 30 - 15)
from generate_series(0, 39) t, generate_series(1, 500) n;
insert into thoth.substrate_keywords (tenant_id, concept_id, keyword, term, last_at)
select tenant_id, concept_id, 'word' || concept_id % 300 + w * 300, 'word' || concept_id % 300 + w * 300, timestamptz '2026-05-14'
from thoth.substrate_concepts, generate_series(0, 7) w;
insert into thoth.substrate_sources (tenant_id, concept_id, type, ref, from_time, to_time)
select tenant_id, concept_id, 'conversation', 'thoth.world.user_message.cli/s' || concept_id % 40 + s, '2026-05-13', '2026-05-14'
from thoth.substrate_concepts, generate_series(0, 1) s;
insert into thoth.substrate_external_ids select tenant_id, 'mail', slice_id::text, slice_id from thoth.substrate_slices;
insert into thoth.substrate_relationships (tenant_id, relationship_id, subject_id, predicate, object_text, object_norm, statement,
    valid_from, stated_confidence, confidence, agent)
select tenant_id, row_number() over (order by slice_id), 1, 'likes', 'x', 'x', 'they like it', event_time, 1, 1, 'parser'
from thoth.substrate_slices;
insert into thoth.substrate_citations (tenant_id, row_id, slice_id, passage_no, quote_start, quote, content_hash, event_time)
select tenant_id, row_number() over (order by slice_id), slice_id, 0, 0, 'x', '\\x00', event_time from thoth.substrate_slices;
analyze;
"""


@pytest.fixture
def ground(sql: psycopg.Connection, clock: PinnedClock) -> str:
    """Topics, and slices of three months; as an SQL literal, the ids of some."""
    ids = []
    for days in (60, 30, 0):
        at = clock.now() - timedelta(days=days)
        said = [Said(f"turn {n}", session=f"s{n % 50}", tenant=f"t{n % 4}", at=at, state="passed") for n in range(3000)]
        ids += perceived(sql, at, said)
    sql.execute(_FILL.encode())
    return "array[" + ", ".join(f"'{one}'" for one in ids[:32:4]) + "]::uuid[]"


@pytest.mark.parametrize("mode", MODES)
def test_what_is_going_on_is_read_by_key(sql: psycopg.Connection, ground: str, mode: str) -> None:
    words, some = "array['word7', 'word307']", "array[7, 8, 9]::bigint[]"
    span = ("'2026-05-13'", "'2026-05-14'")
    asked: list[tuple[Query[Any], tuple[str, ...]]] = [
        (line._FRESH, ("300",)),
        (lookup._KNOWN, (words,)),
        (lookup._NEAR, ("'wrd7'", "1")),
        (lookup._MATCHES, (words, "10")),
        (keep._TOLD, (some,)),
        (keep._MET, (some,)),
        (keep._LIVING, ("50",)),
        (note._NEAR, (words,)),
        (read._WINDOW, ("'thoth.world.user_message.cli'", "'s7'", *span, "200")),
        (read._IMPORTED, ("'mail'", "'x'")),
        (read._LEFT, (ground,)),
        (erase._TOUCHED, (ground,)),
        (erase._SPEAKING, (words,)),
        (indexer._FRESH, (FIRST, "'ffffffff-ffff-ffff-ffff-ffffffffffff'", "'2026-03-01'", "100", "500")),
        (indexer._HELD, (ground,)),
    ]
    for query, arguments in asked:
        found = plan(sql, query, "'t1'", *arguments, tenant="t1", mode=mode, point_lookups=False)
        assert (query.name, scanned(found, TABLES)) == (query.name, [])


@pytest.mark.parametrize("mode", MODES)
def test_a_word_is_looked_up_by_its_index(sql: psycopg.Connection, ground: str, mode: str) -> None:
    found = plan(sql, lookup._MATCHES, "'t1'", "array['word7']", "10", tenant="t1", mode=mode)
    assert "substrate_keywords_term" in indexes(found)


def test_the_sweep_reads_what_has_expired_alone(sql: psycopg.Connection, ground: str) -> None:
    from thoth_substrate.awareness import expire

    sql.execute("update thoth.substrate_concepts set expires_at = expires_at + interval '1 year' where concept_id % 50 > 0")
    sql.execute("analyze thoth.substrate_concepts")
    found = plan(sql, expire._EXPIRED, role="thoth_worker", tenant="", point_lookups=False)
    assert scanned(found, TABLES) == []
