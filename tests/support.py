"""What several rooms' tests need: slices written as perceive would write them, without perceive."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import orjson
import psycopg
import pytest

from thoth_substrate.db.pool import Tx
from thoth_substrate.errors import DatabaseUnavailable
from thoth_substrate.model.ids import SliceIds, ingest_time
from thoth_substrate.model.streams import DIARY

USER = "thoth.world.user_message.cli"
ASSISTANT = "thoth.self_action.assistant_response"
TOOL_RESULT = "thoth.self_action.tool_result"
_FAMILIES = {USER: "exteroceptive", ASSISTANT: "self_action", TOOL_RESULT: "self_action", DIARY: "self_state"}
# One maker a database and instant: a maker never goes back and a test's clock may, and no test's ids hang on those before it.
_ids: dict[tuple[str, datetime], SliceIds] = {}


@dataclass(frozen=True, slots=True)
class Said:
    """One thing perceived; what is left out takes a plain default. `state` is its triage state."""

    text: str
    actor: str = "user"
    session: str = "s1"
    stream: str = USER
    at: datetime | None = None
    tenant: str = "default"
    state: str = "pending"
    metadata: dict[str, Any] = field(default_factory=dict)


def streams(sql: psycopg.Connection, names: Sequence[str] = tuple(_FAMILIES)) -> dict[str, int]:
    """Register streams; answers the short key of each."""
    for name in names:
        sql.execute(
            "insert into thoth.substrate_streams (stream, family, modality, source, profile)"
            " values (%s, %s, 'text', 'test', 'default-text') on conflict do nothing",
            (name, _FAMILIES.get(name, "exteroceptive")),
        )
    return {row[0]: row[1] for row in sql.execute("select stream, stream_id from thoth.substrate_streams")}


def perceived(sql: psycopg.Connection, now: datetime, said: Sequence[Said], *, profile: str = "default-text") -> list[UUID]:
    """Write slices with their salience and queue rows, all in one transaction, as if perceived at `now`. In order."""
    keys = streams(sql, sorted({s.stream for s in said} | set(_FAMILIES)))
    maker = _ids.setdefault((sql.info.dbname, now), SliceIds())
    ids = [maker.next(now) for _ in said]
    with sql.transaction(), sql.cursor() as cursor:
        cursor.execute("select thoth.substrate_make_month('substrate_slices', %s::timestamptz::date)", (now,))
        with cursor.copy(
            "copy thoth.substrate_slices (tenant_id, slice_id, ingest_time, stream_id, session_id, actor, event_time,"
            " triage_state, content_hash, text, metadata) from stdin"
        ) as copy:
            for slice_id, s in zip(ids, said, strict=True):
                digest = hashlib.sha256(s.text.encode()).digest()
                copy.write_row(
                    (s.tenant, slice_id, ingest_time(slice_id), keys[s.stream], s.session, s.actor, s.at or now, s.state,
                     digest, s.text, orjson.dumps(s.metadata).decode())
                )  # fmt: skip
        with cursor.copy(
            "copy thoth.substrate_salience (tenant_id, slice_id, anchor, anchored_at, half_life, fades_at, profile) from stdin"
        ) as copy:
            for slice_id, s in zip(ids, said, strict=True):
                born = ingest_time(slice_id)
                copy.write_row((s.tenant, slice_id, 1.0, born, timedelta(days=14), born + timedelta(days=60), profile))
        for state, table, columns in (
            ("pending", "substrate_pending", "(tenant_id, slice_id, queued_at, profile)"),
            ("passed", "substrate_unindexed", "(tenant_id, slice_id, queued_at)"),
            ("passed", "substrate_unconsolidated", "(tenant_id, slice_id, queued_at)"),
        ):
            with cursor.copy(f"copy thoth.{table} {columns} from stdin".encode()) as copy:
                for slice_id, s in zip(ids, said, strict=True):
                    if s.state == state:
                        copy.write_row((s.tenant, slice_id, now, *([profile] if state == "pending" else [])))
        cursor.executemany(
            "insert into thoth.substrate_tenants values (%s, %s) on conflict do nothing", sorted({(s.tenant, now) for s in said})
        )
    return ids


def dies_after(patch: pytest.MonkeyPatch, statements: int) -> None:
    """Let every connection die at the statement after so many of them, as if its host were killed there."""
    left = itertools.count(statements, -1)

    def deadly(method: Callable[..., Any]) -> Callable[..., Any]:
        async def call(self: Tx, *arguments: Any) -> Any:
            if next(left) <= 0:
                raise DatabaseUnavailable("killed by the test")
            return await method(self, *arguments)

        return call

    patch.setattr(Tx, "fetch", deadly(Tx.fetch))
    patch.setattr(Tx, "execute", deadly(Tx.execute))


def count(sql: psycopg.Connection, table: str) -> int:
    """Rows of a table of the schema, of every tenant."""
    row = sql.execute(f"select count(*) from thoth.{table}".encode()).fetchone()
    assert row is not None
    return int(row[0])


def index_agrees(sql: psycopg.Connection) -> None:
    """Postings, document frequencies, statistics, sequence numbers: all of every tenant's passages, and of nothing else."""
    problems = sql.execute(
        """
        with passages as (
            select * from thoth.substrate_passages
        ), terms as (
            select tenant_id, passage_id, length, unnest(terms) term, unnest(counts) count from passages
        ), wanted as (
            select tenant_id, term, count(*)::integer passages from terms group by tenant_id, term
        ), postings as (
            select tenant_id, passage_id, length, term, count from thoth.substrate_postings
        )
        select 'posting missing', tenant_id, term from (table terms except table postings) x
        union all select 'posting too many', tenant_id, term from (table postings except table terms) x
        union all select 'frequency wrong', tenant_id, term from (table wanted except table thoth.substrate_terms) x
        union all select 'term too many', tenant_id, term from (table thoth.substrate_terms except table wanted) x
        union all select 'statistics wrong', tenant_id, '' from (
            (select tenant_id, count(*), sum(length)::bigint from passages group by tenant_id)
            except table thoth.substrate_text_stats) x
        union all select 'numbers wrong', s.tenant_id, s.session_id
        from thoth.substrate_sessions s
        cross join lateral (
            select count(*), count(distinct seq) as seqs, coalesce(max(seq), 0) as newest
            from passages p where p.tenant_id = s.tenant_id and p.session_no = s.session_no
        ) p
        where p.seqs <> p.count or s.last_seq < p.newest
        """
    ).fetchall()
    assert problems == [], problems
