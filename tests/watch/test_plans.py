"""The statements that run for every file, and at every tick, read by key, however many files and slices there are."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from tests.plans import plan, scanned
from tests.servers import at
from thoth_substrate.fade import retire
from thoth_substrate.watch import files, intake

TABLES = (
    "substrate_files", "substrate_external_ids", "substrate_slices_y2026m05", "substrate_citations", "substrate_relationships",
    "substrate_supports", "substrate_statements", "substrate_statement_postings",
)  # fmt: skip
_FILL = """
set session_replication_role = replica;
select substrate_make_months('2026-05-01', 1);
insert into substrate_streams (stream, family, modality, source, profile)
values ('thoth.world.file', 'exteroceptive', 'text', 'test', 'default-text');
create temporary table filling as
select n, timestamptz '2026-05-01 00:00:00+00' + make_interval(secs => n * 60) as at from generate_series(1, 20000) n;
alter table filling add column slice_id uuid;
update filling
set slice_id = (lpad(to_hex((date_part('epoch', at) * 1000)::bigint), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid;
insert into substrate_slices (tenant_id, slice_id, ingest_time, stream_id, session_id, actor, event_time, triage_state,
    content_hash, text)
select 't', slice_id, at, 1, 's' || n, 'f', at, 'passed', '\\x00', 'words' from filling;
insert into substrate_files (tenant_id, file_id, host, root, path, state, size, mtime_ns, seen_sha256, sha256, slice_ids)
select 't', slice_id, 'h', '/r', n || '.md', 'live', 1, 1, '\\x00', '\\x00', array[slice_id] from filling;
insert into substrate_external_ids select 't', 'file:' || slice_id, '1.a/1', slice_id from filling;
insert into substrate_relationships (tenant_id, relationship_id, subject_id, predicate, object_text, object_norm, statement,
    valid_from, stated_confidence, confidence, agent)
select 't', n, 1, 'is', '', '', 'so', at, 1, 1, 'x' from filling;
insert into substrate_citations (tenant_id, row_id, slice_id, passage_no, quote_start, quote, content_hash, event_time)
select 't', n, slice_id, 0, 0, 'so', '\\x00', at from filling;
insert into substrate_supports select 't', 100000 + n, n from filling;
insert into substrate_statements (tenant_id, row_id, layer, terms, counts, length)
select 't', n, 'relationship', array['t' || n], '{1}', 1 from filling;
insert into substrate_statement_postings select 't', 't' || n, n, 1, 1 from filling;
set session_replication_role = origin;
"""


@pytest.fixture(scope="module")
def ground(server_dsn: str, template: str) -> Iterator[tuple[psycopg.Connection, str]]:
    """A superuser in a database with 20,000 files of one tenant, and the id of one of their slices as a literal."""
    name = f"{template}_watch"
    with psycopg.connect(at(server_dsn, "postgres"), autocommit=True) as server:
        server.execute(f'create database "{name}" template "{template}" strategy file_copy'.encode())
        try:
            with psycopg.connect(at(server_dsn, name), autocommit=True) as connection:
                connection.execute("set search_path = thoth, public")
                connection.execute(_FILL.encode())
                connection.execute("analyze")
                row = connection.execute("select slice_id from filling where n = 777").fetchone()
                assert row is not None
                yield connection, f"'{row[0]}'::uuid"
        finally:
            server.execute(f'drop database "{name}" with (force)'.encode())


@pytest.mark.parametrize("mode", ["force_generic_plan", "force_custom_plan"])
def test_what_runs_for_each_file_reads_by_key(ground: tuple[psycopg.Connection, str], mode: str) -> None:
    sql, one = ground
    for query, arguments in (
        (intake._DUE, ("'t'", "'h'", "array['/r']", "32")),
        (intake._CLAIMED, ("'t'", f"array[{one}]", one)),
        (intake._HELD, ("'t'", one, one)),
        (intake._STORED, ("'t'", f"'file:' || {one}", "array['1.a/1']")),
        (intake._LIVE, ("'t'", one, "'\\x00'", "'text'", f"array[{one}]")),
        (intake._PUT_OFF, ("'t'", one, one, "'failed'", "''", "1::smallint", "'1 minute'")),
        (files._GONE, ("'t'", one)),
        (files._MOVED, ("'t'", one, "'x'", "1", "1")),
        (retire._RETIRABLE, ("'t'", f"array[{one}]")),
        (retire._RETIRED, ("'t'", f"array[{one}]", "'why'")),
        (retire._WITHDRAWN, ("'t'", f"array[{one}]")),
        (retire._FACTS, ("'t'", f"array[{one}]", "'why'")),
        (retire._STATEMENTS, ("'t'", "array[777]::bigint[]")),
    ):
        found = plan(sql, query, *arguments, tenant="t", mode=mode, point_lookups=query.package.endswith("fade"))
        assert scanned(found, TABLES) == [], query.name
