"""A scripted model, and chats with it whose account is kept in the test's own database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, Protocol

import pytest
import tenacity
from pydantic import BaseModel

from tests.llm.scripted import ScriptedModel
from thoth_substrate.db.pool import Database
from thoth_substrate.ledger.ledger import PostgresLedger
from thoth_substrate.llm.chat import Chat, Prompt
from thoth_substrate.settings import load


class Thing(BaseModel):
    """An item of a reply."""

    name: str


class Things(BaseModel):
    """What the tests ask for."""

    things: list[Thing] = []


GOOD = {"things": [{"name": "mill"}, {"name": "ship"}]}


def prompt(user: str = "What is there?", agent: str = "parser", tenant: str = "default", max_tokens: int = 500) -> Prompt[Things]:
    """A prompt for things."""
    system = f"You are the {agent.capitalize()} of a memory.\nName the things."
    return Prompt(agent, tenant, system, user, Things, max_tokens)


class Make(Protocol):
    def __call__(self, **given: Any) -> Chat: ...


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """A server that answers GOOD unless told otherwise."""
    with ScriptedModel(lambda _: GOOD) as running:
        yield running


@pytest.fixture
async def make(model: ScriptedModel, db: Database) -> AsyncIterator[Make]:
    """Makes chats with the server, and closes them. No pause between attempts."""
    made: list[Chat] = []

    def one(**given: Any) -> Chat:
        plain = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "sk-test", "THOTH_AUX_MODEL": "scripted"}
        settings = load(**{**plain, **given})
        made.append(Chat(settings, PostgresLedger(db, settings, db.clock), db.clock, tenacity.wait_none()))
        return made[-1]

    yield one
    for chat in made:
        await chat.close()
