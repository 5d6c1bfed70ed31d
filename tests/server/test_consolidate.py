"""`/v1/consolidate`: a crew takes the request; without one, or without a model, it says so."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.llm.scripted import ScriptedModel
from tests.server.serving import Served, serving
from tests.waiting import until_async
from tests.workers.crew_support import told
from tests.workers.test_consolidator import CIRCLE
from thoth_substrate.db.pool import Database
from thoth_substrate.settings import Settings
from thoth_workers.crewing import Crewing


@contextlib.asynccontextmanager
async def crew_on(dsn: str, settings: Settings) -> AsyncIterator[None]:
    """A crew that runs on that database for a while."""
    database, stop = await Database.open(dsn), asyncio.Event()
    crewing = Crewing(settings, database, None)
    running = asyncio.create_task(crewing.supervisor.run(stop))
    try:
        yield
    finally:
        stop.set()
        await running
        await crewing.close()
        await database.close()


@pytest.mark.parametrize("path", ["/v1/consolidate", "/consolidate"])
async def test_the_crew_takes_the_request_and_says_what_came_of_it(
    path: str, dsn: str, sql: psycopg.Connection, tmp_path: Path
) -> None:
    with ScriptedModel() as model:
        given: dict[str, Any] = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "none", "THOTH_AUX_MODEL": "scripted"}
        with serving(dsn, tmp_path, **given) as served:
            database = await Database.open(dsn)
            await told(database, sql, CIRCLE, ago=timedelta(seconds=1))
            await database.close()
            before = await post(served, path, wait="false")
            assert (before["outcome"], "No crew runs" in before["why"]) == ("waiting", True)
            async with crew_on(dsn, served.settings):
                found = await served_by(served, path)
            assert (found["outcome"], found["reason"]) == ("done", "demand")
            assert found["insights"]
            assert all(one["memories"] for one in found["insights"])
            assert served.client.get(path).json() == found


def test_without_a_model_it_says_so(served: Served) -> None:
    found = served.client.post("/v1/consolidate").json()
    assert (found["outcome"], "THOTH_AUX_MODEL" in found["why"]) == ("no_model", True)


@pytest.mark.parametrize("given", [{"wait_ms": "0"}, {"wait_ms": "soon"}, {"wait": "perhaps"}, {"wiat": "true"}], ids=str)
def test_what_cannot_be_waited_for_is_a_problem(given: dict[str, str], served: Served) -> None:
    response = served.client.post("/v1/consolidate", params=given)
    assert (response.status_code, response.headers["content-type"]) == (422, "application/problem+json")


async def post(served: Served, path: str, **given: str) -> dict[str, Any]:
    """Ask, without holding up this loop."""
    response = await asyncio.to_thread(served.client.post, path, params=given)
    assert response.status_code == 200
    found: dict[str, Any] = response.json()
    return found


async def served_by(served: Served, path: str) -> dict[str, Any]:
    """Ask until the crew has come up and served us."""

    async def ask() -> dict[str, Any]:
        found = await post(served, path, wait_ms="20000")
        return {} if found["outcome"] == "waiting" else found

    return await until_async(ask)
