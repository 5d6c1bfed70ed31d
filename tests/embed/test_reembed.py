"""Changing over to another model: one command, resumable, nothing mixed."""

from __future__ import annotations

import contextlib

import psycopg
import pytest

from tests.embed.conftest import Make
from tests.embed.test_backfill import indexed, vectors_agree
from tests.support import Said, count, dies_after
from tests.support_openai import Endpoint, poisoned, status, well
from thoth_substrate.db.pool import Database
from thoth_substrate.embed.backfill import backfill
from thoth_substrate.embed.models import active_model
from thoth_substrate.embed.reembed import EmbedProgress, progress, queue_again, reembed, switch, tidy
from thoth_substrate.errors import DatabaseUnavailable, EmbedderUnavailable
from thoth_substrate.model.clock import PinnedClock


async def embedded(db: Database, sql: psycopg.Connection, make: Make, passages: int = 30) -> None:
    """Passages of two tenants with vectors of the model `small`."""
    await indexed(db, sql, [Said(f"turn {n}", tenant=f"t{n % 2}", session=f"s{n % 5}") for n in range(passages)])
    while (await backfill(db, make("small"), limit_rows=64)).embedded:
        pass


def models(sql: psycopg.Connection) -> dict[str, int]:
    """Turn vectors of each model."""
    return dict(
        sql.execute("select model, count(*) from thoth.substrate_passage_vectors where kind = 'turn' group by 1").fetchall()
    )


async def test_every_passage_gets_a_vector_of_the_new_model_and_the_old_ones_go(
    db: Database, sql: psycopg.Connection, make: Make, endpoint: Endpoint
) -> None:
    """faults: an embedding model changed from 384 to 1536 or 768 dimensions: re-embedding is one resumable command."""
    await embedded(db, sql, make)
    endpoint.dimensions = 128
    told: list[EmbedProgress] = []
    done = await reembed(db, make("other"), batch_rows=8, tell=told.append)
    assert done == EmbedProgress("openai:other", 30, 30, 0, 0, 0)
    assert [now.embedded for now in told] == [8, 16, 24, 30]
    assert models(sql) == {"openai:other": 30}
    assert sql.execute("select distinct model from thoth.substrate_vector_stats").fetchall() == [("openai:other",)]
    vectors_agree(sql)
    asked = len(endpoint.requests)
    assert await reembed(db, make("other")) == done
    assert len(endpoint.requests) == asked


async def test_killed_anywhere_it_goes_on(
    db: Database, sql: psycopg.Connection, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    await embedded(db, sql, make)
    other = make("other")
    for statements in range(1, 60, 2):
        with monkeypatch.context() as patch, contextlib.suppress(DatabaseUnavailable):
            dies_after(patch, statements)
            await reembed(db, other, batch_rows=4)
    assert (await reembed(db, other)).waiting == 0
    assert models(sql) == {"openai:other": 30}
    vectors_agree(sql)


async def test_when_the_endpoint_fails_it_stops_says_why_and_goes_on_later(
    db: Database, sql: psycopg.Connection, make: Make, endpoint: Endpoint
) -> None:
    await embedded(db, sql, make)
    other = make("other")
    endpoint.always(status(401, "bad key"))
    with pytest.raises(EmbedderUnavailable, match="bad key"):
        await reembed(db, other)
    active = await active_model(db)
    assert active is not None
    assert active.name == "openai:small"  # nothing was switched
    endpoint.always(well)
    endpoint.then(well, well, status(401, "revoked"))
    stopped = await reembed(db, other, batch_rows=10)
    assert stopped.paused is not None
    assert "revoked" in stopped.paused
    assert (stopped.model, stopped.embedded, stopped.waiting) == ("openai:other", 10, 20)
    assert models(sql) == {"openai:small": 30, "openai:other": 10}
    assert (await reembed(db, other)).old_vectors == 0
    assert models(sql) == {"openai:other": 30}


async def test_a_poisoned_passage_does_not_keep_the_others_from_being_finished(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, make: Make, endpoint: Endpoint
) -> None:
    await indexed(db, sql, [Said("cyanide in the tea"), Said("fine", session="s2")])
    await backfill(db, make("small"), limit_rows=10)
    endpoint.always(poisoned("cyanide", 400))
    done = await reembed(db, make("other"))
    assert (done.embedded, done.waiting, done.paused) == (1, 1, None)


async def test_what_is_perceived_meanwhile_is_embedded_by_the_new_model(
    db: Database, sql: psycopg.Connection, make: Make
) -> None:
    await embedded(db, sql, make, passages=4)
    await switch(db, make("other"))
    await indexed(db, sql, [Said("said meanwhile")])
    assert (await backfill(db, make("small"), limit_rows=10)).paused is not None
    assert (await reembed(db, make("other"))).embedded == 5


async def test_queueing_again_and_tidying_are_bounded_and_repeatable(
    db: Database, sql: psycopg.Connection, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("thoth_substrate.embed.reembed.QUEUE_ROWS", 4)
    await embedded(db, sql, make)
    await switch(db, make("other"))
    assert await queue_again(db, "t0") == 15
    assert await queue_again(db, "t0") == 0
    assert [await tidy(db, limit_rows=20) for _ in range(3)] == [20, 5, 0]  # of t1, which waits for nothing
    assert (await progress(db)).waiting == 15
    assert count(sql, "substrate_vector_stats") == 1
