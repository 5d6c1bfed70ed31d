"""`thoth chat`, piped: two sessions on one memory, its commands, and what it does without a model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.cli.conftest import Ran, environment, program
from tests.llm.scripted import Reply, Request, ScriptedModel, Status


def answers(request: Request) -> Reply:
    """A model that knows what stands in the last message, and nothing else."""
    last = str(request.body["messages"][-1]["content"])
    found = re.search(r"^(\d{3,5}) user: .*spare key.*(under [\w ]+)", last, re.MULTILINE)
    if found:
        return f"It is {found[2]} ({found[1]})."
    return "Noted." if "key" in last and "?" not in last else "I do not know."


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel(answers) as running:
        yield running


class Talk:
    """Runs `thoth chat` as a process of its own, with what is typed."""

    def __init__(self, dsn: str, home: Path, model: ScriptedModel | None) -> None:
        asked = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "none", "THOTH_CHAT_MODEL": "scripted"} if model else {}
        self._env = {**environment(dsn, home), **asked, "THOTH_AUX_RETRIES": "0"}

    def __call__(self, *typed: str, words: tuple[str, ...] = ()) -> Ran:
        ran = program("chat", *words, env=self._env, stdin="\n".join(typed) + "\n")
        assert ran.code == 0, ran.err
        return ran


@pytest.fixture
def talk(dsn: str, tmp_path: Path, model: ScriptedModel) -> Talk:
    return Talk(dsn, tmp_path / "home", model)


def test_the_second_session_answers_from_the_firsts_memory(talk: Talk, model: ScriptedModel, sql: psycopg.Connection) -> None:
    first = talk("The spare key is under the third pot.", "Thank you.")
    assert first.out.splitlines()[0] == "Noted."
    second = talk("Where is the spare key?")
    assert re.fullmatch(r"It is under the third pot \(\d{3,5}\)\.\n", second.out)
    asked = [request.body["messages"] for request in model.chats]
    assert {messages[0]["content"] for messages in asked} == {asked[0][0]["content"]}, "the system prompt stays as it is"
    assert [message["content"] for message in asked[1][1:3]] == ["The spare key is under the third pot.", "Noted."]
    assert asked[2][-1]["role"] == "user"
    assert asked[2][-1]["content"].startswith("Where is the spare key?\n\n<memory-context>\n")
    rows = sql.execute(
        "select actor, text, session_id from thoth.substrate_slices where actor in ('user', 'assistant') order by slice_id"
    )
    said = rows.fetchall()
    assert [(actor, text) for actor, text, _ in said][:2] == [
        ("user", "The spare key is under the third pot."),
        ("assistant", "Noted."),
    ]
    assert not any("memory-context" in text for _, text, _ in said), "what was injected is not perceived again"
    assert len({session for *_, session in said}) == 2
    assert sql.execute("select distinct agent from thoth.substrate_agent_cost").fetchall() == [("chat",)]


def test_its_commands(talk: Talk, sql: psycopg.Connection) -> None:
    talk("The spare key is under the third pot.")
    handle = re.search(r"\((\d{3,5})\)", talk("Where is the spare key?").out)
    assert handle
    ran = talk(
        "Where is the spare key?",
        "/why",
        f"/pin {handle[1]}",
        "/substrate",
        "/substrate streams",
        "/nonsense",
        "/help",
        "/quit",
        "never read",
    )
    assert "found by" in ran.out
    assert "is pinned." in ran.out
    assert "# The operator's playbook" in ran.out
    assert "thoth.world.user_message.cli" in ran.out
    assert "/forget HANDLE" in ran.out
    assert "no such command" in ran.err
    assert "never read" not in str(sql.execute("select text from thoth.substrate_slices").fetchall())
    gone = talk("Where is the spare key?", f"/forget {handle[1]}", "Where is the spare key?", "/forget 99999")
    assert "is forgotten." in gone.out
    assert gone.out.splitlines()[-1] == "I do not know."
    assert "99999" in gone.err


def test_a_conversation_goes_on_under_its_name(talk: Talk, sql: psycopg.Connection) -> None:
    talk("The spare key is under the third pot.", words=("--session", "home"))
    assert talk("Where is the spare key?", words=("--session", "home")).out == "I do not know.\n", (
        "its own turns are not recalled"
    )
    assert sql.execute("select distinct session_id from thoth.substrate_slices where actor = 'user'").fetchall() == [("home",)]


def test_without_a_model_it_shows_what_it_would_have_injected(dsn: str, tmp_path: Path) -> None:
    talk = Talk(dsn, tmp_path / "home", None)
    first = talk("The spare key is under the third pot.")
    assert first.out == ""
    assert "THOTH_AUX_MODEL" in first.err
    second = talk("Where is the spare key?")
    assert second.out.startswith("<memory-context>\n")
    assert "under the third pot" in second.out
    assert "would have been given this" in second.err


def test_with_the_model_down_the_turn_is_remembered_and_the_loop_goes_on(
    talk: Talk, model: ScriptedModel, sql: psycopg.Connection
) -> None:
    model.then(Status(503))
    ran = talk("The spare key is under the third pot.", "Where is it?")
    assert "No answer." in ran.err
    assert ran.out == "I do not know.\n"
    assert sql.execute("select count(*) from thoth.substrate_slices where actor = 'user'").fetchone() == (2,)
