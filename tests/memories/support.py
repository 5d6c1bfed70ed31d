"""Memories with what a Parser would have made of them, written straight into the tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import psycopg

from thoth_substrate.model.names import norm


def digested(
    sql: psycopg.Connection, slice_id: UUID, *, topics: Sequence[str] = (), importance: float = 0.5, tenant: str = "default"
) -> None:
    """What the Parser noted of a slice: its topics, and how important it is."""
    sql.execute(
        "insert into thoth.substrate_digests (tenant_id, slice_id, importance, topics, summary)"
        " values (%s, %s, %s, %s, 'a note')",
        [tenant, slice_id, importance, list(topics)],
    )
    sql.execute(
        "update thoth.substrate_salience set importance = %s where tenant_id = %s and slice_id = %s",
        [importance, tenant, slice_id],
    )


def told_of(
    sql: psycopg.Connection, name: str, slice_ids: Sequence[UUID], at: datetime, *, tenant: str = "default",
    says: str | None = None,
) -> int:  # fmt: skip
    """An entity that slices tell of, or a fact about it (`says`) that rests on them. Answers the entity's number."""
    row = sql.execute(
        "insert into thoth.substrate_entities (tenant_id, kind, name, norm, first_seen, last_seen, agent)"
        " values (%s, 'person', %s, %s, %s, %s, 'parser') returning entity_id",
        [tenant, name, norm(name), at, at],
    ).fetchone()
    assert row is not None
    entity_id = cited = int(row[0])
    sql.execute(
        "insert into thoth.substrate_entity_aliases (tenant_id, norm, entity_id, alias) values (%s, %s, %s, %s)",
        [tenant, norm(name), entity_id, name],
    )
    if says is not None:
        fact = sql.execute(
            "insert into thoth.substrate_relationships (tenant_id, subject_id, predicate, object_text, object_norm, statement,"
            " valid_from, stated_confidence, confidence, agent) values (%s, %s, 'likes', 'x', 'x', %s, %s, 0.9, 0.8, 'parser')"
            " returning relationship_id",
            [tenant, entity_id, says, at],
        ).fetchone()
        assert fact is not None
        cited = int(fact[0])
    for slice_id in slice_ids:
        sql.execute(
            "insert into thoth.substrate_citations (tenant_id, row_id, slice_id, passage_no, quote_start, quote, content_hash,"
            " event_time) values (%s, %s, %s, 0, 0, 'x', '\\x00', %s)",
            [tenant, cited, slice_id, at],
        )
    return entity_id
