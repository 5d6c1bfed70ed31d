"""A row for every table, whatever tables there are: by the type of each column, and by hand where a check demands it."""

from __future__ import annotations

import psycopg
from psycopg import sql

_BY_TYPE = {
    "text": "'x'",
    "uuid": "'0197e2a0-0000-7000-8000-000000000001'",
    "timestamptz": "thoth.substrate_now()",
    "date": "current_date",
    "interval": "interval '1 day'",
    "int2": "1",
    "int4": "1",
    "int8": "1",
    "float4": "0.5",
    "float8": "0.5",
    "bool": "true",
    "bytea": r"'\x00'",
    "jsonb": "'{}'",
    "_text": "'{x}'",
    "_int2": "'{1}'",
    "_int8": "'{1}'",
    "_uuid": "'{0197e2a0-0000-7000-8000-000000000001}'",
    "_float4": "'{0.5}'",
    "halfvec": "'[1,2,3,4,5,6,7,8]'",
    "bit": "repeat('1', 1536)::bit(1536)",
}
_BY_HAND = {
    ("substrate_profiles", "tombstone"): "'thin'",
    ("substrate_streams", "stream"): "'thoth.test.row'",
    ("substrate_streams", "family"): "'self_state'",
    ("substrate_streams", "modality"): "'text'",
    ("substrate_streams", "profile"): "'default-text'",
    ("substrate_salience_events", "cause"): "'used'",
    ("substrate_embedding_models", "dimensions"): "8",
    ("substrate_passage_vectors", "kind"): "'turn'",
    ("substrate_verdicts", "outcome"): "'nothing'",
    ("substrate_statements", "layer"): "'pattern'",
    ("substrate_associations", "left_id"): "1",
    ("substrate_associations", "right_id"): "2",
    ("substrate_patterns", "kind"): "'insight'",
    ("substrate_observations", "kind"): "'dream'",
    ("substrate_outcomes", "outcome"): "'corroborated'",
    ("substrate_agent_cost", "kind"): "'chat'",
    ("substrate_budgets", "unit"): "'usd_day'",
    ("substrate_chat_models", "tier"): "'tool'",
    ("substrate_memory_versions", "version"): "2",
    ("substrate_memory_versions", "replaces"): "'0197e2a0-0000-7000-8000-000000000002'",
    ("substrate_tokens", "hash"): "sha256('')",
    ("substrate_tokens", "scopes"): "'{read}'",
    ("substrate_idempotency_keys", "request"): r"'\x0011223344556677'",
    ("substrate_keywords", "concept_id"): "(select concept_id from thoth.substrate_concepts)",
    ("substrate_sources", "concept_id"): "(select concept_id from thoth.substrate_concepts)",
}
_TABLES = """
    select relname from pg_class
    where relnamespace = 'thoth'::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname <> 'substrate_schema_version'
    order by exists (select from pg_constraint where conrelid = pg_class.oid and contype = 'f'), relname
"""
_COLUMNS = """
    select attname, typname from pg_attribute join pg_type on pg_type.oid = atttypid
    where attrelid = %s::regclass and attnum > 0 and not attisdropped and attnotnull and not atthasdef and attidentity = ''
"""


def tables(connection: psycopg.Connection) -> list[str]:
    """Every table of the schema that is not a partition."""
    return [str(row[0]) for row in connection.execute(_TABLES)]


def fill(connection: psycopg.Connection) -> None:
    """Put a row into every table of the schema."""
    for table in tables(connection):
        columns = connection.execute(_COLUMNS, (f"thoth.{table}",)).fetchall()
        values = [_BY_HAND.get((table, name)) or _BY_TYPE[kind] for name, kind in columns]
        statement = sql.SQL("insert into {} ({}) values ({})").format(
            sql.Identifier("thoth", table),
            sql.SQL(", ").join(sql.Identifier(name) for name, _ in columns),
            sql.SQL(", ").join(sql.SQL(value) for value in values),
        )
        connection.execute(statement)
