"""Release: what has faded goes, and only that which may."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from uuid import UUID

import psycopg
import pytest

from tests.fade.support import TENANT, anchored, consolidated, embedded, faded, level
from tests.support import Said, count, perceived
from thoth_substrate.db.pool import Database
from thoth_substrate.fade.forget import forget
from thoth_substrate.fade.pin import pin
from thoth_substrate.fade.release import release
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.ids import SliceIds
from thoth_substrate.triage.index import index


def state(sql: psycopg.Connection, slice_id: UUID) -> str:
    row = sql.execute("select consolidation_state from thoth.substrate_slices where slice_id = %s", (slice_id,)).fetchone()
    assert row is not None
    return str(row[0])


async def test_what_faded_and_was_promoted_goes_and_leaves_a_thin_tombstone(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    born = clock.now()
    said = Said("We moved to Lisbon.", actor="Ana", session="home", state="passed", metadata={"from": "Ana"})
    [slice_id] = perceived(sql, born, [said])
    await index(db, limit_rows=10)
    embedded(sql)
    consolidated(sql, [slice_id])
    sql.execute("insert into thoth.substrate_verdicts values ('default', %s, 0, 'nothing', 'talk', 'parser', now())", [slice_id])
    sql.execute("insert into thoth.substrate_digests values ('default', %s, 0.5, '{home}', 'They moved.', '', now())", [slice_id])
    clock.advance(timedelta(days=59))
    assert (await release(db, limit_rows=10)).released == 0
    clock.advance(timedelta(days=2))
    report = await release(db, limit_rows=10)
    part = report.by_tenant[TENANT]
    assert (part.slices, part.passages, part.vectors, part.first, part.last) == (1, 1, 2, slice_id, slice_id)
    row = sql.execute(
        "select session_id, event_time, actor, text, payload, metadata, octet_length(content_hash),"
        " consolidation_state, released_at from thoth.substrate_slices"
    ).fetchone()
    assert row == ("home", born, "", "", None, {}, 32, "released", clock.now())
    assert count(sql, "substrate_postings") == count(sql, "substrate_passage_vectors") == count(sql, "substrate_salience") == 0
    assert count(sql, "substrate_verdicts") == count(sql, "substrate_digests") == 0
    assert (await release(db, limit_rows=10)).due == 0


async def test_a_profile_without_tombstones_leaves_an_emptied_row_for_the_month_to_take(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    [slice_id] = perceived(sql, clock.now(), [Said("21.5 °C", session="kitchen", at=clock.now() - timedelta(hours=3))])
    sql.execute("update thoth.substrate_salience set profile = 'default-signal'")
    sql.execute("update thoth.substrate_slices set external_id = 'x', event_offset_s = 3600")
    consolidated(sql, [slice_id])
    faded(sql, clock.now())
    assert (await release(db, limit_rows=10)).released == 1
    row = sql.execute(
        "select session_id, actor, text, external_id, event_offset_s, event_time = ingest_time, content_hash"
        " from thoth.substrate_slices"
    ).fetchone()
    assert row == ("", "", "", None, None, True, b"")


async def test_without_a_model_nothing_is_promoted_and_so_nothing_is_released(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    perceived(sql, clock.now(), [Said("hello", state="passed")])
    clock.advance(timedelta(days=4000))
    assert (await release(db, limit_rows=10)).due == 0


async def test_a_profile_that_opted_in_lets_go_after_its_patience(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    [slice_id] = perceived(sql, clock.now(), [Said("hello")])
    sql.execute("update thoth.substrate_profiles set release_unconsolidated_after = '90 days' where profile = 'default-text'")
    sql.execute("update thoth.substrate_salience set releasable = true")
    clock.advance(timedelta(days=61))
    report = await release(db, limit_rows=10)
    assert (report.released, report.by_tenant[TENANT].postponed) == (0, 1)
    found = anchored(sql, slice_id)
    assert found is not None
    assert found.fades_at == found.anchored_at + timedelta(days=90)
    clock.advance(timedelta(days=29, seconds=1))
    assert (await release(db, limit_rows=10)).released == 1


async def test_what_may_not_go_any_more_never_stands_in_the_way_of_what_may(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    *stuck, going = perceived(sql, clock.now(), [Said("a"), Said("b"), Said("c")])
    sql.execute("update thoth.substrate_salience set releasable = true")  # their profile has opted out since
    consolidated(sql, [going])
    faded(sql, clock.now())
    sql.execute("update thoth.substrate_salience set fades_at = fades_at - interval '1 day' where slice_id = any(%s)", (stuck,))
    assert (await release(db, limit_rows=2)).released == 0
    assert (await release(db, limit_rows=2)).released == 1
    assert [state(sql, slice_id) for slice_id in (*stuck, going)] == ["unconsolidated", "unconsolidated", "released"]


async def test_an_anchor_whose_slice_is_gone_is_cleared_away(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    perceived(sql, clock.now(), [Said("hello")])
    faded(sql, clock.now())
    sql.execute("update thoth.substrate_salience set slice_id = %s, releasable = true", (SliceIds().next(clock.now()),))
    report = await release(db, limit_rows=10)
    assert (report.due, report.released, count(sql, "substrate_salience")) == (1, 0, 0)


async def test_salience_falls_by_the_clock_alone_and_not_a_row_is_touched(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    [slice_id] = perceived(sql, clock.now(), [Said("hello", state="passed")])
    where = "select tableoid, ctid::text, xmin::text from thoth.substrate_salience"
    before = sql.execute(where).fetchone()
    levels = []
    for _ in range(12):
        levels.append(level(sql, slice_id, clock.now()))
        await release(db, limit_rows=10)
        clock.advance(timedelta(days=14))
    assert levels == [pytest.approx(0.5**n) for n in range(12)]
    assert sql.execute(where).fetchone() == before


async def test_the_database_refuses_a_release_that_the_handshake_forbids(sql: psycopg.Connection, clock: PinnedClock) -> None:
    [slice_id] = perceived(sql, clock.now(), [Said("hello", state="passed")])
    faded(sql, clock.now())
    with pytest.raises(psycopg.errors.CheckViolation, match="neither consolidated nor forgotten"):
        sql.execute("update thoth.substrate_slices set consolidation_state = 'released', text = '', payload = null")
    with pytest.raises(psycopg.errors.RestrictViolation, match="never deleted"):
        sql.execute("delete from thoth.substrate_slices")
    assert state(sql, slice_id) == "unconsolidated"


async def test_our_own_code_never_runs_into_the_release_trigger(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """Every combination of what may be due, released as far as it may, without one refusal."""
    ids = perceived(sql, clock.now(), [Said(f"n {n}", state="passed" if n % 2 else "pending") for n in range(64)])
    for n, slice_id in enumerate(ids):
        if n & 2:
            consolidated(sql, [slice_id])
        if n & 4:
            await forget(db, TENANT, slice_id)
        elif n & 8:
            await pin(db, TENANT, slice_id)
        profile = "default-signal" if n & 16 else "default-text"
        sql.execute("update thoth.substrate_salience set profile = %s, releasable = releasable or %s where slice_id = %s",
                    (profile, bool(n & 32), slice_id))  # fmt: skip
    sql.execute("update thoth.substrate_profiles set release_unconsolidated_after = '500 days' where profile = 'default-signal'")
    clock.advance(timedelta(days=400))
    while (await release(db, limit_rows=7)).due:
        pass
    gone = {n for n, slice_id in enumerate(ids) if state(sql, slice_id) == "released"}
    assert gone == {n for n in range(64) if n & 4 or (n & 2 and not n & 8)}


async def test_two_curators_share_the_work_and_release_each_slice_once(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: concurrent writers touching overlapping sets in opposite orders (deadlock)."""
    ids = perceived(sql, clock.now(), [Said(f"word{n % 50} again", state="passed") for n in range(300)])
    await index(db, limit_rows=300)
    embedded(sql)
    consolidated(sql, ids)
    faded(sql, clock.now())
    new = perceived(sql, clock.now(), [Said(f"word{n % 50} once more", state="passed") for n in range(300)])
    curators = asyncio.gather(*(release(db, limit_rows=100) for _ in range(3)))
    await asyncio.gather(curators, index(db, limit_rows=300), *(forget(db, TENANT, n) for n in new[::-29]))
    released = sum(report.released for report in await curators)
    while (report := await release(db, limit_rows=100)).due:
        released += report.released
    assert released == 300 + len(new[::-29])
    await index(db, limit_rows=300)
    check = sql.execute(
        "select (select passages from thoth.substrate_text_stats), (select count(*) from thoth.substrate_passages),"
        " (select count(*) from thoth.substrate_postings), (select sum(passages) from thoth.substrate_terms),"
        " (select vectors from thoth.substrate_vector_stats), (select count(*) from thoth.substrate_unindexed)"
    ).fetchone()
    left = 300 - len(new[::-29])
    assert check is not None
    assert check[:2] == (left, left)
    assert check[2] == check[3]
    assert check[4:] == (0, 0)
