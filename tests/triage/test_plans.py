"""The hot statements of triage read by key, whatever the size of what is stored: no month and no tenant is scanned."""

from __future__ import annotations

from datetime import timedelta

import psycopg
import pytest

from tests.plans import indexes, plan, scanned
from tests.support import Said, perceived
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.triage import expire, index, pass_pending

MODES = ("force_generic_plan", "force_custom_plan")
TABLES = (
    "substrate_slices_y2026m04", "substrate_slices_y2026m05", "substrate_pending", "substrate_unindexed", "substrate_passages_h",
    "substrate_terms_h", "substrate_sessions",
)  # fmt: skip


@pytest.fixture
def ids(sql: psycopg.Connection, clock: PinnedClock) -> str:
    """Slices of two months and several tenants, in every queue; as an SQL literal, the ids of one batch."""
    batch = []
    for month in (30, 0):
        said = [Said(f"turn {n} about the mill", tenant=f"t{n % 4}", session=f"s{n % 9}") for n in range(3000)]
        batch = perceived(sql, clock.now() - timedelta(days=month), said)
    sql.execute("insert into thoth.substrate_unindexed select tenant_id, slice_id from thoth.substrate_slices")
    sql.execute("insert into thoth.substrate_sessions select 't' || n % 4, 's' || n from generate_series(1, 6000) n")
    sql.execute(
        """
        insert into thoth.substrate_passages (tenant_id, slice_id, passage_no, stream_id, session_no, seq, event_time,
            char_start, char_end, length, actor, terms, counts)
        select tenant_id, slice_id, 0, 1, 1, row_number() over (), event_time,
            0, 9, 3, 'user', '{a}', '{1}'
        from thoth.substrate_slices
        """
    )
    sql.execute("analyze")
    return "array[" + ", ".join(f"'{slice_id}'" for slice_id in batch[:1200:4]) + "]::uuid[]"


@pytest.mark.parametrize("mode", MODES)
def test_claiming_and_passing_reads_by_key(sql: psycopg.Connection, ids: str, mode: str) -> None:
    found = plan(sql, pass_pending._PASS, "1000", role="thoth_worker", tenant="", mode=mode)
    assert scanned(found, TABLES) == []
    assert {"substrate_pending_queued", "substrate_slices_y2026m05_pkey"} <= indexes(found)
    found = plan(sql, pass_pending._OLDEST, "1000", role="thoth_worker", tenant="", mode=mode)
    assert indexes(found) == {"substrate_pending_queued"}


@pytest.mark.parametrize("mode", MODES)
def test_judging_reads_by_key(sql: psycopg.Connection, ids: str, mode: str) -> None:
    found = plan(sql, pass_pending._CONTENT, "'t0'", ids, "1000000", tenant="t0", mode=mode)
    assert scanned(found, TABLES) == []
    arrays = ("array['passed']", "array[null]::text[]", "array[1]::real[]")
    found = plan(sql, pass_pending._JUDGED, "'t0'", ids, *arrays, role="thoth_worker", tenant="", mode=mode)
    assert scanned(found, TABLES) == []


@pytest.mark.parametrize("mode", MODES)
def test_force_reject_reads_by_key(sql: psycopg.Connection, ids: str, mode: str) -> None:
    found = plan(sql, expire._REJECT, "5000", "30", role="thoth_worker", tenant="", mode=mode)
    assert scanned(found, TABLES) == []


@pytest.mark.parametrize("mode", MODES)
def test_indexing_reads_by_key(sql: psycopg.Connection, ids: str, mode: str) -> None:
    found = plan(sql, index._WAITING, "64", role="thoth_worker", tenant="", mode=mode)
    assert indexes(found) == {"substrate_unindexed_queued", "substrate_unindexed_pkey"}
    for query, arguments in (
        (index._GATHER, ("'t0'", "200", "200000")),
        (index._CLAIM, ("'t0'", ids)),
        (index._SKIP, ("'t0'", ids)),
        (index._SESSIONS, ("'t0'", "array['s1', 's2']", "array[3, 4]")),
    ):
        assert scanned(plan(sql, query, *arguments, tenant="t0", mode=mode), TABLES) == []
