"""The statements that run on every turn, every flush and every tick read by key, whatever the size of what is stored.

Each of them has a test of its plan, as the run-time role and under a generic plan too: here, or beside its step.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import psycopg
import pytest

from tests.house.roles import constants
from tests.house.source import modules_of_tests, statements
from tests.plans import Plan, indexes, nodes, plan, scanned
from tests.servers import at

HOT = {
    "perceive": {"flush_batch"},
    "triage": {
        "pass_claimed", "pending_oldest", "pending_content", "pass_judged", "force_reject", "index_waiting", "index_gather",
        "index_claim", "index_skip", "index_sessions",
    },
    "embed": {"backfill_due", "backfill_texts", "backfill_store", "backfill_failed"},
    "consolidate": {
        "tenants_with_work", "claim_candidates", "claim_locked", "claim_taken", "claim_sources", "renewed", "held", "put_off",
        "slices_held", "entities_named", "facts_held", "cited_places", "verdicts_known", "citations_made", "statements_due",
        "statements_gone", "consolidated",
    },
    "fade": {"due", "claim", "reinforced", "take_back"},
    "recall": {
        # nearest_exact and nearest_scanned compare a smaller tenant's vectors one by one: they are meant to read them all
        "tenant_state", "term_frequencies", "near_spellings", "nearest_indexed", "candidates", "around", "texts", "grasp",
        "known", "vector_keys", "vectors_packed",
    },
    "awareness": {
        "line_keywords", "terms_known", "terms_near", "matches", "concepts_told", "sources_met", "concepts_near", "window",
        "concepts_touched",
    },
    "memories": {"versions_cut_off"},
    "items": {"items_get", "items_put", "items_newest", "log_latest", "log_popped", "unsaid"},
    "views": {"newest_slices", "slices_of_session", "recent_recalls", "by_prefix", "still_there"},
}  # fmt: skip
MODES = ("force_generic_plan", "force_custom_plan")
TABLES = (
    "substrate_slices_y2026m03", "substrate_slices_y2026m04", "substrate_slices_y2026m05", "substrate_salience_h",
    "substrate_passages_h", "substrate_passage_vectors_h", "substrate_postings_h", "substrate_terms_h",
    "substrate_external_ids", "substrate_sessions", "substrate_entities", "substrate_entity_aliases", "substrate_relationships",
    "substrate_citations", "substrate_supports", "substrate_statements", "substrate_statement_postings", "substrate_associations",
    "substrate_patterns", "substrate_observations", "substrate_memory_versions",
)  # fmt: skip
VECTOR = f"'[1{',0' * 383}]'::halfvec"


@pytest.fixture(scope="module")
def ground(server_dsn: str, template: str) -> Iterator[psycopg.Connection]:
    """A superuser in a database with two tenants of 12,000 slices each, of three months; one has 6,000 vectors."""
    name = f"{template}_hot"
    with psycopg.connect(at(server_dsn, "postgres"), autocommit=True) as server:
        server.execute(f'create database "{name}" template "{template}" strategy file_copy'.encode())
        try:
            with psycopg.connect(at(server_dsn, name), autocommit=True) as connection:
                connection.execute("set search_path = thoth, public")
                connection.execute(_FILL.encode())
                connection.execute("analyze")
                connection.execute("vacuum substrate_passage_vectors")  # else an index alone cannot tell what is visible
                yield connection
        finally:
            server.execute(f'drop database "{name}" with (force)'.encode())


_FILL = """
set session_replication_role = replica;
select substrate_make_months('2026-03-01', 4);
insert into substrate_streams (stream, family, modality, source, profile)
values ('thoth.world.note', 'exteroceptive', 'text', 'test', 'default-text');
insert into substrate_embedding_models values ('m', 384, array_fill(0::real, array[384]), true);
create temporary table filling as
select 't' || n % 2 as tenant_id, n, at,
    (lpad(to_hex((date_part('epoch', at) * 1000)::bigint), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid as slice_id
from generate_series(1, 24000) n
cross join lateral (select timestamptz '2026-03-01 00:00:00+00' + make_interval(mins => n * 5) as at) t;
insert into substrate_slices (tenant_id, slice_id, ingest_time, stream_id, session_id, actor, event_time, triage_state,
    content_hash, text)
select tenant_id, slice_id, at, 1, 's' || n % 500, 'maya', at, 'passed', '\\x00', repeat('the mill stands still ', 10)
from filling;
insert into substrate_external_ids select tenant_id, 'test', 'x' || n, slice_id from filling;
insert into substrate_memory_versions
select tenant_id, slice_id, gen_random_uuid(), slice_id, 2, at, '', case when n % 4000 > 1 then at end from filling;
insert into substrate_salience (tenant_id, slice_id, anchor, anchored_at, half_life, fades_at, pinned, releasable, profile)
select tenant_id, slice_id, 1, at, '14 days', at + interval '60 days', n % 1000 = 0, n % 10 = 0, 'default-text' from filling;
insert into substrate_sessions select distinct tenant_id, 's' || n % 500 from filling;
insert into substrate_sessions select 't' || n % 2, 'before' || n from generate_series(1, 20000) n;
insert into substrate_passages (tenant_id, passage_id, slice_id, passage_no, stream_id, session_no, seq, event_time, char_start,
    char_end, length, actor, terms, counts)
select f.tenant_id, f.n, f.slice_id, 0, 1, s.session_no, f.n / 500 + 1, f.at, 0, 100, 4, 'maya',
    array['mill', 'word' || f.n % 3000], '{1,1}'
from filling f join substrate_sessions s on s.tenant_id = f.tenant_id and s.session_id = 's' || f.n % 500;
insert into substrate_postings
select tenant_id, u.term, passage_id, 1, 4 from substrate_passages, unnest(terms) u(term);
insert into substrate_terms select tenant_id, term, count(*) from substrate_postings group by 1, 2;
insert into substrate_passage_vectors
select tenant_id, passage_id, 'turn', 'm', array_fill(0.05::real, array[384])::halfvec,
    (passage_id::bit(64)::text || repeat('01', 736))::bit(1536)
from substrate_passages where passage_id % 8 in (1, 3);
insert into substrate_entities (tenant_id, entity_id, kind, name, norm, first_seen, last_seen, merged_into, agent)
select tenant_id, n, 'thing', 'e' || n, 'e' || n, at, at, case when n % 10 = 3 then n - 2 end, 'parser'
from filling where n <= 8000;
insert into substrate_entity_aliases select tenant_id, norm, entity_id, name from substrate_entities;
insert into substrate_relationships (tenant_id, relationship_id, subject_id, predicate, object_id, object_text, object_norm,
    statement, valid_from, stated_confidence, confidence, agent)
select tenant_id, 100000 + n, n % 4000 + 1, 'likes', n % 3000 + 1, '', '', 'the mill stands still', at, 1, 1, 'parser'
from filling;
insert into substrate_citations (tenant_id, row_id, slice_id, passage_no, quote_start, quote, content_hash, event_time)
select tenant_id, 100000 + n, slice_id, 0, 0, 'mill', '\\x00', at from filling;
insert into substrate_patterns (tenant_id, pattern_id, kind, statement, norm, valid_from, valid_to, stated_confidence, confidence,
    agent) select tenant_id, 200000 + n, 'pattern', 'mills', 'mills', at, at, 1, 1, 'finder' from filling where n <= 8000;
insert into substrate_supports select tenant_id, 200000 + n, 100000 + n + m * 2
from filling, generate_series(0, 1) m where n <= 8000;
insert into substrate_observations (tenant_id, observation_id, kind, score, observed_at, agent)
select tenant_id, 300000 + n, case when n % 2000 < 2 then 'self' else 'coherence' end, .9, at, 'critic'
from filling where n <= 12000;
insert into substrate_associations select tenant_id, n, n + 2, .5, 1, 1, 1 from filling where n <= 8000;
insert into substrate_statements
select tenant_id, 100000 + n, 'relationship', array['mill', 'word' || n % 3000], '{1,1}', 4,
    array_fill(0.05::real, array[384])::halfvec, 'm'
from filling;
insert into substrate_statement_postings
select tenant_id, u.term, row_id, 1, 4 from substrate_statements, unnest(terms) u(term);
insert into substrate_text_stats select tenant_id, count(*), count(*) * 4 from substrate_passages group by 1;
insert into substrate_vector_stats select tenant_id, 'm', count(*), count(*), array_fill(1::real, array[384])
from substrate_passage_vectors group by 1;
set session_replication_role = origin;
"""


@pytest.mark.parametrize("mode", MODES)
def test_a_recall_reads_by_key(ground: psycopg.Connection, mode: str) -> None:
    passages = "array[1, 2, 3]::bigint[]"
    always, any_id = "'2020-01-01'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"
    asked = {
        "tenant_state": ("'t1'",),
        "term_frequencies": ("'t1'", "array['mill', 'word7']"),
        "near_spellings": ("'t1'", "'mlil'", "1"),
        "candidates": (
            "'t1'", "array['word7', 'mill']", "array[3, 1]", "20000", "2", "4", "200", f"array[{always}]::timestamptz[]",
            "array['2026-03-02']::timestamptz[]", "'elsewhere'", always, "20", "2", any_id,
        ),
        "around": (
            "'t1'", passages, "array[5, 7]::bigint[]", "array['word7', 'mill']", "array[3, 1]", "4", "'m'", VECTOR, "'elsewhere'",
            always, any_id,
        ),
        "texts": ("'t1'", passages),
        "vectors_packed": ("'t1'", "'m'", passages),
    }  # fmt: skip
    for name, arguments in asked.items():
        found = plan(
            ground, statements()["thoth_substrate.recall", name], *arguments, tenant="t1", mode=mode, point_lookups=False
        )
        assert (name, scanned(found, TABLES)) == (name, [])


@pytest.mark.parametrize("mode", MODES)
def test_knowledge_is_read_by_key(ground: psycopg.Connection, mode: str) -> None:
    """But for one part, which compares a small tenant's statements one by one and is meant to read them all."""
    numbers, weights = "array[5, 7]::bigint[]", "array[.5, .2]::real[]"
    asked = {
        "grasp": ("'t1'", "array['mill', 'word7']", "array['e5', 'e7', 'e5 e7']", "1000"),
        "known": (
            "'t1'", "array['word7', 'mill']", "array[3, 1]", "2000", "1", "4", numbers, numbers, weights, "'m'", VECTOR, "false",
            "'{}'::bigint[]", "'2026-05-15'", "false", "48",
        ),
    }  # fmt: skip
    for name, arguments in asked.items():
        found = plan(
            ground, statements()["thoth_substrate.recall", name], *arguments, tenant="t1", mode=mode, point_lookups=False
        )
        assert (name, scanned(_without(found, "CTE alike"), TABLES)) == (name, [])


def _without(found: Plan, part: str) -> Plan:
    """A plan but for one part of it."""
    kept = [_without(child, part) for child in found.get("Plans", ()) if child.get("Subplan Name") != part]
    return {**found, "Plans": kept}


@pytest.mark.parametrize("mode", MODES)
def test_whether_a_tenant_knows_anything_is_one_probe(ground: psycopg.Connection, mode: str) -> None:
    found = plan(ground, statements()["thoth_substrate.recall", "tenant_state"], "'t1'", tenant="t1", mode=mode)
    probes = [node for node in nodes(found) if node.get("Relation Name") == "substrate_statements"]
    assert [node["Node Type"] for node in probes] == ["Index Only Scan"]


@pytest.mark.parametrize("mode", MODES)
def test_a_misspelt_word_is_found_by_the_trigram_index_and_a_known_one_never(ground: psycopg.Connection, mode: str) -> None:
    found = plan(ground, statements()["thoth_substrate.recall", "near_spellings"], "'t1'", "'mlil'", "1", tenant="t1", mode=mode)
    assert any("gist" in str(node.get("Index Name")) or "_term_idx" in str(node.get("Index Name")) for node in nodes(found))
    exact = plan(
        ground, statements()["thoth_substrate.recall", "term_frequencies"], "'t1'", "array['mill']", tenant="t1", mode=mode
    )
    assert all(name.endswith("_pkey") for name in indexes(exact))


@pytest.mark.parametrize("mode", MODES)
def test_a_large_tenants_vectors_are_searched_by_the_binary_index(ground: psycopg.Connection, mode: str) -> None:
    arguments = ("'t1'", "'m'", VECTOR, f"'{'01' * 768}'", "40", "20", "array[1, 2, 3]::bigint[]")
    query = statements()["thoth_substrate.recall", "nearest_indexed"]
    found = plan(ground, query, *arguments, tenant="t1", mode=mode, point_lookups=False)
    assert scanned(found, TABLES) == []
    assert any("code" in name for name in indexes(found))


@pytest.mark.parametrize("mode", MODES)
def test_which_vectors_a_tenant_has_is_read_from_the_key_alone(ground: psycopg.Connection, mode: str) -> None:
    query = statements()["thoth_substrate.recall", "vector_keys"]
    found = plan(ground, query, "'t1'", "'m'", tenant="t1", mode=mode, point_lookups=False)
    vectors = [node for node in nodes(found) if str(node.get("Relation Name")).startswith("substrate_passage_vectors")]
    assert [node["Node Type"] for node in vectors] == ["Index Only Scan"]


@pytest.mark.parametrize("mode", MODES)
def test_fading_reads_by_key(ground: psycopg.Connection, mode: str) -> None:
    fade = {name: statements()["thoth_substrate.fade", name] for name in HOT["fade"]}
    due = plan(ground, fade["due"], "1000", role="thoth_worker", tenant="", mode=mode, point_lookups=False)
    assert scanned(due, TABLES) == []
    assert all("fades_at" in name for name in indexes(due))
    row = ground.execute(
        "select array_agg(slice_id)::text from (select slice_id from filling where tenant_id = 't1' limit 9) f"
    ).fetchone()
    assert row is not None
    slices = f"'{row[0]}'::uuid[]"
    for name, more in (("claim", ()), ("reinforced", ("'used'", "1", "'1 minute'")), ("take_back", ())):
        found = plan(ground, fade[name], "'t1'", slices, *more, tenant="t1", mode=mode, point_lookups=False)
        assert (name, scanned(found, TABLES)) == (name, [])


@pytest.mark.parametrize("mode", MODES)
def test_changes_that_were_cut_off_are_found_by_their_own_index(ground: psycopg.Connection, mode: str) -> None:
    query = statements()["thoth_substrate.memories", "versions_cut_off"]
    found = plan(ground, query, "20", role="thoth_worker", tenant="", mode=mode, point_lookups=False)
    assert scanned(found, TABLES) == []
    assert "substrate_memory_versions_unretired" in indexes(found)


@pytest.mark.parametrize("mode", MODES)
def test_what_was_shown_is_looked_up_by_key(ground: psycopg.Connection, mode: str) -> None:
    row = ground.execute("select array_agg(slice_id)::text from (select slice_id from filling limit 9) f").fetchone()
    assert row is not None
    asked = ("'t1'", f"'{row[0]}'::uuid[]", "array[100001, 200003, 300005]", "gen_random_uuid()")
    query = statements()["thoth_substrate.views", "still_there"]
    found = plan(ground, query, *asked, tenant="t1", mode=mode, point_lookups=False)
    assert scanned(found, TABLES) == []


@pytest.mark.parametrize("mode", MODES)
def test_a_flush_looks_up_its_keys_alone(ground: psycopg.Connection, mode: str) -> None:
    texts = ("array['thoth.world.note']", "array['s']", "array['maya']", "array[null]::timestamptz[]", "array[null]::integer[]",
             "array['hello']", "array[null]::text[]", "array['{}']", "array['test']", "array['x1']")  # fmt: skip
    query = statements()["thoth_substrate.perceive", "flush_batch"]
    found = plan(ground, query, "'t1'", "array[gen_random_uuid()]", *texts, tenant="t1", mode=mode, point_lookups=False)
    assert scanned(found, TABLES) == []


def test_every_hot_query_has_a_test_of_its_plan() -> None:
    """Beside its step a query is named by its constant, in a module that asks for plans."""
    here = {"perceive", "fade", "recall", "memories"}
    named = {(package, name): _constant(package, name) for package in HOT for name in HOT[package] if package not in here}
    shown = {
        f"{module.path.parts[1]}/{node.attr}"
        for module in modules_of_tests()
        if "plan(" in module.text
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute)
    }
    assert {(package, name) for (package, name), constant in named.items() if f"{package}/{constant}" not in shown} == set()


def _constant(package: str, name: str) -> str:
    """The name that a module gives a query."""
    return next(constant for key, constant in constants() if key == (f"thoth_substrate.{package}", name))
