"""Backfill: passages get their vectors, in bulk, once, whatever happens in between."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import anyio
import numpy as np
import psycopg
import pytest

from tests.embed.conftest import Make
from tests.support import Said, count, dies_after, perceived
from tests.support_openai import Endpoint, hang, poisoned, status, vector_of, well
from thoth_substrate.db.pool import Database
from thoth_substrate.embed.backfill import MOST_ATTEMPTS, PAUSE, EmbedReport, PassageText, backfill, turn_and_window, wait_s
from thoth_substrate.embed.models import ensure_model, sentences
from thoth_substrate.embed.reembed import retry
from thoth_substrate.errors import DatabaseUnavailable
from thoth_substrate.fade.forget import forget
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.embedding import code
from thoth_substrate.triage.index import index


async def indexed(db: Database, sql: psycopg.Connection, said: Iterable[Said]) -> list[Any]:
    """Slices written, passed and indexed; answers their ids."""
    ids = perceived(sql, db.clock.now(), list(said))
    sql.execute("update thoth.substrate_slices set triage_state = 'passed'")
    sql.execute("delete from thoth.substrate_pending")
    sql.execute(
        "insert into thoth.substrate_unindexed select tenant_id, slice_id from thoth.substrate_slices on conflict do nothing"
    )
    while (await index(db, limit_rows=500)).tenants:
        pass
    return ids


def texts_sent(endpoint: Endpoint) -> list[str]:
    """What was sent to be embedded, the sentences of the centre left out."""
    return [text for request in endpoint.requests for text in request["input"] if text not in sentences()]


def vectors_agree(sql: psycopg.Connection) -> None:
    """The statistics are those of the vectors, and every vector has its passage."""
    problems = sql.execute(
        """
        with real as (
            select tenant_id, model, count(*) vectors, count(*) filter (where kind = 'turn') turns,
                (sum(embedding::vector) filter (where kind = 'turn'))::real[] total
            from thoth.substrate_passage_vectors group by 1, 2
        )
        select r.tenant_id from real r join thoth.substrate_vector_stats s using (tenant_id, model)
        where r.vectors <> s.vectors or r.turns <> s.turns or l2_distance(r.total::vector, s.sum::vector) > 0.02
        union all (select tenant_id from real except select tenant_id from thoth.substrate_vector_stats)
        union all select tenant_id from thoth.substrate_passage_vectors v
        where not exists (select from thoth.substrate_passages p where p.tenant_id = v.tenant_id and p.passage_id = v.passage_id)
        """
    ).fetchall()
    assert problems == []


async def test_short_turns_get_a_vector_of_their_own_and_one_with_the_turn_before(
    db: Database, sql: psycopg.Connection, make: Make, endpoint: Endpoint
) -> None:
    long = "word " * 41
    await indexed(
        db, sql,
        [Said("Where did you go?", actor="Ana"), Said("To Lisbon.", actor="Ben"), Said(long.strip(), actor="Ana"),
         Said("Elsewhere.", session="s2")],
    )  # fmt: skip
    report = await backfill(db, make(), limit_rows=10)
    assert report == EmbedReport(embedded=4, vectors=5)
    assert sorted(texts_sent(endpoint)) == sorted(
        [
            "Ana: Where did you go?",
            "Ben: To Lisbon.",
            "Ana: Where did you go?\nBen: To Lisbon.",
            f"Ana: {long.strip()}",
            "user: Elsewhere.",
        ]
    )
    assert count(sql, "substrate_unembedded") == 0
    vectors_agree(sql)


async def test_what_is_stored_is_the_unit_vector_and_the_signs_of_its_distance_from_the_centre(
    db: Database, sql: psycopg.Connection, make: Make
) -> None:
    await indexed(db, sql, [Said("The mill by the river", actor="Ana")])
    await backfill(db, make(), limit_rows=10)
    state = await ensure_model(db, None)
    assert state.active is not None
    row = sql.execute("select embedding::real[], code::text, model from thoth.substrate_passage_vectors").fetchone()
    assert row is not None
    expected = np.asarray(vector_of("Ana: The mill by the river", 64), np.float32)
    assert np.allclose(row[0], expected, atol=1e-3)
    assert row[1] == code(expected, state.active.centre)
    assert row[2] == "openai:small"


async def test_a_second_run_finds_nothing_to_do(db: Database, sql: psycopg.Connection, make: Make) -> None:
    await indexed(db, sql, [Said("one"), Said("two")])
    await backfill(db, make(), limit_rows=10)
    assert await backfill(db, make(), limit_rows=10) == EmbedReport()
    sql.execute("insert into thoth.substrate_unembedded select tenant_id, passage_id from thoth.substrate_passages")
    assert (await backfill(db, make(), limit_rows=10)).vectors == 0
    assert count(sql, "substrate_unembedded") == 0
    vectors_agree(sql)


async def test_the_newest_come_soon_and_the_oldest_are_not_starved(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, make: Make, endpoint: Endpoint
) -> None:
    for n in range(10):
        await indexed(db, sql, [Said(f"turn {n}", session=f"s{n}")])
        clock.advance(timedelta(seconds=1))
    await backfill(db, make(), limit_rows=4)
    assert sorted(texts_sent(endpoint)) == ["user: turn 0", "user: turn 1", "user: turn 8", "user: turn 9"]


async def test_killed_anywhere_it_goes_on_and_counts_nothing_twice(
    db: Database, sql: psycopg.Connection, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """faults: SIGTERM in the middle of a tick, SIGKILL anywhere."""
    await indexed(db, sql, [Said(f"turn {n}", tenant=f"t{n % 3}", session=f"s{n % 2}") for n in range(60)])
    embedder = make()
    for statements in range(1, 25):
        with monkeypatch.context() as patch, contextlib.suppress(DatabaseUnavailable):
            dies_after(patch, statements)
            await backfill(db, embedder, limit_rows=6)
    while (await backfill(db, embedder, limit_rows=20)).embedded:
        pass
    assert sql.execute("select count(*) from thoth.substrate_passage_vectors where kind = 'turn'").fetchone() == (60,)
    vectors_agree(sql)


async def test_two_hosts_at_once_store_each_vector_once(db: Database, sql: psycopg.Connection, make: Make) -> None:
    """faults: two workers started by accident."""
    await indexed(db, sql, [Said(f"turn {n}", tenant=f"t{n % 2}") for n in range(80)])

    async def host() -> None:
        embedder = make()
        for _ in range(10):
            await backfill(db, embedder, limit_rows=16)

    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(host)
    assert count(sql, "substrate_unembedded") == 0
    assert sql.execute("select count(*) from thoth.substrate_passage_vectors where kind = 'turn'").fetchone() == (80,)
    vectors_agree(sql)


async def test_an_endpoint_down_for_hours_costs_one_call_a_tick_and_is_held_against_no_passage(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, make: Make, endpoint: Endpoint
) -> None:
    """faults: an endpoint down for hours while writes go on: no growing pile of jobs, no retry storm; 429 for an hour."""
    embedder = make()
    await indexed(db, sql, [Said("before")])
    assert (await backfill(db, embedder, limit_rows=10)).embedded == 1
    endpoint.always(status(429, "slow down", retry_after="600"))
    for n in range(12):
        await indexed(db, sql, [Said(f"during {n}")])
        before = len(endpoint.requests)
        report = await backfill(db, embedder, limit_rows=10)
        assert report.paused is not None
        assert "slow down" in report.paused
        assert report.retry_in == timedelta(minutes=10)
        assert len(endpoint.requests) - before == 1
        clock.advance(timedelta(minutes=10))
    assert sql.execute("select count(*), max(attempts) from thoth.substrate_unembedded").fetchone() == (12, 0)
    endpoint.always(well)
    assert (await backfill(db, embedder, limit_rows=20)).embedded == 12


async def test_a_key_revoked_before_the_first_vector_pauses_too(
    db: Database, sql: psycopg.Connection, make: Make, endpoint: Endpoint
) -> None:
    """faults: a key revoked half-way."""
    endpoint.always(status(401, "revoked"))
    await indexed(db, sql, [Said("hello")])
    report = await backfill(db, make(), limit_rows=10)
    assert report.paused is not None
    assert "revoked" in report.paused
    assert report.retry_in == PAUSE


async def test_one_poisoned_passage_holds_up_nobody_and_is_given_up_visibly_after_eight_attempts(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, make: Make, endpoint: Endpoint
) -> None:
    """faults: one poisoned item that fails identically forever."""
    embedder = make()
    await ensure_model(db, embedder)
    endpoint.always(poisoned("cyanide", 400))
    await indexed(db, sql, [Said(f"turn {n}", session=f"s{n}") for n in range(5)] + [Said("cyanide in the tea", session="s9")])
    first = await backfill(db, embedder, limit_rows=10)
    assert (first.embedded, first.failed, first.given_up) == (5, 1, 0)
    attempts = 1
    for _ in range(600):
        clock.advance(timedelta(seconds=30))
        attempts += (await backfill(db, embedder, limit_rows=10)).failed
    assert attempts == MOST_ATTEMPTS
    row = sql.execute("select attempts, not_before::text, failure from thoth.substrate_unembedded").fetchone()
    assert row is not None
    assert row[:2] == (8, "infinity")
    assert "cannot take cyanide" in row[2]
    endpoint.always(well)
    assert await backfill(db, embedder, limit_rows=10) == EmbedReport()
    assert await retry(db) == 1
    assert (await backfill(db, embedder, limit_rows=10)).embedded == 1


async def test_a_text_that_makes_the_endpoint_hang_is_found_out(
    db: Database, sql: psycopg.Connection, make: Make, endpoint: Endpoint
) -> None:
    """faults: a hang."""
    embedder = make(timeout_s=0.3)
    await ensure_model(db, embedder)

    def hangs_on(handler, body):  # type: ignore[no-untyped-def]
        (hang() if any("tarpit" in text for text in body["input"]) else well)(handler, body)

    endpoint.always(hangs_on)
    await indexed(db, sql, [Said("fine", session="s1"), Said("tarpit", session="s2")])
    report = await backfill(db, embedder, limit_rows=10)
    assert (report.embedded, report.failed) == (1, 1)


async def test_what_is_forgotten_while_it_is_being_embedded_gets_no_vector(
    db: Database, sql: psycopg.Connection, make: Make, endpoint: Endpoint
) -> None:
    """faults: a call whose result arrives after its source was changed or deleted."""
    embedder = make()
    await ensure_model(db, embedder)
    gone, _ = await indexed(db, sql, [Said("forget me"), Said("keep me")])
    asked, answered = anyio.Event(), anyio.Event()

    class Slow:
        model = embedder.model

        async def passages(self, texts: Any) -> Any:
            asked.set()
            await answered.wait()
            return await embedder.passages(texts)

        async def query(self, text: str) -> Any:
            return await embedder.query(text)

    reports: list[EmbedReport] = []

    async def run() -> None:
        reports.append(await backfill(db, Slow(), limit_rows=10))

    async with anyio.create_task_group() as group:
        group.start_soon(run)
        await asked.wait()
        await forget(db, "default", gone)
        answered.set()
    assert (reports[0].embedded, reports[0].dropped) == (1, 1)
    assert count(sql, "substrate_unembedded") == 0
    vectors_agree(sql)


async def test_with_another_model_than_the_stored_one_it_pauses_and_says_why(
    db: Database, sql: psycopg.Connection, make: Make, endpoint: Endpoint
) -> None:
    """faults: an embedding model swapped for another: re-embedding is one command, until then nothing is mixed."""
    await ensure_model(db, make("small"))
    await indexed(db, sql, [Said("hello")])
    report = await backfill(db, make("other"), limit_rows=10)
    assert report.paused is not None
    assert "embed reembed" in report.paused
    assert texts_sent(endpoint) == []
    endpoint.dimensions = 32
    report = await backfill(db, make("small"), limit_rows=10)
    assert report.paused is not None
    assert "(32)" in report.paused
    assert count(sql, "substrate_passage_vectors") == 0


async def test_passages_of_a_5_mb_slice_are_read_without_reading_it_for_each(
    db: Database, sql: psycopg.Connection, make: Make, endpoint: Endpoint
) -> None:
    """faults: a 5 MB tool result."""
    huge = "".join(f"Lot {n} was weighed at the mill in the evening and written into the book.\n" for n in range(70_000))
    await indexed(db, sql, [Said(huge)])
    await ensure_model(db, make())
    rows = sql.execute("select passage_id, char_start, char_end from thoth.substrate_passages order by passage_id").fetchall()
    sql.execute(
        "delete from thoth.substrate_unembedded where passage_id not in (select unnest(%s::bigint[]))",
        ([r[0] for r in rows[-40:]],),
    )
    report = await backfill(db, make(), limit_rows=64)
    assert report.embedded == 40
    assert set(texts_sent(endpoint)) == {f"user: {huge[start:end]}" for _, start, end in rows[-40:]}


def test_a_long_turn_or_a_first_one_has_no_window() -> None:
    assert turn_and_window(PassageText(1, "Ana", "Yes.", "Ben", "Coming?")) == {
        "turn": "Ana: Yes.",
        "window": "Ben: Coming?\nAna: Yes.",
    }
    assert turn_and_window(PassageText(1, "Ana", "Yes.", None, None)) == {"turn": "Ana: Yes."}
    assert turn_and_window(PassageText(1, "Ana", "word " * 41, "Ben", "Coming?")) == {"turn": "Ana: " + "word " * 41}


def test_the_wait_doubles_and_ends() -> None:
    assert [wait_s(n) for n in range(1, 9)] == [60, 120, 240, 480, 960, 1920, 3840, None]
