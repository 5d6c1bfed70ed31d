"""Recall from end to end, over a real database and the real local model."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import psycopg
import pytest

from tests.recall.conftest import LIFE, USER, settle
from thoth_substrate.db.pool import Database
from thoth_substrate.embed.local import LocalEmbedder
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.projection import EmptyReason, LegState
from thoth_substrate.model.slice import Event
from thoth_substrate.recall.calibration import Calibrator
from thoth_substrate.substrate import Substrate


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which port is the staging database on?", "5433"),
        ("What may Biscuit not eat?", "allergic to chicken"),
        ("When do I move into the new apartment?", "first of April"),
        ("每天坐什么去上班？", "坐电车去上班"),
        ("What did Bisquit eat?", "Biscuit"),
    ],
)
async def test_the_right_memory_leads(substrate: Substrate, question: str, expected: str) -> None:
    projection = await substrate.recall(question)
    assert projection.empty_reason is None, projection
    assert any(expected in line.text for line in projection.lines[:3])
    assert expected in projection.block


async def test_a_line_says_why_it_is_there(substrate: Substrate) -> None:
    projection = await substrate.recall("Which port is the staging database on?")
    line = projection.lines[0]
    assert {"vector", "keyword"} <= set(line.legs)
    assert line.score == pytest.approx(sum(line.parts.values()), abs=0.01)
    assert {leg.name: leg.state for leg in projection.legs}["vector"] is LegState.ANSWERED


async def test_an_answer_is_the_same_whether_the_vectors_are_at_hand_or_not(
    opened: Callable[..., Substrate], substrate: Substrate, db: Database, embedder: LocalEmbedder
) -> None:
    asking, asked_by_hand = opened(recall_vectors_bytes=0, recall_reinforce=False), opened(recall_reinforce=False)
    for facade in (asking, asked_by_hand):
        assert await facade.wait_until_awake(30)
    question = "What is my flat in Porto like?"
    for words in (None, "The flat in Porto has a balcony over the river and two bedrooms."):
        if words:
            await substrate.perceive(Event(USER, words, "later", "Maya"))
            assert await substrate.durable(60)
            await settle(db, embedder)
        expected = await asking.recall(question)
        await asked_by_hand.recall(question)
        await asked_by_hand.logged()  # by now they are at hand
        answered = await asked_by_hand.recall(question)
        assert answered.block == expected.block
        assert [line.score for line in answered.lines] == pytest.approx([line.score for line in expected.lines], abs=0.01)
        assert answered.block
        assert words is None or words in answered.block
    for facade in (asking, asked_by_hand):
        await facade.close()


async def test_trivial_prompts_are_answered_with_nothing_at_once(substrate: Substrate) -> None:
    assert (await substrate.recall("ok, thanks!")).empty_reason is EmptyReason.TRIVIAL_QUERY


async def test_recall_is_off_unless_it_was_opted_into_but_asking_by_hand_is_consent(
    opened: Callable[..., Substrate], substrate: Substrate
) -> None:
    off = opened(recall=False)
    assert (await off.recall("Which port?")).empty_reason is EmptyReason.DISABLED
    assert await off.wait_until_awake(10)
    assert (await off.recall("Which port is staging on?", forced=True)).lines
    await off.close()


async def test_a_tenant_without_memories_has_no_candidates(substrate: Substrate) -> None:
    assert (await substrate.recall("Which port is staging on?", tenant="stranger")).empty_reason is EmptyReason.NO_CANDIDATES


async def test_the_current_session_s_own_turns_are_not_recalled_into_it(substrate: Substrate) -> None:
    """faults: recall of the current session's own turns."""
    projection = await substrate.recall("Which port is the staging database on?", session="work")
    assert not any("5433" in line.text for line in projection.lines)


async def test_that_a_session_began_is_told_only_to_who_asks_for_it(
    substrate: Substrate, db: Database, embedder: LocalEmbedder
) -> None:
    """faults: a nearly empty memory that answers with the host's own session starts."""
    began = Event("thoth.self_state.session_lifecycle", {"event": "SessionStart", "source": "startup"}, "new")
    await substrate.perceive(began, tenant="newcomer")
    await substrate.perceive(Event(USER, "The mill at Aveiro stands still on Sundays.", "old", "Maya"), tenant="newcomer")
    assert await substrate.durable(60)
    await settle(db, embedder)
    projection = await substrate.recall("Is the mill open on Sundays?", tenant="newcomer", session="newest")
    assert [line.stream for line in projection.lines] == [USER]
    asked = await substrate.recall("Which SessionStart came by startup?", tenant="newcomer", session="newest")
    assert began.stream in [line.stream for line in asked.lines]
    await substrate.perceive(began, tenant="bare")
    assert await substrate.durable(60)
    await settle(db, embedder)
    nothing = await substrate.recall("How does the mill begin?", tenant="bare", session="newest")
    assert nothing.empty_reason in (EmptyReason.NO_CANDIDATES, EmptyReason.BELOW_FLOOR), "not for want of room"


async def test_a_budget_too_small_for_any_line_says_so(substrate: Substrate) -> None:
    assert (
        await substrate.recall("Which port is staging on?", budget_tokens=12)
    ).empty_reason is EmptyReason.TOKEN_BUDGET_EXHAUSTED
    assert (
        await substrate.recall("Which port is staging on?", budget_tokens=-5)
    ).empty_reason is EmptyReason.TOKEN_BUDGET_EXHAUSTED


async def test_a_forgotten_memory_is_found_no_more(substrate: Substrate) -> None:
    found = await substrate.recall("Which port is the staging database on?")
    for line in found.lines:
        if "5433" in line.text:
            assert await substrate.forget(line.slice_id)
    assert "5433" not in (await substrate.recall("Which port is the staging database on?")).block


async def test_every_age_is_found_unless_a_window_is_set(
    opened: Callable[..., Substrate], substrate: Substrate, clock: PinnedClock
) -> None:
    """faults: a window of 24 hours."""
    clock.advance(timedelta(days=3650))
    assert "5433" in (await substrate.recall("Which port is the staging database on?")).block
    narrow = opened(recall_time_window_hours=24)
    assert await narrow.wait_until_awake(10)
    assert (await narrow.recall("Which port is the staging database on?")).empty_reason is EmptyReason.NO_CANDIDATES
    await narrow.close()


async def test_dates_are_shown_in_the_reader_s_calendar(
    opened: Callable[..., Substrate], substrate: Substrate, db: Database, embedder: LocalEmbedder
) -> None:
    """faults: an event at 2025-07-25T02:00Z shown to a reader in US/Pacific."""
    await substrate.perceive(
        Event(USER, "The ferry ticket costs 41 dollars.", "ferry", "Maya", datetime(2025, 7, 25, 2, tzinfo=UTC))
    )
    assert await substrate.durable(60)
    await settle(db, embedder)
    pacific = opened(timezone=ZoneInfo("US/Pacific"))
    assert await pacific.wait_until_awake(10)
    assert "25 Jul 2025" in (await substrate.recall("What does the ferry ticket cost?")).block
    assert "24 Jul 2025" in (await pacific.recall("What does the ferry ticket cost?")).block
    await pacific.close()


async def test_hostile_queries_never_raise(substrate: Substrate) -> None:
    """faults: a lone surrogate as query, a NUL, a query of megabytes."""
    for query in ("\ud83d abc port", "a\x00b port", "port " * 400_000, "'; drop table x; --", "%_\\"):
        projection = await substrate.recall(query)
        assert projection.empty_reason is not EmptyReason.ERROR, (query[:20], projection)


async def test_each_recall_leaves_one_row_also_the_empty_ones(substrate: Substrate, sql: psycopg.Connection) -> None:
    shown = await substrate.recall("Which port is the staging database on? My key is AKIAIOSFODNN7EXAMPLE")
    empty = await substrate.recall("thanks")
    await substrate.logged()
    rows = {
        row[0]: row[1:]
        for row in sql.execute(
            "select recall_id, empty_reason, shown, candidates, query_excerpt, tokens from thoth.substrate_recall_log"
        )
    }
    assert rows[empty.recall_id][0] == "trivial_query"
    reason, lines, nearby, excerpt, tokens = rows[shown.recall_id]
    assert reason is None
    assert [line["handle"] for line in lines] == [line.handle for line in shown.lines]
    assert nearby["best"][0]["parts"]
    assert "AKIA" not in excerpt
    assert tokens == shown.tokens


async def test_what_was_shown_is_reinforced_a_little_and_at_most_once_an_hour(
    substrate: Substrate, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: recall that reinforces what it shows, so that it shows it again."""
    clock.advance(timedelta(days=10))
    for _ in range(5):
        await substrate.recall("Which port is the staging database on?")
    await substrate.logged()
    moved = sql.execute(
        "select max(n) from (select count(*) n from thoth.substrate_salience_events where cause = 'surfaced' group by slice_id) x"
    )
    assert moved.fetchone() == (1,)


async def test_a_foreign_question_is_met_with_silence_once_the_floor_is_calibrated(
    substrate: Substrate, db: Database, embedder: LocalEmbedder
) -> None:
    """An empty projection is a normal, good result."""
    for number in range(60):
        await substrate.perceive(
            Event(USER, f"Day {number}: the shop sold {number * 3} pairs of shoes and {number} hats.", "ledger", "Maya")
        )
    assert await substrate.durable(60)
    await settle(db, embedder)
    await Calibrator(embedder).tenant(db, "default", embedder.model.name)
    foreign = await substrate.recall("Which enzyme breaks down starch in barley?")
    assert foreign.empty_reason is EmptyReason.BELOW_FLOOR, foreign.detail
    assert foreign.block == ""
    assert "5433" in (await substrate.recall("Which port is the staging database on?")).block


async def test_without_an_embedder_words_alone_find_it_and_it_says_so(
    dsn: str, substrate: Substrate, opened: Callable[..., Substrate]
) -> None:
    blind = opened()
    blind._embedder = None
    assert await blind.wait_until_awake(10)
    projection = await blind.recall("Which port is the staging database on?")
    assert "5433" in projection.block
    assert next(leg for leg in projection.legs if leg.name == "embedding").state is LegState.ABSENT
    await blind.close()


async def test_sync_callers_get_the_same_answer(substrate: Substrate) -> None:
    import asyncio

    projection = await asyncio.to_thread(substrate.recall_sync, "Which port is the staging database on?")
    assert "5433" in projection.block


def test_the_life_has_what_the_tests_ask_for() -> None:
    assert any("5433" in text for _, _, text in LIFE)
