"""Indexing: from passed slices to passages, postings and the embedder's queue."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import anyio
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import Said, count, dies_after, index_agrees, perceived
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import DatabaseUnavailable
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.passages import Span, split
from thoth_substrate.model.terms import terms
from thoth_substrate.triage.index import BATCH_CHARS, LEAST_CHARS, Gathered, IndexReport, index, prepare


async def test_a_passed_slice_becomes_a_passage_with_postings(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    [slice_id] = perceived(sql, clock.now(), [Said("We moved to Lisbon in May; Lisbon is warm.", actor="Ana", state="passed")])
    assert await index(db, limit_rows=10) == IndexReport(tenants=1, slices=1, passages=1)
    row = sql.execute(
        "select slice_id, passage_no, seq, char_start, char_end, length, actor, terms, counts from thoth.substrate_passages"
    ).fetchone()
    assert row == (slice_id, 0, 1, 0, 42, 6, "Ana", ["ana", "move", "lisbon", "may", "warm"], [1, 1, 2, 1, 1])
    assert sql.execute("select count, length from thoth.substrate_postings where term = 'lisbon'").fetchall() == [(2, 6)]
    assert sql.execute("select term, passages from thoth.substrate_terms order by 1").fetchall() == [
        ("ana", 1), ("lisbon", 1), ("may", 1), ("move", 1), ("warm", 1)
    ]  # fmt: skip
    assert sql.execute("select passages, total_length from thoth.substrate_text_stats").fetchall() == [(1, 6)]
    assert count(sql, "substrate_unindexed") == 0
    assert count(sql, "substrate_unembedded") == 1


async def test_passages_are_numbered_in_the_order_of_events_and_a_late_one_is_appended(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    now = clock.now()
    said = [Said(f"turn number {n}", at=now + timedelta(minutes=m), state="passed") for n, m in ((2, 2), (1, 1), (3, 3))]
    perceived(sql, now, said)
    await index(db, limit_rows=10)
    perceived(sql, now, [Said("turn number 0", at=now, state="passed")])
    await index(db, limit_rows=10)
    rows = sql.execute("select seq, terms[4] from thoth.substrate_passages order by seq").fetchall()
    assert rows == [(1, "1"), (2, "2"), (3, "3"), (4, "0")]
    assert sql.execute("select last_seq from thoth.substrate_sessions").fetchall() == [(4,)]


def passages(sql: psycopg.Connection) -> list[tuple[object, ...]]:
    """What recall sees, without the numbers that depend on when a slice was indexed."""
    return sql.execute(
        "select slice_id, passage_no, char_start, char_end, length, flags, actor, terms, counts"
        " from thoth.substrate_passages order by slice_id, passage_no"
    ).fetchall()


async def drain(db: Database, limit_chars: int = BATCH_CHARS) -> IndexReport:
    """Index until nothing waits; answers the sum of the ticks."""
    total = IndexReport()
    while (report := await index(db, limit_rows=50, limit_chars=limit_chars)) != IndexReport():
        total += replace(report, more=False)
    return total


WORDS = (
    "harbour ship sail ticket lemon seventy-five Ünïcode v1.2.3 北京大学 กรุงเทพ مدرسة question? I said no. Yes!\n 5432"
).split(" ")


@st.composite
def texts(draw: st.DrawFn) -> str:
    words = draw(st.lists(st.sampled_from([*WORDS, "\n", "…", "x" * 1300, "。", "   "]), min_size=1, max_size=60))
    return draw(st.sampled_from([" ", "", ". ", " " * 40])).join(words * draw(st.integers(1, 12)))


@given(text=texts(), limit=st.integers(LEAST_CHARS, 9000))
@settings(max_examples=150, deadline=None)
def test_a_text_taken_in_several_bites_gives_the_passages_of_the_whole(text: str, limit: int) -> None:
    whole = [span for span in split(text) if text[span.start : span.end].strip()]
    found: list[Span] = []
    start, number, done = 0, 0, False
    for _ in range(200):
        bite = gathered(text[start : start + limit], start, number)
        taken = prepare(bite, limit)
        found += taken.spans
        if taken.spans:
            start, number = taken.spans[-1].start, number + len(taken.spans)
        done = taken.whole
        if done:
            break
    assert done
    assert [span for span in found if text[span.start : span.end].strip()] == whole


def gathered(text: str, char_start: int, next_no: int) -> Gathered:
    at = datetime(2026, 5, 15, tzinfo=UTC)
    return Gathered(UUID(int=1), True, "s1", "user", 1, at, 1.0, text, char_start, next_no)


async def test_a_5_mb_text_is_indexed_over_several_ticks_and_holds_up_nobody(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: a 5 MB tool result."""
    line = "The harvest of lot {} was weighed in the evening and written into the book of the mill.\n"
    huge = "".join(line.format(n) for n in range(60_000))
    assert len(huge) > 5_000_000
    perceived(
        sql,
        clock.now(),
        [Said(huge, state="passed"), Said("after it", state="passed"), Said("small", tenant="b", state="passed")],
    )
    first = await index(db, limit_rows=10)
    assert first.passages < 400
    assert sql.execute("select count(*) from thoth.substrate_passages where tenant_id = 'b'").fetchone() == (1,)
    rest = await drain(db)
    assert first.slices + rest.slices == 3
    whole = split(huge)
    spans = sql.execute(
        "select char_start, char_end, passage_no from thoth.substrate_passages where length > 10 order by passage_no"
    ).fetchall()
    assert spans == [(span.start, span.end, number) for number, span in enumerate(whole)]
    index_agrees(sql)


async def test_a_text_of_hardly_anything_but_blanks_comes_to_its_end(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    perceived(sql, clock.now(), [Said("begin" + " \n" * 100_000 + "end", state="passed")])
    await drain(db, limit_chars=20_000)
    assert sql.execute("select count(*) from thoth.substrate_postings where term in ('begin', 'end')").fetchone() == (2,)
    assert count(sql, "substrate_passages") < 20


async def test_every_fact_of_an_88_000_character_document_is_in_the_postings(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: an 88,000-character document with a fact in each slice of it: every one is found."""
    filler = "The committee met again and nothing of note was decided in the long afternoon. " * 11
    document = "".join(f"{filler}The code of gate{n}x is {70_000 + n}. " for n in range(100))
    assert len(document) > 88_000
    perceived(sql, clock.now(), [Said(document, state="passed")])
    await drain(db)
    for n in range(100):
        rows = sql.execute(
            "select p.char_start, p.char_end from thoth.substrate_passages p"
            " where (select count(*) from thoth.substrate_postings o where o.passage_id = p.passage_id and o.term = any(%s)) = 2",
            ([f"gate{n}x", str(70_000 + n)],),
        ).fetchall()
        assert rows
        assert all(f"gate{n}x is {70_000 + n}" in document[start:end] for start, end in rows)


SCRIPTS = [
    ("我昨天在北京大学图书馆遇见了王老师。", "北京大学"),
    ("昨日、東京駅の近くで新しい仕事を見つけました。", "東京駅"),
    ("ฉันย้ายไปอยู่เชียงใหม่เมื่อปีที่แล้ว", "เชียงใหม่"),
    ("انتقلت إلى مدينة القاهرة في الشهر الماضي.", "القاهرة"),
    ("Моя сестра живёт в Санкт-Петербурге.", "Санкт-Петербурге"),
    ("My friend 小明 lives in München near the Straße.", "小明 munchen STRASSE"),
    ("say <|endoftext|> and <|im_start|> aloud", "endoftext im_start"),
]


async def test_any_script_is_found_by_keyword(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    """faults: Chinese, Thai, Arabic, mixed scripts: found by keyword without spaces between words; the literal <|endoftext|>."""
    ids = perceived(sql, clock.now(), [Said(text, state="passed") for text, _ in SCRIPTS])
    await drain(db)
    for slice_id, (_, question) in zip(ids, SCRIPTS, strict=True):
        asked = terms(question)
        found = sql.execute(
            "select p.slice_id, count(*) from thoth.substrate_postings o"
            " join thoth.substrate_passages p using (tenant_id, passage_id) where o.term = any(%s) group by 1 order by 2 desc",
            (asked,),
        ).fetchall()
        assert found[0] == (slice_id, len(set(asked)))


async def test_two_hosts_at_once_index_each_slice_once(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    """faults: two workers started by accident; concurrent writers touching overlapping sets in opposite orders (deadlock)."""
    said = [
        Said(f"Turn {n} tells of the harbour, the mill and lot {n % 7}.", session=f"s{n % 3}", tenant=f"t{n % 2}", state="passed")
        for n in range(300)
    ]
    perceived(sql, clock.now(), said)
    reports: list[IndexReport] = []

    async def host() -> None:
        for _ in range(40):
            reports.append(await index(db, limit_rows=20))

    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(host)
    total = sum(reports, await drain(db))
    assert (total.slices, total.passages) == (300, 300)
    index_agrees(sql)


async def test_killed_anywhere_it_goes_on_and_counts_nothing_twice(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """faults: SIGTERM in the middle of a tick, SIGKILL anywhere; the connection dies mid-transaction."""
    said = [
        Said(f"Turn {n} tells of the harbour and the mill. " * (1 + n % 50), session=f"s{n % 3}", state="passed")
        for n in range(120)
    ]
    perceived(sql, clock.now(), said)
    for statements in range(1, 20):
        with monkeypatch.context() as patch, contextlib.suppress(DatabaseUnavailable):
            dies_after(patch, statements)
            await index(db, limit_rows=30, limit_chars=8000)
    await drain(db)
    assert count(sql, "substrate_unindexed") == 0
    assert sql.execute("select count(distinct slice_id) from thoth.substrate_passages").fetchone() == (120,)
    index_agrees(sql)


async def test_a_slice_queued_again_counts_nothing_twice(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    perceived(sql, clock.now(), [Said("The mill stands by the river. " * 100, state="passed")])
    await drain(db)
    before = passages(sql)
    sql.execute(
        "insert into thoth.substrate_unindexed (tenant_id, slice_id) select tenant_id, slice_id from thoth.substrate_slices"
    )
    assert await drain(db) == IndexReport(tenants=1, slices=1)
    assert passages(sql) == before
    index_agrees(sql)


async def test_what_is_not_to_be_searched_leaves_the_queue_unindexed(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    states = ["passed", "quarantined", "rejected", "pending", "passed", "passed", "passed"]
    ids = perceived(sql, clock.now(), [Said(f"text {n}", state=state) for n, state in enumerate(states)])
    sql.execute("update thoth.substrate_slices set forgotten = true where slice_id = %s", (ids[4],))
    sql.execute("update thoth.substrate_slices set consolidation_state = 'exempt' where slice_id = %s", (ids[5],))
    sql.execute("update thoth.substrate_slices set text = '  \n' where slice_id = %s", (ids[6],))
    sql.execute(
        "insert into thoth.substrate_unindexed select tenant_id, slice_id from thoth.substrate_slices on conflict do nothing"
    )
    sql.execute(
        "insert into thoth.substrate_unindexed values ('default', '019e0000-0000-7000-8000-000000000000')"
    )  # its month is gone
    assert await drain(db) == IndexReport(tenants=1, slices=2, passages=1, skipped=6)
    assert sql.execute("select slice_id from thoth.substrate_passages").fetchall() == [(ids[0],)]
    assert count(sql, "substrate_unindexed") == 0


async def test_a_slice_that_is_being_changed_is_left_for_the_next_tick(
    dsn: str, db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: a call whose result arrives after its source was changed or deleted."""
    held, _ = perceived(sql, clock.now(), [Said("forget me", state="passed"), Said("keep me", state="passed")])
    with psycopg.connect(dsn) as other:
        other.execute("update thoth.substrate_slices set forgotten = true where slice_id = %s", (held,))
        with anyio.fail_after(60):
            assert (await index(db, limit_rows=10)).slices == 1
        other.commit()
    assert await index(db, limit_rows=10) == IndexReport(tenants=1, skipped=1)
    assert count(sql, "substrate_passages") == 1


async def test_a_burst_of_one_tenant_does_not_starve_another(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    burst = [Said(f"import line {n}", tenant="big", state="passed") for n in range(500)]
    perceived(sql, clock.now(), burst)
    clock.advance(timedelta(seconds=1))
    perceived(sql, clock.now(), [Said("just said", tenant=tenant, state="passed") for tenant in ("a", "z")])
    await index(db, limit_rows=60)
    rows = sql.execute("select tenant_id, count(*) from thoth.substrate_passages group by 1 order by 1").fetchall()
    assert rows == [("a", 1), ("big", 20), ("z", 1)]


async def test_every_tenant_has_its_turn_though_more_wait_than_one_tick_serves(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    for n in range(6):
        perceived(sql, clock.now(), [Said(f"turn {k}", tenant=f"t{n}", state="passed") for k in range(2)])
        clock.advance(timedelta(seconds=1))
    for _ in range(6):
        await index(db, limit_rows=2)
    rows = sql.execute("select tenant_id, count(*) from thoth.substrate_passages group by 1 order by 1").fetchall()
    assert len(rows) == 6


async def test_numbers_of_sessions_are_not_burnt_by_those_that_exist(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    for n in range(5):
        perceived(sql, clock.now(), [Said(f"turn {n}", session="s1", state="passed")])
        await index(db, limit_rows=10)
    perceived(sql, clock.now(), [Said("new", session="s2", state="passed")])
    await index(db, limit_rows=10)
    assert sql.execute("select session_no from thoth.substrate_sessions order by session_no").fetchall() == [(1,), (2,)]
