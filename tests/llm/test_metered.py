"""Embedding calls stand in the ledger, under budgets and the breaker; a spent budget leaves recall its keywords."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from typing import Any, Protocol

import numpy as np
import psycopg
import pytest

from tests.support_openai import Endpoint, changed, poisoned, status
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import DatabaseUnavailable, EmbedderUnavailable, EmbeddingError
from thoth_substrate.ledger.ledger import PostgresLedger
from thoth_substrate.llm import embeddings
from thoth_substrate.llm.embeddings import OpenAIEmbedder
from thoth_substrate.llm.metered import MeteredEmbedder, bare_model
from thoth_substrate.llm.prices import Prices
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.payer import paid_by
from thoth_substrate.settings import load

SMALL = "text-embedding-3-small"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint() as running:
        yield running


class Make(Protocol):
    def __call__(self, *, account: bool = True, **given: Any) -> MeteredEmbedder: ...


@pytest.fixture
async def make(endpoint: Endpoint, db: Database) -> AsyncIterator[Make]:
    """Makes metered embedders of the endpoint, and closes them."""
    made: list[OpenAIEmbedder] = []

    def one(*, account: bool = True, **given: Any) -> MeteredEmbedder:
        made.append(OpenAIEmbedder(embeddings.Endpoint(SMALL, "sk", endpoint.url, timeout=timedelta(seconds=30))))
        metered = MeteredEmbedder(made[-1], f"{endpoint.url}/embeddings", Prices().of(SMALL), "default")
        if account:
            metered.keep_account(PostgresLedger(db, load(**given), db.clock), db.clock)
        return metered

    yield one
    for embedder in made:
        await embedder.close()


def rows(sql: psycopg.Connection) -> list[tuple[Any, ...]]:
    return sql.execute(
        "select agent, kind, outcome, prompt_tokens, usd, reason from thoth.substrate_agent_cost order by call_id"
    ).fetchall()


async def test_every_call_has_a_row(make: Make, sql: psycopg.Connection) -> None:
    metered = make()
    assert len(await metered.passages(["the mill by the river", "a ship"])) == 2
    assert np.allclose(await metered.query("where is the mill?"), await metered.query("where is the mill?"))
    assert await metered.passages([]) == []
    first, *questions = rows(sql)
    assert first[:4] == ("embedder", "embedding", "ok", 7)
    assert first[4] == pytest.approx(7 * 0.02 / 1e6)
    assert [row[:3] for row in questions] == [("recall", "embedding", "ok")] * 2
    assert metered.model.name == f"openai:{SMALL}"


async def test_who_pays_is_who_is_named_also_in_tasks(make: Make, sql: psycopg.Connection) -> None:
    metered = make()
    with paid_by("b"):
        await asyncio.create_task(metered.query("where?"))
        with paid_by("c"):
            await metered.query("where?")
    await metered.query("where?")
    payers = sql.execute("select tenant_id from thoth.substrate_agent_cost order by call_id").fetchall()
    assert payers == [("b",), ("c",), ("default",)]


async def test_a_spent_budget_makes_it_unavailable_until_it_renews(make: Make, endpoint: Endpoint, clock: PinnedClock) -> None:
    metered = make(THOTH_BUDGET_TOKENS_HOUR=10)
    await metered.passages(["the mill by the river"])
    with pytest.raises(EmbedderUnavailable, match="budget") as caught:
        await metered.passages(["the mill by the great river"])
    assert caught.value.retry_in == timedelta(hours=1)
    with pytest.raises(EmbedderUnavailable, match="budget"):
        await metered.query("and where is the ship that they told us of?")
    assert len(endpoint.requests) == 1
    clock.advance(timedelta(hours=1))
    await metered.query("where is the ship?")


async def test_an_outage_costs_nothing_and_opens_the_breaker(
    make: Make, endpoint: Endpoint, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: 429 and 500 for an hour; an endpoint down for hours while writes go on."""
    metered = make(THOTH_BREAKER_FAILURES=2)
    endpoint.always(status(401))
    for _ in range(2):
        with pytest.raises(EmbedderUnavailable, match="401"):
            await metered.query("where?")
    with pytest.raises(EmbedderUnavailable, match="left alone"):
        await metered.query("where?")
    assert [row[2:] for row in rows(sql)] == [("failed", 0, 0.0, "no vectors came")] * 2
    endpoint.always(status(429, retry_after="77"))
    clock.advance(timedelta(seconds=31))
    with pytest.raises(EmbedderUnavailable):
        await metered.query("where?")
    clock.advance(timedelta(seconds=70))
    with pytest.raises(EmbedderUnavailable, match="left alone"):
        await metered.query("where?")
    clock.advance(timedelta(seconds=8))
    endpoint.always(changed(lambda data: data))
    await metered.query("where?")
    assert sql.execute("select state, failures from thoth.substrate_endpoints").fetchall() == [("closed", 0)]


async def test_poisoned_texts_are_not_taken_for_an_outage(make: Make, endpoint: Endpoint, sql: psycopg.Connection) -> None:
    metered = make(THOTH_BREAKER_FAILURES=1)
    endpoint.always(poisoned("cyanide"))
    with pytest.raises(EmbeddingError) as caught:
        await metered.passages(["fine", "cyanide"])
    assert not isinstance(caught.value, EmbedderUnavailable)
    assert sql.execute("select state, failures from thoth.substrate_endpoints").fetchall() == [("closed", 0)]
    assert rows(sql)[0][2] == "failed"


async def test_nothing_goes_round_the_ledger(make: Make, endpoint: Endpoint, db: Database) -> None:
    metered = make(account=False)
    with pytest.raises(EmbedderUnavailable, match="before the database"):
        await metered.query("where?")
    gone = await Database.open("postgresql://nobody@127.0.0.1:1/none", clock=db.clock)
    metered.keep_account(PostgresLedger(gone, load(), db.clock), db.clock)
    with pytest.raises(EmbedderUnavailable, match="ledger cannot be written"):
        await metered.query("where?")
    with pytest.raises(DatabaseUnavailable):
        await metered.passages(["where?"])
    await gone.close()
    assert endpoint.requests == []


def test_a_model_is_priced_by_its_bare_name() -> None:
    assert [bare_model(name) for name in ("openai:text-embedding-3-large/1536", "openai:nomic/embed", "plain")] == [
        "text-embedding-3-large", "nomic/embed", "plain",
    ]  # fmt: skip
