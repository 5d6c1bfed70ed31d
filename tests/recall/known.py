"""Knowledge written straight into the tables, as promotion leaves it: recall is tested without the crew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import psycopg

from thoth_substrate.embed.local import LocalEmbedder
from thoth_substrate.model.names import norm
from thoth_substrate.model.terms import counted

SINCE = datetime(2026, 3, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Told:
    """A fact. `text` is its sentence; `asserted` and `retracted` are in the mind, `since` and `until` in the world."""

    text: str
    subject: int = 0
    object_id: int | None = None
    since: datetime = SINCE
    until: datetime | None = None
    asserted: datetime = SINCE
    retracted: datetime | None = None
    functional: bool = False
    negated: bool = False
    confidence: float = 0.9


def an_entity(sql: psycopg.Connection, *names: str, merged_into: int | None = None, tenant: str = "default") -> int:
    """An entity with its aliases; answers its number."""
    row = sql.execute(
        "insert into thoth.substrate_entities (tenant_id, kind, name, norm, first_seen, last_seen, merged_into, agent)"
        " values (%s, 'thing', %s, %s, %s, %s, %s, 'parser') returning entity_id",
        [tenant, names[0], norm(names[0]), SINCE, SINCE, merged_into],
    ).fetchone()
    assert row is not None
    for name in names:
        sql.execute(
            "insert into thoth.substrate_entity_aliases (tenant_id, norm, entity_id, alias) values (%s, %s, %s, %s)",
            [tenant, norm(name), row[0], name],
        )
    return int(row[0])


def a_fact(sql: psycopg.Connection, told: Told, sources: Sequence[UUID] = (), *, tenant: str = "default") -> int:
    """A relationship with its citations; found by its words unless it is retracted. Answers its number."""
    row = sql.execute(
        "insert into thoth.substrate_relationships (tenant_id, subject_id, predicate, object_id, object_text, object_norm,"
        " negated, functional, statement, valid_from, valid_to, asserted_at, retracted_at, stated_confidence, confidence, agent)"
        " values (%s, %s, 'is', %s, '', '', %s, %s, %s, %s, %s, %s, %s, %s, %s, 'parser') returning relationship_id",
        [tenant, told.subject, told.object_id, told.negated, told.functional, told.text, told.since, told.until, told.asserted,
         told.retracted, told.confidence, told.confidence],
    ).fetchone()  # fmt: skip
    assert row is not None
    cite(sql, row[0], sources, tenant=tenant)
    if told.retracted is None:
        a_statement(sql, row[0], told.text, "relationship", tenant=tenant)
    return int(row[0])


def a_pattern(
    sql: psycopg.Connection, text: str, supports: Sequence[int], *, kind: str = "pattern", tenant: str = "default"
) -> int:
    """A pattern that rests on facts."""
    row = sql.execute(
        "insert into thoth.substrate_patterns (tenant_id, kind, statement, norm, valid_from, valid_to, stated_confidence,"
        " confidence, asserted_at, agent) values (%s, %s, %s, %s, %s, %s, .9, .9, %s, 'patternfinder') returning pattern_id",
        [tenant, kind, text, norm(text), SINCE, SINCE, SINCE],
    ).fetchone()
    assert row is not None
    for support in supports:
        sql.execute("insert into thoth.substrate_supports values (%s, %s, %s)", [tenant, row[0], support])
    a_statement(sql, row[0], text, "pattern", tenant=tenant)
    return int(row[0])


def an_observation(sql: psycopg.Connection, text: str, kind: str, *, score: float | None = None, tenant: str = "default") -> int:
    """Something the mind notes of itself; a measurement has no sentence to be found by."""
    row = sql.execute(
        "insert into thoth.substrate_observations (tenant_id, kind, statement, score, observed_at, agent)"
        " values (%s, %s, %s, %s, %s, 'critic') returning observation_id",
        [tenant, kind, text, score, SINCE],
    ).fetchone()
    assert row is not None
    if text:
        a_statement(sql, row[0], text, "observation", tenant=tenant)
    return int(row[0])


def cite(sql: psycopg.Connection, row_id: int, sources: Sequence[UUID], *, tenant: str = "default") -> None:
    """Let a row rest on the first passage of slices."""
    for source in sources:
        sql.execute(
            "insert into thoth.substrate_citations (tenant_id, row_id, slice_id, passage_no, quote_start, quote, content_hash,"
            " event_time, actor) values (%s, %s, %s, 0, 0, 'words', '\\x00', %s, 'Maya')",
            [tenant, row_id, source, SINCE],
        )


def a_statement(sql: psycopg.Connection, row_id: int, text: str, layer: str, *, tenant: str = "default") -> None:
    """What makes a sentence findable."""
    words = counted(text)
    sql.execute(
        "insert into thoth.substrate_statements (tenant_id, row_id, layer, terms, counts, length)"
        " values (%s, %s, %s, %s, %s, %s)",
        [tenant, row_id, layer, words.terms, words.counts, words.length],
    )
    for term, n in zip(words.terms, words.counts, strict=True):
        sql.execute(
            "insert into thoth.substrate_statement_postings values (%s, %s, %s, %s, %s)", [tenant, term, row_id, n, words.length]
        )


async def embed_statements(sql: psycopg.Connection, embedder: LocalEmbedder, *, tenant: str = "default") -> None:
    """Give every sentence its vector."""
    rows = sql.execute(
        "select s.row_id, coalesce(r.statement, p.statement) from thoth.substrate_statements s"
        " left join thoth.substrate_relationships r on r.tenant_id = s.tenant_id and r.relationship_id = s.row_id"
        " left join thoth.substrate_patterns p on p.tenant_id = s.tenant_id and p.pattern_id = s.row_id where s.tenant_id = %s",
        [tenant],
    ).fetchall()
    vectors = await embedder.passages([text or "" for _, text in rows])
    for (row_id, _), vector in zip(rows, vectors, strict=True):
        sql.execute(
            "update thoth.substrate_statements set embedding = %s::public.halfvec, embedding_model = %s"
            " where tenant_id = %s and row_id = %s",
            [str(vector.tolist()), embedder.model.name, tenant, row_id],
        )
