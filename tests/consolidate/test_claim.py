"""Which slices are promoted next: whole sessions, when they are full, quiet or late, and never what is not to be promoted."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.consolidate.support import LEASE, Mind
from tests.plans import plan, scanned
from tests.support import Said, perceived
from thoth_substrate.consolidate import attempts, claim
from thoth_substrate.consolidate.attempts import FIRST_WAIT, LONGEST_WAIT, wait_before
from thoth_substrate.consolidate.claim import BATCH_BYTES, Candidate, Claim, choose, tenants_with_work
from thoth_substrate.db.queries import Query
from thoth_substrate.fade.forget import forget
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.triage.index import index

QUIET = timedelta(seconds=20)


async def _claims(mind: Mind, limit_rows: int = 4, quiet: timedelta = QUIET) -> Claim | None:
    return await claim.claim(mind.db, mind.tenant, limit_rows=limit_rows, lease=LEASE, quiet=quiet)


def _shape(taken: Claim | None) -> list[tuple[str, int, bool]]:
    return [] if taken is None else [(batch.session_id, len(batch.sources), batch.late) for batch in taken.sessions]


async def test_a_session_waits_until_it_is_quiet_or_full(mind: Mind) -> None:
    await mind.hears(*(Said(f"turn {n}", session="talking") for n in range(3)))
    assert await _claims(mind) is None
    assert await tenants_with_work(mind.db) == ["default"], "due, though not ready"
    await mind.hears(Said("turn 3", session="talking"))
    assert _shape(await _claims(mind)) == [("talking", 4, False)]
    await mind.hears(Said("hello", session="quiet"))
    mind.clock.advance(QUIET)
    assert _shape(await _claims(mind)) == [("quiet", 1, False)]


async def test_a_session_that_never_rests_is_taken_when_its_window_is_over(mind: Mind) -> None:
    await mind.hears(Said("first", session="long"))
    mind.clock.advance(timedelta(days=1))
    await mind.hears(Said("last", session="long"))
    assert _shape(await _claims(mind)) == [("long", 2, True)]


async def test_small_sessions_share_a_claim_and_large_ones_are_cut(mind: Mind) -> None:
    await mind.hears(*(Said(f"{n}", session="a") for n in range(2)), *(Said(f"{n}", session="b") for n in range(2)))
    await mind.hears(*(Said(f"{n}", session="c") for n in range(9)))
    mind.clock.advance(QUIET)
    assert _shape(await _claims(mind)) == [("a", 2, False), ("b", 2, False)]
    assert [_shape(await _claims(mind)) for _ in range(4)] == [[("c", 4, False)], [("c", 4, False)], [("c", 1, False)], []]


async def test_sources_are_whole_in_the_order_of_their_events_and_in_their_own_offset(mind: Mind) -> None:
    """faults: a user at UTC+8 saying “at 12:45 today”."""
    at = datetime(2025, 7, 25, 4, 45, tzinfo=UTC)
    later, earlier = await mind.hears(Said("later", at=at), Said("x" * 3000, at=at - timedelta(hours=1)))
    mind.sql.execute("update thoth.substrate_slices set event_offset_s = 28800 where slice_id = %s", (later,))
    taken = await mind.claims()
    assert taken is not None
    assert [source.slice_id for source in taken.sources] == [earlier, later]
    first, second = taken.sources
    assert len(first.text) == 3000
    assert len(first.passages) >= 3
    assert second.event_time.isoformat() == "2025-07-25T12:45:00+08:00"
    assert (second.actor, second.session_id, second.trust, len(second.content_hash)) == ("user", "s1", 1.0, 64)
    assert taken.until == mind.clock.now() + LEASE


async def test_what_is_not_to_be_promoted_is_never_claimed(mind: Mind) -> None:
    kept, gone, unread = await mind.hears(Said("kept"), Said("gone"), Said("unread"))
    await forget(mind.db, mind.tenant, gone)
    mind.sql.execute("insert into thoth.substrate_unconsolidated (tenant_id, slice_id) values ('default', %s)", (gone,))
    mind.sql.execute("insert into thoth.substrate_unindexed (tenant_id, slice_id) values ('default', %s)", (unread,))
    diary, rejected = perceived(
        mind.sql, mind.clock.now(), [Said("d", stream="substrate.self_state", state="passed"), Said("r", state="passed")]
    )
    mind.sql.execute("update thoth.substrate_slices set triage_state = 'rejected' where slice_id = %s", (rejected,))
    mind.sql.execute("delete from thoth.substrate_unindexed where slice_id = any(%s)", ([diary, rejected],))
    taken = await mind.claims()
    assert taken is not None
    assert [source.slice_id for source in taken.sources] == [kept]
    assert set(mind.queued()) == {kept, unread}, "what will never be promoted has left the queue"


async def test_a_slice_whose_month_is_gone_leaves_the_queue(mind: Mind) -> None:
    mind.sql.execute("insert into thoth.substrate_unconsolidated (tenant_id, slice_id) values ('default', %s)", (UUID(int=9),))
    assert await mind.claims() is None
    assert mind.queued() == []


async def test_parallel_claims_share_the_work(mind: Mind) -> None:
    ids = await mind.hears(*(Said(f"{n}", session=f"s{n % 5}") for n in range(40)))
    taken = [one for one in await asyncio.gather(*(_claims(mind, 8, timedelta(0)) for _ in range(8))) if one is not None]
    while (one := await _claims(mind, 8, timedelta(0))) is not None:
        taken.append(one)
    claimed = [source.slice_id for one in taken for source in one.sources]
    assert sorted(claimed) == sorted(ids)


async def test_tenants_with_work_are_those_with_something_due(mind: Mind) -> None:
    perceived(mind.sql, mind.clock.now(), [Said("a", tenant=f"t{n}", state="passed") for n in range(4)])
    await index(mind.db, limit_rows=100)
    await claim.claim(mind.db, "t1", limit_rows=4, lease=LEASE, quiet=timedelta(0))
    mind.sql.execute("update thoth.substrate_unconsolidated set not_before = 'infinity' where tenant_id = 't2'")
    assert await tenants_with_work(mind.db) == ["t0", "t3"]
    mind.clock.advance(LEASE)
    assert await tenants_with_work(mind.db) == ["t0", "t1", "t3"]


def test_each_attempt_waits_longer_up_to_a_bound() -> None:
    for attempt in range(2, 40):
        wait = wait_before(attempt)
        expected = min(FIRST_WAIT * 2 ** min(attempt - 2, 10), LONGEST_WAIT)
        assert 0.75 * expected <= wait <= 1.25 * expected


@given(
    st.lists(
        st.tuples(st.sampled_from("abcd"), st.integers(0, 60), st.integers(0, BATCH_BYTES), st.booleans(), st.booleans()),
        max_size=40,
    ),
    st.integers(1, 10),
)
def test_a_choice_is_bounded_and_never_leaves_everything_that_is_ready(
    rows: list[tuple[str, int, int, bool, bool]], limit_rows: int
) -> None:
    now = datetime(2026, 5, 15, tzinfo=UTC)
    found = [
        Candidate(UUID(int=n), session, now, now - timedelta(seconds=age), size, True, indexed, late)
        for n, (session, age, size, indexed, late) in enumerate(rows)
    ]
    chosen = choose(found, limit_rows, QUIET, now)
    assert len(chosen) <= limit_rows
    assert len(chosen) == 1 or sum(one.bytes for one in chosen) <= BATCH_BYTES
    assert all(one.indexed for one in chosen)
    late = [one for one in found if one.late and one.indexed]
    assert not late or chosen


MODES = ("force_generic_plan", "force_custom_plan")
TABLES = ("substrate_slices_y2026m04", "substrate_slices_y2026m05", "substrate_passages_h", "substrate_unconsolidated",
          "substrate_unindexed", "substrate_salience_h", "substrate_dead_letters")  # fmt: skip


@pytest.fixture
def ids(sql: psycopg.Connection, clock: PinnedClock) -> str:
    """Slices of two months and four tenants, indexed, queued and claimed; as an SQL literal, the ids of one batch."""
    batch = []
    for ago in (30, 0):
        said = [Said(f"turn {n}", tenant=f"t{n % 4}", state="passed") for n in range(3000)]
        batch = perceived(sql, clock.now() - timedelta(days=ago), said)
    sql.execute(
        "insert into thoth.substrate_unconsolidated (tenant_id, slice_id, queued_at)"
        " select tenant_id, gen_random_uuid(), queued_at from thoth.substrate_unconsolidated, generate_series(1, 3)"
    )
    sql.execute("update thoth.substrate_unconsolidated set claim = '00000000-0000-0000-0000-000000000001'")
    sql.execute(
        "insert into thoth.substrate_dead_letters select tenant_id, 'parser', slice_id, 1, 'no' from thoth.substrate_slices"
    )
    sql.execute(
        "insert into thoth.substrate_passages (tenant_id, slice_id, passage_no, stream_id, session_no, seq, event_time,"
        " char_start, char_end, length, actor, terms, counts)"
        " select tenant_id, slice_id, 0, 1, 1, 1, event_time, 0, 9, 3, 'user', '{a}', '{1}' from thoth.substrate_slices"
    )
    sql.execute("analyze")
    return "array[" + ", ".join(f"'{one}'" for one in batch[:64:4]) + "]::uuid[]"


@pytest.mark.parametrize("mode", MODES)
def test_a_claim_reads_by_key(sql: psycopg.Connection, ids: str, mode: str) -> None:
    token = "'00000000-0000-0000-0000-000000000001'"
    waits = "array_fill(interval '1 minute', array[16])"
    words = "array_fill('no'::text, array[16])"
    asked: list[tuple[Query[Any], tuple[str, ...]]] = [
        (claim._CANDIDATES, ("'t0'", "1000")),
        (claim._UNWANTED, ("'t0'", ids)),
        (claim._LOCKED, ("'t0'", ids)),
        (claim._TAKEN, ("'t0'", ids, token, "'5 minutes'")),
        (claim._SOURCES, ("'t0'", ids)),
        (claim._UNCLAIMED, ("'t0'", token, ids)),
        (claim._RENEWED, ("'t0'", token, ids, "'5 minutes'")),
        (attempts._HELD, ("'t0'", token, ids)),
        (attempts._PUT_OFF, ("'t0'", ids, waits, words)),
        (attempts._BURIED, ("'t0'", "'parser'", ids, "array_fill(1::smallint, array[16])", words)),
    ]
    for query, arguments in asked:
        found = plan(sql, query, *arguments, tenant="t0", mode=mode)
        assert (query.name, scanned(found, TABLES)) == (query.name, [])


@pytest.mark.parametrize("mode", MODES)
def test_tenants_are_found_from_one_to_the_next(sql: psycopg.Connection, ids: str, mode: str) -> None:
    found = plan(sql, claim._TENANTS, role="thoth_worker", tenant="", mode=mode, point_lookups=False)
    assert scanned(found, TABLES) == []
