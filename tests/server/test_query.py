"""`/v1/query` over real HTTP: answered, streamed, without a model, and refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
import psycopg
import pytest

from tests.ask.conftest import DIARY_OF_A_YEAR, answering
from tests.llm.scripted import ScriptedModel, Status
from tests.server.serving import Served, serving
from tests.support import Said, perceived
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.triage.index import index

QUESTION = "What is my sister's cat called?"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel(answering("Miso", "Miso {mark}, or Rex [memory:999].")) as running:
        yield running


@pytest.fixture
def asked(dsn: str, tmp_path: Path, model: ScriptedModel) -> Iterator[Served]:
    """A server with a scripted model."""
    given: dict[str, Any] = {
        "OPENAI_BASE_URL": model.url,
        "OPENAI_API_KEY": "none",
        "THOTH_AUX_MODEL": "scripted",
        "THOTH_AUX_RETRIES": 0,
    }
    with serving(dsn, tmp_path, **given) as running:
        yield running


async def tell(served: Served, dsn: str, sql: psycopg.Connection, *more: Said) -> list[UUID]:
    """The diary of a year, remembered."""
    ids = perceived(sql, SystemClock().now(), [Said(**{**_of(one), "state": "passed"}) for one in (*DIARY_OF_A_YEAR, *more)])
    database = await Database.open(dsn)
    while (await index(database, limit_rows=500)).more:
        pass
    await database.close()
    return ids


def _of(said: Said) -> dict[str, Any]:
    return {name: getattr(said, name) for name in Said.__dataclass_fields__}


def events(body: str) -> list[tuple[str, Any]]:
    """Server-sent events."""
    found = (block.split("\n") for block in body.strip().split("\n\n"))
    return [(event.removeprefix("event: "), orjson.loads(data.removeprefix("data: "))) for event, data in found]


@pytest.mark.parametrize("path", ["/v1/query", "/query"])
@pytest.mark.parametrize("name", ["question", "query", "q"])
async def test_a_question_is_answered_with_checked_citations(
    path: str, name: str, asked: Served, dsn: str, sql: psycopg.Connection
) -> None:
    ids = await tell(asked, dsn, sql)
    posted = asked.client.post(path, json={name: QUESTION})
    got = asked.client.get(path, params={name: QUESTION})
    assert posted.status_code == got.status_code == 200
    found = posted.json()
    assert found == got.json()
    assert (found["answer"], found["removed"], found["supported"]) == (f"Miso [memory:{ids[-1]}], or Rex.", 1, True)
    [cited] = found["citations"]
    assert (cited["kind"], cited["id"], cited["text"]) == ("memory", str(ids[-1]), DIARY_OF_A_YEAR[-1].text)


async def test_it_streams(asked: Served, dsn: str, sql: psycopg.Connection) -> None:
    await tell(asked, dsn, sql)
    response = asked.client.post("/v1/query", json={"question": QUESTION, "streamed": True})
    assert response.headers["content-type"].startswith("text/event-stream")
    *words, (last, answer) = events(response.text)
    assert {name for name, _ in words} == {"text"}
    assert ("".join(part["text"] for _, part in words).strip(), last) == (answer["answer"], "answer")


async def test_with_the_model_down_it_answers_with_passages(
    asked: Served, model: ScriptedModel, dsn: str, sql: psycopg.Connection
) -> None:
    await tell(asked, dsn, sql)
    model.always(Status(503))
    response = asked.client.get("/v1/query", params={"q": "What happened on 1 February 2024?"})
    assert response.status_code == 200
    found = response.json()
    assert (found["answer"], found["outcome"]) == ("", "endpoint_down")
    assert [one["text"] for one in found["citations"]] == [said.text for said in DIARY_OF_A_YEAR[1:3]]


async def test_filters_and_the_tenant_hold(asked: Served, dsn: str, sql: psycopg.Connection, model: ScriptedModel) -> None:
    await tell(asked, dsn, sql, Said("Theirs: Miso too.", tenant="theirs"))
    asked.client.post("/v1/query", json={"question": QUESTION, "mode": "recent", "person": "Maya", "until": "2024-03-31"})
    assert "We should move" in model.chats[-1].user
    assert not any(words in model.chats[-1].user for words in ("Miso", "lease", "Theirs"))
    other = asked.client.post("/v1/query", json={"question": QUESTION}, headers={"X-Thoth-Tenant": "theirs"}).json()
    assert [one["text"] for one in other["citations"]] == ["Theirs: Miso too."]


@pytest.mark.parametrize(
    "body",
    [{}, {"question": " "}, {"question": "x", "q": "y"}, {"question": "x", "mode": "all"}, {"question": "x", "limit": 0},
     {"question": "x", "person": ""}, {"question": "x", "importance": 2}, {"question": "x", "until": "soon"}, {"qestion": "x"},
     {"question": "x" * 9000}],
    ids=str,
)  # fmt: skip
def test_what_is_no_question_is_a_problem(body: dict[str, Any], asked: Served) -> None:
    response = asked.client.post("/v1/query", json=body)
    assert (response.status_code, response.headers["content-type"]) == (422, "application/problem+json")
