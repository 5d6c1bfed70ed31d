"""Words for people, streamed through the same gate as the crew's questions: ledger, budget, breaker."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import psycopg
import pytest

from tests.llm.scripted import Cut, Hang, Raw, Reply, ScriptedModel, Status
from thoth_substrate.db.pool import Database
from thoth_substrate.ledger.ledger import PostgresLedger
from thoth_substrate.llm.prompt import Outcome
from thoth_substrate.llm.speech import Speaker, Speech, Spoken
from thoth_substrate.settings import load

SPEECH = Speech("chat", "default", [{"role": "user", "content": "Hello?"}], 200)


class Speak:
    """Makes speakers."""

    def __init__(self, db: Database, url: str) -> None:
        self.db, self.url, self.made = db, url, list[Speaker]()

    def __call__(self, **given: Any) -> Speaker:
        plain = {"OPENAI_BASE_URL": self.url, "OPENAI_API_KEY": "sk-test", "THOTH_AUX_MODEL": "scripted"}
        settings = load(**{**plain, "THOTH_AUX_RETRIES": 0, **given})
        self.made.append(Speaker(settings, PostgresLedger(self.db, settings, self.db.clock), self.db.clock))
        return self.made[-1]


@pytest.fixture
async def speak(model: ScriptedModel, db: Database) -> AsyncIterator[Speak]:
    made = Speak(db, model.url)
    yield made
    for one in made.made:
        await one.close()


async def heard(speaker: Speaker, speech: Speech = SPEECH) -> tuple[list[str], Spoken]:
    """The pieces, and what it came to."""
    parts = [one async for one in speaker.say(speech)]
    assert isinstance(parts[-1], Spoken)
    return [one for one in parts if isinstance(one, str)], parts[-1]


def rows(sql: psycopg.Connection) -> Sequence[Any]:
    statement = "select agent, outcome, prompt_tokens, completion_tokens, reason from thoth.substrate_agent_cost order by call_id"
    return sql.execute(statement).fetchall()


async def test_words_come_in_pieces_and_are_accounted_for(model: ScriptedModel, speak: Speak, sql: psycopg.Connection) -> None:
    model.always("A whole sentence, in pieces.")
    words, spoken = await heard(speak())
    assert ("".join(words), len(words) > 1) == ("A whole sentence, in pieces.", True)
    assert (spoken.outcome, spoken.model, spoken.cut_off) == (Outcome.OK, "scripted", False)
    [request] = model.requests
    assert (request.agent, request.body["stream"], request.body["temperature"]) == ("chat", True, 0.0)
    assert rows(sql) == [("chat", "ok", model.usage["prompt"], model.usage["completion"], "")]


async def test_an_endpoint_that_does_not_know_of_usage_is_asked_without(
    model: ScriptedModel, speak: Speak, sql: psycopg.Connection
) -> None:
    model.then(Status(400, "Unknown parameter: stream_options"), "Well.")
    words, _ = await heard(speak())
    assert words == ["Well."]
    assert "stream_options" not in model.requests[-1].body
    [row] = rows(sql)
    assert row[3] > 0, "counted by us then"


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [(Status(503), "endpoint_down"), (Status(401), "endpoint_down"), (Status(400), "failed"), ("", "failed"),
     (Hang(), "endpoint_down"), (Raw(b"data: {]\n\n", "text/event-stream"), "endpoint_down"),
     (Raw(b"<html>", "text/html"), "endpoint_down")],
    ids=repr,
)  # fmt: skip
async def test_whatever_the_endpoint_does_is_a_value(
    reply: Reply, outcome: str, model: ScriptedModel, speak: Speak, sql: psycopg.Connection
) -> None:
    model.always(reply)
    words, spoken = await heard(speak(THOTH_AUX_TIMEOUT_MS=300 if isinstance(reply, Hang) else 60_000))
    assert (words, str(spoken.outcome)) == ([], outcome)
    assert spoken.reason
    assert [row[1] for row in rows(sql)] == ["failed"]


async def test_a_stream_that_breaks_off_says_so(model: ScriptedModel, speak: Speak, sql: psycopg.Connection) -> None:
    model.always(Cut("A sentence that is never finished, since it is cut."))
    words, spoken = await heard(speak(THOTH_AUX_RETRIES=3))
    assert words
    assert (str(spoken.outcome), len(model.chats)) == ("failed", 1), "nothing is asked twice once words came"
    assert [row[1] for row in rows(sql)] == ["failed"]


async def test_a_passing_failure_is_tried_again(model: ScriptedModel, speak: Speak, sql: psycopg.Connection) -> None:
    model.then(Status(503), "Well.")
    words, spoken = await heard(speak(THOTH_AUX_RETRIES=1))
    assert (words, spoken.outcome) == (["Well."], Outcome.OK)
    assert [row[1] for row in rows(sql)] == ["failed", "ok"]


async def test_an_ill_endpoint_is_left_alone(model: ScriptedModel, speak: Speak) -> None:
    model.always(Status(503))
    speaker = speak(THOTH_BREAKER_FAILURES=1)
    first, second = (await heard(speaker))[1], (await heard(speaker))[1]
    assert (first.outcome, second.outcome, len(model.chats)) == (Outcome.ENDPOINT_DOWN, Outcome.ENDPOINT_DOWN, 1)
    assert second.retry_at is not None


async def test_a_spent_budget_asks_nobody(model: ScriptedModel, speak: Speak) -> None:
    _, spoken = await heard(speak(THOTH_BUDGET_TOKENS_HOUR=10))
    assert (spoken.outcome, model.chats) == (Outcome.BUDGET_SPENT, [])


async def test_without_a_model_it_is_silent_and_free(model: ScriptedModel, speak: Speak, sql: psycopg.Connection) -> None:
    words, spoken = await heard(speak(THOTH_AUX_MODEL=None))
    assert (words, spoken.outcome, model.chats, rows(sql)) == ([], Outcome.NO_MODEL, [], [])


async def test_who_stops_listening_pays_for_what_came(model: ScriptedModel, speak: Speak, sql: psycopg.Connection) -> None:
    model.always("Many words, " * 50)
    words = speak().say(SPEECH)
    assert await anext(words)
    await words.aclose()
    [row] = rows(sql)
    assert (row[1], 0 < row[3] < 20) == ("ok", True)
