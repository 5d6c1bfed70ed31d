"""`thoth ask`: an answer with its citations, or the passages, and exit 0 either way."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests.ask.conftest import DIARY_OF_A_YEAR, answering
from tests.cli.conftest import Thoth
from tests.llm.scripted import ScriptedModel, Status
from tests.support import Said, perceived

QUESTION = "What is my sister's cat called?"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel(answering("Miso", "Miso {mark}, or Rex [memory:999].")) as running:
        yield running


@pytest.fixture
def told(seeded: psycopg.Connection, now: datetime, thoth: Thoth) -> list[UUID]:
    """The diary of a year: `remember` indexes what waits."""
    ids = perceived(seeded, now, [Said(**{**_of(one), "state": "passed"}) for one in DIARY_OF_A_YEAR])
    thoth("remember", "The spare key is under the third pot.")
    return ids


def _of(said: Said) -> dict[str, Any]:
    return {name: getattr(said, name) for name in Said.__dataclass_fields__}


def asking(model: ScriptedModel) -> dict[str, str]:
    return {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "none", "THOTH_AUX_MODEL": "scripted", "THOTH_AUX_RETRIES": "0"}


def test_an_answer_with_what_it_cites(thoth: Thoth, told: list[UUID], model: ScriptedModel) -> None:
    ran = thoth("ask", QUESTION, env=asking(model))
    mark = f"[memory:{str(told[-1])[:18]}]"
    assert ran.out == f"Miso {mark}, or Rex.\n\n{mark} 2024-05-02 user: {DIARY_OF_A_YEAR[-1].text}\n"
    assert "1 citation named nothing that was shown" in ran.err
    shown = thoth("substrate", "show", mark.strip("[]").removeprefix("memory:"))
    assert "Miso" in shown.out
    assert thoth("ask", QUESTION, "--json").json["citations"][0]["id"] == str(told[-1])


def test_with_the_model_down_the_passages_and_why(thoth: Thoth, told: list[UUID], model: ScriptedModel) -> None:
    model.always(Status(503))
    ran = thoth("ask", "what happened on 1 February 2024?", env=asking(model))
    assert [line.split(": ", 1)[1] for line in ran.out.splitlines()] == [said.text for said in DIARY_OF_A_YEAR[1:3]]
    assert "No answer, but 2 passages" in ran.err
    assert "cannot be asked now" in ran.err


def test_without_a_model_the_passages_and_what_to_set(thoth: Thoth, told: list[UUID]) -> None:
    ran = thoth("ask", "recap my last meeting with Maya")
    assert "The lease ends on 30 June." in ran.out
    assert "THOTH_AUX_MODEL" in ran.err


def test_nothing_known_is_said(thoth: Thoth, seeded: psycopg.Connection) -> None:
    assert thoth("ask", QUESTION).out.startswith("I don't know")


def test_filters_reach_the_memory(thoth: Thoth, told: list[UUID], model: ScriptedModel) -> None:
    thoth(
        "ask", "what was said?", "--mode", "recent", "--person", "Maya", "--since", "2024-03-05", "--until", "2024-03-31",
        "--stream", "thoth.world.user_message.cli", "--limit", "5", "--min-importance", "0.1", env=asking(model),
    )  # fmt: skip
    assert "We should move in June." in model.chats[-1].user
    assert "talked about the move" not in model.chats[-1].user


@pytest.mark.parametrize(
    "words", [(" ",), ("x", "--since", "soon"), ("x", "--until", "soon"), ("x", "--since", "2024-02-02", "--until", "2024-01-01")]
)
def test_what_is_no_question_is_misuse(words: tuple[str, ...], thoth: Thoth, seeded: psycopg.Connection) -> None:
    thoth("ask", *words, expect=2)
