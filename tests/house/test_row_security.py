"""Row-level security holds by itself: with every condition on the tenant taken out, another tenant's rows stay away.

Each query that a tenant's role runs is asked as `ours`, about ids, words and times that `theirs` has as well. What comes
back, and what is written, must not depend on whether theirs are there, and theirs must be untouched: that covers counts
and sums, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from psycopg import sql as compose
from psycopg.types.string import TextLoader

from tests.house import values_of_access as access
from tests.house import values_of_asking as asking
from tests.house import values_of_awareness as awareness
from tests.house import values_of_crew as crew
from tests.house import values_of_files as files
from tests.house import values_of_items as items
from tests.house import values_of_knowledge as knowledge
from tests.house import values_of_layers as layers
from tests.house import values_of_memories as memories
from tests.house import values_of_purge as purge
from tests.house.roles import roles
from tests.house.source import statements, uncommented
from tests.house.two_tenants import (
    ANIMAL,
    CODE,
    COHERENCE,
    FACT,
    MERGE,
    NAMESAKE,
    NOW,
    OLD_FACT,
    OURS,
    PASSAGES,
    PATTERN,
    PERSON,
    SELF,
    THEIRS,
    VECTOR,
    call_id,
    decision_id,
    ingested,
    purge_id,
    recall_id,
    settle,
    slice_id,
    tables,
)
from tests.servers import at

Key = tuple[str, str]
CONDITION = re.compile(r"\b(?:\w+\.)?tenant_id\s*=\s*(?:\$\d+|\w+\.tenant_id|thoth\.substrate_tenant\(\))")
ROLES = roles()
QUERIES = {key: query for key, query in statements().items() if "thoth_app" in ROLES.get(key, ())}
ABOUT_TENANTS = {key for key, query in QUERIES.items() if "tenant_id" in uncommented(query.text)}
REFUSED = "refused:"
# An id is drawn, or taken from a sequence.
DIFFERS_BY_ITSELF = {
    "diary_append",
    "index_store",
    *knowledge.DIFFERS_BY_ITSELF,
    *layers.DIFFERS_BY_ITSELF,
    *items.DIFFERS_BY_ITSELF,
    *awareness.DIFFERS_BY_ITSELF,
}


def _many(*values: object) -> str:
    return "{" + ",".join(f'"{value}"' for value in values) + "}"


BOTH = [slice_id(tenant, kind) for kind in ("faded", "pinned", "waiting", "refused", "gone") for tenant in (OURS, THEIRS)]
N = len(BOTH)
ROWS = (PERSON, ANIMAL, NAMESAKE, FACT, OLD_FACT, PATTERN, COHERENCE, SELF)
PASSAGE_IDS = _many(*PASSAGES[OURS], *PASSAGES[THEIRS])
# By parameter, in the words of PostgreSQL. Arrays that go together are of one length.
VALUES: dict[str, str] = knowledge.VALUES | awareness.VALUES | crew.VALUES | files.VALUES | {
    "tenant": OURS, "agent": "maya", "actors": _many(*["maya"] * N), "after": str(slice_id(OURS, "refused")), "after_id": "0",
    "anew": "true", "asked_at": f"{NOW}", "average_length": "2", "before": "quarantined", "candidates": "[]", "cause": "used",
    "char_ends": _many(*[12] * N), "char_starts": _many(*[0] * N), "code": CODE, "codes": _many(*[CODE] * 4),
    "config_hash": "\\x00",
    "counts": _many(*[1] * N), "deadline_ms": "300", "decision": "{}", "detail": "{}", "embeddings": _many(*[VECTOR] * 4),
    "empty_reason": "timeout", "event_times": _many(*[NOW] * N), "except_session": "elsewhere",
    "external_ids": _many(*["faded", "pinned"] * (N // 2)), "failures": _many(*["no"] * 4), "families": _many("self_state"),
    "file_hash": "\\x00", "finished": "true", "flags": _many(*[0] * N), "floor": "{}", "from_time": "2026-01-01", "handle": "101",
    "high": "ffffffff-ffff-ffff-ffff-ffffffffffff", "idf": "{1,1}", "imported": "2", "ingest_time": f"{ingested('held')}",
    "known": _many(*PASSAGES[THEIRS]),
    "kinds": _many(*["turn"] * 4), "legs": "[]", "lengths": _many(*[1] * N), "limit_bytes": "100000", "limit_chars": "100000",
    "limit_rows": "100", "low": "00000000-0000-0000-0000-000000000000", "metadata": _many(*["{}"] * N), "milliseconds": "1000",
    "modalities": _many("text"), "model": "m", "month": "2026-01-01", "near": PASSAGE_IDS, "near_rows": "100",
    "not_before": "2020-01-01", "offsets": _many(*[0] * N), "passage_ids": PASSAGE_IDS,
    "passage_nos": _many(*[7] * N), "passages": "1", "path": "/home/me/b", "payloads": _many(*["{}"] * N),
    "period_from": _many("2020-01-01"), "period_to": _many("2027-01-01"), "position": "2", "profile": "default-text",
    "profiles": _many("diary"), "query_excerpt": "dog", "query_hash": "\\x00", "question": VECTOR, "rare": "2", "reason": "no",
    "recall_id": str(recall_id(THEIRS)), "recent_rows": "10", "rest": "0", "row_limit": "100", "sample": PASSAGE_IDS,
    "seed": "x", "seqs": _many(*range(10, 10 + N)), "session": "s", "session_ids": _many("s"),
    "session_nos": _many(*[1] * N), "sessions": _many(*["s"] * N), "share": "1", "shown": "[]", "since": "2020-01-01",
    "size": "1", "skipped": "{}", "slice_id": str(slice_id(THEIRS, "held")), "slice_ids": _many(*BOTH),
    "slice_text": str(slice_id(THEIRS, "pinned")), "source": "test", "sources": _many(*["test"] * N),
    "states": _many("quarantined", "rejected"), "stream_ids": _many(*[1] * N),
    "stream": "thoth.world.note", "streams": _many(*["thoth.world.note"] * N),
    "sum": "{1,0,0,0,0,0,0,0}", "term": "dogg", "term_ends": _many(*range(1, N + 1)),
    "terms": _many("dog", "bark"), "texts": _many(*["the dog"] * N), "to_time": "2026-06-01", "tokens": "1",
    "tombstones": _many(*["thin"] * N), "took_ms": "1", "total_length": "2", "trusts": _many(*[1] * N), "turns": "1",
    "until": "2027-01-01",
    "vectors": "1", "whole": "10", "waits_s": _many(*[1] * 4),
    # the upper layers: their numbers are the same for both tenants
    "row_id": str(FACT), "row_ids": _many(*ROWS), "entity_id": str(PERSON), "entity_ids": _many(PERSON, ANIMAL, NAMESAKE),
    "relationship_id": str(FACT), "relationship_ids": _many(FACT, OLD_FACT), "pattern_id": str(PATTERN),
    "pattern_ids": _many(PATTERN), "observation_ids": _many(COHERENCE, SELF), "merge_id": str(MERGE),
    "subject_id": str(PERSON), "object_id": str(ANIMAL), "community_id": str(PERSON), "predicate": "has_pet",
    "norm": "dog", "norms": _many("maya", "dog"), "at": f"{NOW}",
    "community_ids": _many(PERSON), "merge_ids": _many(MERGE), "names": _many("maya", "dog", "the dog"),
    "summaries": _many("x", "y", "z"), "first_times": _many(*[NOW] * 3), "last_times": _many(*[NOW] * 3),
    "statements": _many("x"), "from_times": _many(NOW), "unended": _many(FACT), "going": _many(OLD_FACT),
    "decision_ids": _many(decision_id(OURS), decision_id(THEIRS)), "gone": '{"x": 1}', "receipt": "{}",
    "recall_ids": _many(recall_id(OURS), recall_id(THEIRS)), "asked_times": _many(NOW, NOW + timedelta(seconds=1)),
    "decision_id": str(decision_id(THEIRS)), "call_id": str(call_id(THEIRS)), "purge_id": str(purge_id(THEIRS)),
}  # fmt: skip
HERE: dict[tuple[str, str], str | None] = (
    knowledge.HERE
    | layers.HERE
    | items.HERE
    | memories.HERE
    | awareness.HERE
    | access.HERE
    | crew.HERE
    | files.HERE
    | asking.HERE
    | purge.HERE
    | {
        ("note", "anew"): '{"x": 1}',
        ("beings_changed", "norms"): _many("maya", "dog", "the dog"),
        ("facts_changed", "row_ids"): _many(FACT),
        ("recalls_after", "after_id"): "00000000-0000-0000-0000-000000000000",
        ("digests_after", "after_id"): "00000000-0000-0000-0000-000000000000",
        ("verdicts_after", "after_id"): "00000000-0000-0000-0000-000000000000",
        ("empty", "slice_ids"): _many(slice_id(OURS, "faded"), slice_id(THEIRS, "faded")),
        ("empty", "tombstones"): _many("thin", "thin"),
        ("pinned", "slice_id"): str(slice_id(THEIRS, "faded")),
        ("unpinned", "slice_id"): str(slice_id(THEIRS, "pinned")),
        ("passages_of_slice", "slice_id"): str(slice_id(THEIRS, "faded")),
        ("index_sessions", "passages"): "{1}",
        ("index_store", "terms"): _many(*["dog"] * N),
        ("register_streams", "sources"): _many("test"),
        ("terms_extinct", "terms"): _many("extinct"),
        ("register_streams", "streams"): _many("thoth.world.note"),
    }
)


@pytest.fixture(scope="module")
def ground(server_dsn: str, template: str) -> Iterator[psycopg.Connection]:
    """A superuser in a database with two tenants. Every test rolls back what it did."""
    with psycopg.connect(at(server_dsn, "postgres"), autocommit=True) as server:
        server.execute(f'create database "{template}_rls" template "{template}" strategy file_copy'.encode())
        try:
            with psycopg.connect(at(server_dsn, f"{template}_rls"), autocommit=True) as connection:
                connection.execute("set search_path = thoth, public")
                connection.adapters.register_loader("timestamptz", TextLoader)  # Python has no infinity
                settle(connection)
                yield connection
        finally:
            server.execute(f'drop database "{template}_rls" with (force)'.encode())


def _unconditional(key: Key) -> str:
    return CONDITION.sub("true", uncommented(QUERIES[key].text))


each_query = pytest.mark.parametrize("key", sorted(ABOUT_TENANTS), ids=lambda key: f"{key[0].split('.')[-1]}/{key[1]}")


def test_both_have_rows_in_every_table_that_has_tenants(ground: psycopg.Connection) -> None:
    empty = [(table, tenant) for table in tables(ground) for tenant in (OURS, THEIRS) if not _rows(ground, table, tenant)]
    assert empty == []


def test_every_condition_on_the_tenant_can_be_taken_out() -> None:
    left = [key for key in ABOUT_TENANTS if re.search(r"tenant_id\s*(=|<>|!=|\bin\b|\bis\b)", _unconditional(key))]
    assert left == []


def test_row_security_is_on_and_forced_for_every_table_that_has_tenants(ground: psycopg.Connection) -> None:
    guarded = ground.execute(
        "select relname from pg_class c join pg_policy p on p.polrelid = c.oid and p.polname = 'tenant'"
        " where relnamespace = 'thoth'::regnamespace and relrowsecurity and relforcerowsecurity"
        " and pg_get_expr(polqual, c.oid) = pg_get_expr(polwithcheck, c.oid) order by 1"
    )
    assert [row[0] for row in guarded] == tables(ground)


@each_query
def test_without_conditions_theirs_are_neither_seen_nor_changed(key: Key, ground: psycopg.Connection) -> None:
    """faults: scope forgotten on one of several query paths."""
    seen, theirs = _ask(ground, key, _unconditional(key))
    alone, _ = _ask(ground, key, _unconditional(key), before=_without_theirs)
    assert theirs == _of(ground, THEIRS)
    assert REFUSED not in str(seen)
    assert key[1] in DIFFERS_BY_ITSELF or seen == alone


@each_query
def test_naming_another_tenant_shows_and_changes_nothing(key: Key, ground: psycopg.Connection) -> None:
    """faults: an id from another tenant; a token for one tenant used on another."""
    seen, theirs = _ask(ground, key, QUERIES[key].text, tenant=THEIRS)
    alone, _ = _ask(ground, key, QUERIES[key].text, tenant=THEIRS, before=_without_theirs)
    assert theirs == _of(ground, THEIRS)
    assert seen == alone
    assert REFUSED not in str(seen) or "row-level security" in str(seen)


@pytest.mark.timeout(900)  # every statement there is, in one test
def test_without_row_security_the_same_questions_show_or_change_theirs(ground: psycopg.Connection) -> None:
    """Or else the two tests above would prove nothing."""
    idle = set()
    for key in ABOUT_TENANTS:
        seen, theirs = _ask(ground, key, _unconditional(key), role="none")
        alone, _ = _ask(ground, key, _unconditional(key), role="none", before=_without_theirs)
        if seen == alone and theirs == _of(ground, THEIRS):
            idle.add(key[1])
    assert sorted(idle) == sorted(ONLY_WRITE_OWN)


# They insert what they are given, and have no condition that could be taken out.
ONLY_WRITE_OWN = {
    "diary_head",
    "log_recall",
    "save_import",
    *knowledge.ONLY_WRITE_OWN,
    *layers.ONLY_WRITE_OWN,
    *items.ONLY_WRITE_OWN,
    *memories.ONLY_WRITE_OWN,
    *awareness.ONLY_WRITE_OWN,
    *asking.ONLY_WRITE_OWN,
    *access.ONLY_WRITE_OWN,
    *crew.ONLY_WRITE_OWN,
    *files.ONLY_WRITE_OWN,
    *purge.ONLY_WRITE_OWN,
}


def test_the_workers_role_sees_no_content(ground: psycopg.Connection) -> None:
    content = {
        "substrate_slices": ("text", "payload", "metadata", "actor", "session_id", "event_time", "external_id", "content_hash"),
        "substrate_recall_log": ("query_excerpt", "candidates", "shown", "detail", "session_id"),
        "substrate_passages": ("terms", "actor"), "substrate_postings": ("term",), "substrate_terms": ("term",),
        "substrate_passage_vectors": ("embedding",), "substrate_sessions": ("session_id",), "substrate_imports": ("path",),
        "substrate_external_ids": ("external_id",), "substrate_audit_heads": ("head",),
        "substrate_entities": ("name", "summary", "embedding"), "substrate_entity_aliases": ("alias",),
        "substrate_relationships": ("statement", "object_text"), "substrate_citations": ("quote", "actor", "session_id"),
        "substrate_digests": ("summary", "topics"), "substrate_verdicts": ("reason",), "substrate_statements": ("terms",),
        "substrate_statement_postings": ("term",), "substrate_patterns": ("statement",), "substrate_dead_letters": ("failure",),
        "substrate_keywords": ("keyword", "term"), "substrate_sources": ("ref", "from_time"),
        "substrate_observations": ("statement", "detail"), "substrate_purges": ("receipt",),
    }  # fmt: skip
    for table, columns in content.items():
        for column in columns:
            row = ground.execute(
                "select has_column_privilege('thoth_worker', %s, %s, 'select')", [f"thoth.{table}", column]
            ).fetchone()
            assert row == (False,), f"{table}.{column}"


def _ask(
    ground: psycopg.Connection, key: Key, text: str, *, tenant: str = OURS, role: str = "thoth_app",
    before: Callable[[psycopg.Connection], None] | None = None,
) -> tuple[Any, dict[str, list[Any]]]:  # fmt: skip
    """What the query answers `ours` (or why it is refused) with ours after it, and theirs after it. All is rolled back."""
    declared = [part.split() for part in _header(key).split(",") if part.strip()]
    values = VALUES | {"tenant": tenant} | {name: value for (query, name), value in HERE.items() if query == key[1]}
    with ground.transaction(force_rollback=True):
        if before is not None:
            before(ground)
        ground.execute(
            "select set_config('role', %s, true), set_config('thoth.tenant', %s, true), set_config('thoth.now', %s, true)",
            [role, OURS, NOW.isoformat()],
        )
        typed = f"({', '.join(kind for _, kind in declared)})" if declared else ""
        given = [compose.SQL("{}::{}").format(values[name], compose.SQL(kind)) for name, kind in declared]
        try:
            with ground.transaction():
                ground.execute(f"prepare asked{typed} as {text}".encode())
                asked = compose.SQL("execute asked ({})").format(compose.SQL(", ").join(given)) if given else "execute asked"
                cursor = ground.execute(asked)
                answer: Any = sorted(map(repr, cursor.fetchall())) if cursor.description else cursor.rowcount
        except psycopg.DatabaseError as refusal:
            answer = f"{REFUSED} {type(refusal).__name__}: {refusal}"
        finally:
            ground.execute("deallocate all")
        ground.execute("select set_config('role', 'none', true)")
        theirs = _of(ground, THEIRS)
        return (answer, _of(ground, OURS)), theirs


def _without_theirs(ground: psycopg.Connection) -> None:
    ground.execute("set local session_replication_role = replica")
    for table in tables(ground):
        ground.execute(f"delete from thoth.{table} where tenant_id = %s".encode(), [THEIRS])
    ground.execute("set local session_replication_role = origin")


def _of(ground: psycopg.Connection, tenant: str) -> dict[str, list[Any]]:
    return {table: _rows(ground, table, tenant) for table in tables(ground)}


def _rows(ground: psycopg.Connection, table: str, tenant: str) -> list[Any]:
    return ground.execute(f"select t::text from thoth.{table} t where tenant_id = %s order by 1".encode(), [tenant]).fetchall()


def _header(key: Key) -> str:
    return QUERIES[key].text.split("\n", 1)[0].partition("(")[2].rpartition(")")[0]
