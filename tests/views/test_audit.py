"""Verifying the diary: what was edited, removed or inserted shows, what was purged or expired does not break it."""

from __future__ import annotations

import psycopg
import pytest

from tests.support import streams
from thoth_substrate.db.pool import Database
from thoth_substrate.perceive.diary import record
from thoth_substrate.views.audit import verify

TENANT = "default"


@pytest.fixture
async def chain(db: Database, sql: psycopg.Connection) -> None:
    """Five decisions."""
    streams(sql)
    for n in range(5):
        await record(db, TENANT, "sentinel", {"n": n})


async def test_an_untouched_chain_is_whole(db: Database, chain: None) -> None:
    verdict = await verify(db, TENANT)
    assert verdict.well
    assert verdict.sentence == "The diary is whole: 5 entries, newest number 5."


async def test_an_empty_diary_is_whole(db: Database) -> None:
    assert (await verify(db, TENANT)).sentence == "The diary is whole: 0 entries, newest number 0."


NTH = "(metadata ->> 'seq')::int = %s"


@pytest.mark.parametrize(
    ("tampering", "seq", "fault"),
    [
        ("update thoth.substrate_slices set payload = jsonb_set(payload, '{decision,n}', '9')", 3, "edited"),
        ("update thoth.substrate_slices set actor = 'curator'", 2, "edited"),
        ("update thoth.substrate_slices set payload = payload || '{\"x\": 1}', content_hash ="
         " digest(convert_to((payload || '{\"x\": 1}')::text, 'UTF8'), 'sha256')", 4, "broken"),
        ("update thoth.substrate_slices set metadata = metadata || jsonb_build_object('link', repeat('ab', 32))", 1, "broken"),
        ("update thoth.substrate_slices set metadata = metadata || jsonb_build_object('link', repeat('ab', 32))", 5, "broken"),
        ("update thoth.substrate_slices set metadata = metadata || jsonb_build_object('prev', repeat('ab', 32))", 3, "broken"),
        ("update thoth.substrate_slices set metadata = '{}'", 3, "missing"),
        ("update thoth.substrate_slices set metadata = metadata || '{\"seq\": \"x'' or 1\"}'", 3, "missing"),
        ("update thoth.substrate_slices set metadata = metadata || '{\"link\": \"no hex\"}'", 3, "missing"),
        ("update thoth.substrate_slices set session_id = 'elsewhere'", 5, "missing"),
        ("delete from thoth.substrate_slices", 1, "missing"),
        ("delete from thoth.substrate_slices", 3, "missing"),
        ("delete from thoth.substrate_slices", 5, "missing"),
        ("update thoth.substrate_audit_heads set seq = 4", 0, "inserted"),
        ("update thoth.substrate_audit_heads set head = ''", 0, "broken"),
    ],
)  # fmt: skip
async def test_the_first_entry_that_is_wrong_is_named(
    db: Database, sql: psycopg.Connection, chain: None, tampering: str, seq: int, fault: str
) -> None:
    sql.execute("alter table thoth.substrate_slices disable trigger user")
    if seq:
        sql.execute(f"{tampering} where {NTH}".encode(), (seq,))
    else:
        sql.execute(tampering.encode())
    verdict = await verify(db, TENANT)
    assert (verdict.well, verdict.fault) == (False, fault)
    assert verdict.at_seq == (seq or 5)
    assert f"Entry {verdict.at_seq} of the diary" in verdict.sentence
    assert verdict.slice_id is None or f"({verdict.slice_id})" in verdict.sentence
    assert verdict.slice_id is not None or fault != "edited", "what `thoth substrate replay` is asked about"


async def test_an_entry_that_was_put_in_between_is_found(db: Database, sql: psycopg.Connection, chain: None) -> None:
    sql.execute(
        "insert into thoth.substrate_slices select tenant_id, gen_random_uuid(), ingest_time, stream_id, session_id, actor,"
        " event_time, event_offset_s, trust, triage_state, triage_reason, consolidation_state, consolidation_attempts, forgotten,"
        f" released_at, content_hash, external_id, text, payload, metadata from thoth.substrate_slices where {NTH}".encode(),
        (3,),
    )
    verdict = await verify(db, TENANT)
    assert (verdict.fault, verdict.at_seq) == ("inserted", 3)


async def test_a_purged_payload_leaves_its_digest_and_the_chain_holds(db: Database, sql: psycopg.Connection, chain: None) -> None:
    sql.execute(f"update thoth.substrate_slices set payload = null where {NTH}".encode(), (2,))
    verdict = await verify(db, TENANT)
    assert (verdict.well, verdict.purged) == (True, 1)
    assert verdict.sentence == "The diary is whole: 5 entries, 1 of them purged, newest number 5."


async def test_an_anchor_beside_a_month_that_is_still_there_hides_nothing(
    db: Database, sql: psycopg.Connection, chain: None
) -> None:
    sql.execute(
        "insert into thoth.substrate_audit_anchors select tenant_id, '2026-05-01', 1, 5, decode(repeat('00', 32), 'hex'), head"
        " from thoth.substrate_audit_heads"
    )
    sql.execute("alter table thoth.substrate_slices disable trigger user")
    sql.execute(f"delete from thoth.substrate_slices where {NTH}".encode(), (3,))
    verdict = await verify(db, TENANT)
    assert (verdict.fault, verdict.at_seq) == ("missing", 3)
