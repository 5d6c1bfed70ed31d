"""Rows as perceive, triage and recall leave them, written straight into the tables: views are tested without the steps."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg

from thoth_substrate.model.ids import SliceIds, ingest_time

CLI = "thoth.world.user_message.cli"
TOOLS = "thoth.self_action.tool_result"
_ids: defaultdict[datetime, SliceIds] = defaultdict(SliceIds)  # one an instant: the past may be written after the present


def ground(sql: psycopg.Connection, at: datetime) -> None:
    """The months around `at`, the streams used here, and ids that do not run ahead because of an earlier test."""
    _ids.clear()
    sql.execute("select thoth.substrate_make_months(%s::date, 4)", [(at - timedelta(days=62)).date()])
    sql.execute(
        "insert into thoth.substrate_streams (stream, family, modality, source, profile) values"
        " (%s, 'exteroceptive', 'text', 'cli', 'default-text'), (%s, 'self_action', 'structured', 'agent', 'default-structured')"
        " on conflict do nothing",
        [CLI, TOOLS],
    )


def a_slice(
    sql: psycopg.Connection,
    at: datetime,
    text: str = "hello",
    *,
    tenant: str = "default",
    stream: str = CLI,
    session: str = "s1",
    actor: str = "user",
    triage: str = "passed",
    consolidation: str = "unconsolidated",
    event_time: datetime | None = None,
    pinned: bool = False,
    releasable: bool = False,
) -> UUID:
    """A slice perceived at `at` with its anchor; half-life 14 days, floor .05."""
    identifier = _ids[at].next(at)
    stamp = ingest_time(identifier)
    sql.execute(
        "insert into thoth.substrate_slices (tenant_id, slice_id, ingest_time, stream_id, session_id, actor, event_time,"
        " triage_state, consolidation_state, content_hash, text)"
        " select %s, %s, %s, stream_id, %s, %s, %s, %s, %s, %s, %s from thoth.substrate_streams where stream = %s",
        [tenant, identifier, stamp, session, actor, event_time or stamp, triage, consolidation,
         hashlib.sha256(text.encode()).digest(), text, stream],
    )  # fmt: skip
    sql.execute(
        "insert into thoth.substrate_salience (tenant_id, slice_id, anchor, anchored_at, half_life, fades_at, pinned, releasable,"
        " profile) select %s, %s, 1, %s, '14 days', %s, %s, %s, profile from thoth.substrate_streams where stream = %s",
        [tenant, identifier, stamp, stamp + timedelta(days=60.5), pinned, releasable, stream],
    )
    sql.execute("insert into thoth.substrate_tenants values (%s, %s) on conflict do nothing", [tenant, stamp])
    if triage == "quarantined":
        sql.execute("insert into thoth.substrate_quarantine values (%s, %s, %s)", [tenant, identifier, stamp])
    if triage == "pending":
        sql.execute("insert into thoth.substrate_pending values (%s, %s, 'default-text', %s)", [tenant, identifier, stamp])
    return identifier


def a_passage(sql: psycopg.Connection, slice_id: UUID, text: str, *, no: int = 0, tenant: str = "default") -> int:
    """A passage that covers the whole text."""
    row = sql.execute(
        "insert into thoth.substrate_passages (tenant_id, slice_id, passage_no, stream_id, session_no, seq, event_time,"
        " char_start, char_end, length, actor, terms, counts)"
        " values (%s, %s, %s, 1, 1, 1, %s, 0, %s, 3, 'user', '{a,b,c}', '{1,1,1}')"
        " returning passage_id",
        [tenant, slice_id, no, ingest_time(slice_id), len(text)],
    ).fetchone()
    assert row is not None
    return int(row[0])


def a_recall(
    sql: psycopg.Connection,
    at: datetime,
    question: str,
    shown: Sequence[tuple[str, UUID]] = (),
    *,
    tenant: str = "default",
    took_ms: float = 20.0,
    empty: str | None = None,
) -> UUID:
    """A row of the log of recalls, showing `(handle, slice)` pairs."""
    identifier = _ids[at].next(at)
    lines: list[dict[str, Any]] = [{"handle": handle, "slice_id": str(one), "passage_no": 0} for handle, one in shown]
    sql.execute(
        "insert into thoth.substrate_recall_log (tenant_id, recall_id, asked_at, session_id, query_hash, query_excerpt,"
        " config_hash, deadline_ms, took_ms, tokens, empty_reason, legs, candidates, shown) values"
        " (%s, %s, %s, 's9', '\\x00', %s, '\\x00', 300, %s, %s, %s, '[]', '[]', %s)",
        [tenant, identifier, at, question, took_ms, 30 * len(shown), empty, json.dumps(lines)],
    )
    return identifier


def many_slices(sql: psycopg.Connection, at: datetime, *, tenant: str = "default", number: int = 20_000) -> None:
    """Rows enough for the planner to take the tables seriously, all in the month of `at`, over 500 sessions."""
    sql.execute(
        "insert into thoth.substrate_slices (tenant_id, slice_id, ingest_time, stream_id, session_id, actor, event_time,"
        " content_hash, text) select %s, gen_random_uuid(), %s, 1, 's' || n %% 500, 'u', %s, '\\x00', repeat('x', 300)"
        " from generate_series(1, %s) n",
        [tenant, at, at, number],
    )
    sql.execute("analyze thoth.substrate_slices")
