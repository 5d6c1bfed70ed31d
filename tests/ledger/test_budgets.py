"""Budgets hold under any number of workers, renew by the clock, and say when."""

from __future__ import annotations

import asyncio
import random
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
import tenacity

from tests.llm.conftest import GOOD, prompt
from tests.llm.scripted import Message, Reply, Request, ScriptedModel, Status
from thoth_substrate.db.pool import Database, PoolOptions
from thoth_substrate.ledger.budgets import Limit, Window, refusal, window_start
from thoth_substrate.ledger.ledger import PostgresLedger
from thoth_substrate.ledger.sweep import abandoned_after, expire, sweep
from thoth_substrate.llm.chat import Answer, Chat, Outcome
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.ports import Call, Refused, Reserved, Usage
from thoth_substrate.settings import Settings, load

AGENTS = ("parser", "associator", "pattern_finder", "critic", "reflector", "dreamer", "summarizer", "indexer")


def call(agent: str = "parser", tokens: int = 1000, usd: float = 0.0, tenant: str = "default") -> Call:
    return Call(tenant, agent, "chat", "http://there/v1", "m", tokens, usd)


def windows(sql: psycopg.Connection) -> list[tuple[Any, ...]]:
    return sql.execute("select scope, unit, reserved, spent from thoth.substrate_budgets order by 1, 2, starts_at").fetchall()


def total(sql: psycopg.Connection) -> tuple[int, int, float]:
    """Rows of the ledger, and the tokens and dollars that they say were spent."""
    row = sql.execute(
        "select count(*), coalesce(sum(prompt_tokens + completion_tokens), 0), coalesce(sum(usd), 0)"
        " from thoth.substrate_agent_cost"
    ).fetchone()
    assert row is not None
    return row


async def reserved(ledger: PostgresLedger, wanted: Call) -> Reserved:
    found = await ledger.reserve(wanted)
    assert isinstance(found, Reserved)
    return found


async def refused(ledger: PostgresLedger, wanted: Call) -> Refused:
    found = await ledger.reserve(wanted)
    assert isinstance(found, Refused)
    return found


async def test_what_is_set_aside_is_put_right(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    settings = load(THOTH_BUDGET_TOKENS_HOUR=10_000, THOTH_BUDGET_USD_DAY_PARSER=1)
    ledger = PostgresLedger(db, settings, clock)
    one = await reserved(ledger, call(tokens=3000, usd=0.3))
    assert windows(sql) == [("*", "tokens_hour", 3000, 0), ("parser", "usd_day", 0.3, 0)]
    await ledger.settle(one, Usage("ok", 700, 100, 0, 0.05, 12.5))
    assert windows(sql) == [("*", "tokens_hour", 0, 800), ("parser", "usd_day", 0, 0.05)]
    await ledger.settle(one, Usage("ok", 999, 999, 0, 9.0))
    assert windows(sql) == [("*", "tokens_hour", 0, 800), ("parser", "usd_day", 0, 0.05)]
    assert total(sql) == (1, 800, 0.05)


async def test_a_spent_budget_refuses_and_renews_by_the_clock(db: Database, clock: PinnedClock) -> None:
    ledger = PostgresLedger(db, load(THOTH_BUDGET_TOKENS_HOUR=1000, THOTH_BUDGET_USD_DAY=1), clock)
    clock.advance(timedelta(minutes=59))
    await ledger.settle(await reserved(ledger, call(tokens=900)), Usage("ok", 800, 100))
    spent = await refused(ledger, call(tokens=200))
    assert spent.renews_at == datetime(2026, 5, 15, 13, tzinfo=UTC)
    assert "1,000 tokens an hour for all agents is spent until 13:00 UTC" in spent.reason
    clock.advance(timedelta(minutes=1))
    await ledger.settle(await reserved(ledger, call(tokens=200, usd=0.9)), Usage("ok", 200, 0, 0, 0.9))
    day = await refused(ledger, call(tokens=200, usd=0.2))
    assert day.renews_at == datetime(2026, 5, 16, tzinfo=UTC)
    clock.advance(timedelta(hours=11))
    await reserved(ledger, call(tokens=200, usd=0.2))


async def test_an_agents_own_budget_binds_it_alone(db: Database, clock: PinnedClock) -> None:
    ledger = PostgresLedger(db, load(THOTH_BUDGET_TOKENS_HOUR=10_000, THOTH_BUDGET_TOKENS_HOUR_PATTERNFINDER=100), clock)
    await ledger.settle(await reserved(ledger, call("pattern_finder", 100)), Usage("ok", 100))
    assert "for patternfinder" in (await refused(ledger, call("pattern_finder", 1))).reason
    await reserved(ledger, call("parser", 5000))


async def test_what_other_calls_hold_may_soon_be_free(db: Database, clock: PinnedClock) -> None:
    ledger = PostgresLedger(db, load(THOTH_BUDGET_TOKENS_HOUR=1000), clock)
    held = await reserved(ledger, call(tokens=900))
    waits = await refused(ledger, call(tokens=500))
    assert waits.renews_at - clock.now() < timedelta(minutes=1)
    await ledger.settle(held, Usage("ok", 100))
    await reserved(ledger, call(tokens=500))


async def test_a_call_that_never_fits_is_told_so(db: Database, clock: PinnedClock) -> None:
    ledger = PostgresLedger(db, load(THOTH_BUDGET_TOKENS_HOUR=1000), clock)
    assert "One call that may take 3,000 tokens does not fit" in (await refused(ledger, call(tokens=3000))).reason
    nothing = PostgresLedger(db, load(THOTH_BUDGET_USD_DAY=0), clock)
    await reserved(nothing, call(usd=0.0))
    await refused(nothing, call(usd=0.0001))


def test_windows_are_hours_and_days_in_utc() -> None:
    at = datetime(2026, 5, 15, 12, 34, 56, tzinfo=UTC)
    assert window_start("tokens_hour", at) == datetime(2026, 5, 15, 12, tzinfo=UTC)
    assert window_start("usd_day", at) == datetime(2026, 5, 15, tzinfo=UTC)
    limit = Limit("*", "tokens_hour", window_start("tokens_hour", at), 10.0)
    assert refusal(limit, Window("*", "tokens_hour", at, 5.0, 4.0), 1.0, at) is None
    assert refusal(limit, Window("*", "tokens_hour", at, 5.0, 4.0), 1.5, at) is not None


async def test_dead_processes_are_counted_in_full_after_their_time(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    settings = load(THOTH_BUDGET_TOKENS_HOUR=10_000)
    ledger = PostgresLedger(db, settings, clock)
    late = await reserved(ledger, call(tokens=3000))
    await reserved(ledger, call("critic", tokens=2000, tenant="b"))
    clock.advance(abandoned_after(settings) - timedelta(seconds=1))
    assert await sweep(db, abandoned_after(settings)) == 0
    clock.advance(timedelta(seconds=2))
    assert await sweep(db, abandoned_after(settings)) == 2
    assert windows(sql) == [("*", "tokens_hour", 0, 5000)]
    assert total(sql)[:2] == (2, 5000)
    await ledger.settle(late, Usage("ok", 10))
    assert windows(sql) == [("*", "tokens_hour", 0, 5000)]
    assert [row[0] for row in sql.execute("select outcome from thoth.substrate_agent_cost")] == ["abandoned"] * 2


async def test_a_ledger_sweeps_by_itself(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    ledger = PostgresLedger(db, load(THOTH_BUDGET_TOKENS_HOUR=10_000), clock)
    await reserved(ledger, call(tokens=9000))
    clock.advance(timedelta(minutes=5))
    await refused(ledger, call(tokens=9000))
    assert windows(sql) == [("*", "tokens_hour", 0, 9000)]


async def test_a_call_is_counted_in_the_hour_in_which_it_began(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    ledger = PostgresLedger(db, load(THOTH_BUDGET_TOKENS_HOUR=10_000), clock)
    clock.advance(timedelta(minutes=59, seconds=59))
    one = await reserved(ledger, call(tokens=900))
    clock.advance(timedelta(seconds=2))
    two = await reserved(ledger, call(tokens=500))
    await ledger.settle(one, Usage("ok", 300))
    await ledger.settle(two, Usage("ok", 400))
    assert windows(sql) == [("*", "tokens_hour", 0, 300), ("*", "tokens_hour", 0, 400)]


async def test_the_ledger_fades_too(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    sql.execute("insert into thoth.substrate_tenants values ('default', now())")
    ledger = PostgresLedger(db, load(THOTH_BUDGET_TOKENS_HOUR=10_000), clock)
    await ledger.settle(await reserved(ledger, call(tokens=900)), Usage("ok", 300))
    clock.advance(timedelta(days=300))
    await ledger.settle(await reserved(ledger, call(tokens=900)), Usage("ok", 300))
    assert await expire(db) == 0
    clock.advance(timedelta(days=101))
    assert await expire(db) == 1
    assert (total(sql)[0], windows(sql)) == (1, [])
    clock.advance(timedelta(days=400))
    await reserved(ledger, call(tokens=900))
    assert total(sql)[0] == 1, "it does so by itself"


async def _work(dsn: str, clock: PinnedClock, settings: Settings, agents: tuple[str, ...], seed: int) -> list[Answer[Any]]:
    """One worker of its own process: pool, ledger, connections; it asks for one agent after the other until it may not."""
    chance = random.Random(seed)
    answers: list[Answer[Any]] = []
    db = await Database.open(dsn, PoolOptions(size=2), clock)
    chat = Chat(settings, PostgresLedger(db, settings, clock), clock, tenacity.wait_none())
    try:
        refusals = 0
        while refusals < len(agents):
            asked = prompt("word " * chance.randrange(10, 150), agents[len(answers) % len(agents)], max_tokens=400)
            answers.append(await chat.ask(asked))
            refusals = refusals + 1 if answers[-1].outcome is Outcome.BUDGET_SPENT else 0
    finally:
        await chat.close()
        await db.close()
    return answers


async def test_ten_thousand_tokens_an_hour_hold_for_four_workers_of_eight_agents(
    dsn: str, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    chance = random.Random(7)

    def answers(_: Request) -> Reply:
        return {"things": [{"name": "word " * chance.randrange(1, 200)}]}

    with ScriptedModel(answers) as model:
        settings = load(
            OPENAI_BASE_URL=model.url, THOTH_AUX_MODEL="gpt-4o-mini", THOTH_BUDGET_TOKENS_HOUR=10_000,
            THOTH_BUDGET_TOKENS_HOUR_DREAMER=900,
        )  # fmt: skip
        told = await asyncio.gather(*(_work(dsn, clock, settings, AGENTS, seed) for seed in range(4)))
    spent = model.usage["prompt"] + model.usage["completion"]
    assert spent <= 10_000
    assert spent > 8000, "the budget is used, not only kept"
    assert total(sql)[1] == spent
    rows = {scope: (reserved_, spent_) for scope, unit, reserved_, spent_ in windows(sql) if unit == "tokens_hour"}
    assert rows["*"] == (0, spent)
    assert rows["dreamer"][1] <= 900
    refusals = [answer for worker in told for answer in worker if answer.outcome is Outcome.BUDGET_SPENT]
    assert len(refusals) >= 4 * 8
    assert all(answer.retry_at is not None and not answer.usable for answer in refusals)
    assert len(model.requests) == total(sql)[0]


async def test_a_model_that_takes_more_than_it_may_overdraws_by_a_call_a_worker(
    dsn: str, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    greedy = Message({"content": '{"things": []}'}, usage={"prompt_tokens": 1000, "completion_tokens": 2000})
    with ScriptedModel(lambda _: greedy) as model:
        settings = load(OPENAI_BASE_URL=model.url, THOTH_AUX_MODEL="m", THOTH_BUDGET_TOKENS_HOUR=10_000)
        await asyncio.gather(*(_work(dsn, clock, settings, AGENTS, seed) for seed in range(4)))
    assert 10_000 <= total(sql)[1] <= 10_000 + 4 * 3000


@pytest.mark.parametrize("seed", range(3))
async def test_the_ledger_adds_up_after_random_failures(dsn: str, sql: psycopg.Connection, clock: PinnedClock, seed: int) -> None:
    chance = random.Random(seed)
    replies: list[Reply] = [GOOD, GOOD, GOOD, Status(500), Status(429, retry_after=0), "garbage", Status(400), {"things": [1]}]
    with ScriptedModel(lambda _: chance.choice(replies)) as model:
        settings = load(
            OPENAI_BASE_URL=model.url, THOTH_AUX_MODEL="m", THOTH_BUDGET_TOKENS_HOUR=25_000, THOTH_BREAKER_FAILURES=1000,
            THOTH_BUDGET_USD_DAY=100, THOTH_BUDGET_USD_DAY_CRITIC=50, THOTH_PRICES='{"m": [1, 2]}',
        )  # fmt: skip
        await asyncio.gather(*(_work(dsn, clock, settings, AGENTS, seed * 10 + worker) for worker in range(4)))
    rows, tokens, usd = total(sql)
    assert rows == len(model.requests)
    assert tokens == model.usage["prompt"] + model.usage["completion"]
    found = {(scope, unit): (held, spent) for scope, unit, held, spent in windows(sql)}
    assert found["*", "tokens_hour"] == (0, tokens)
    assert found["*", "usd_day"] == (pytest.approx(0, abs=1e-9), pytest.approx(usd))
    assert usd == pytest.approx((model.usage["prompt"] + 2 * model.usage["completion"]) / 1e6)
    left = sql.execute(
        "select count(*) from thoth.substrate_agent_cost where settled_at is null or outcome = 'reserved'"
    ).fetchone()
    assert left == (0,)
