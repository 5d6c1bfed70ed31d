"""The Hermes memory provider: loaded by Hermes' own loader into its real agent, and each of its promises."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

import thoth_substrate.integrations.hermes as plugin
from tests.integrations import hermes_host
from tests.integrations.settling import settled
from tests.llm.scripted import Message, Reply, Request, ScriptedModel, Status
from tests.waiting import until
from thoth_substrate.awareness.note import note_by_hand
from thoth_substrate.boot import open_substrate
from thoth_substrate.db.pool import Database
from thoth_substrate.integrations.hermes import ThothMemoryProvider
from thoth_substrate.model.slice import Event
from thoth_substrate.settings import Settings, load

HERMES = Path(sys.prefix) / "hermes"
PATIENT = {"deadline_ms": 20_000}
USER, REPLY = "world.user_message.telegram", "self_action.assistant_response"


@pytest.fixture
def settings(tmp_path: Path, dsn: str, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings as Hermes' environment has them, with a home of the test's own."""
    given = {"THOTH_HOME": str(tmp_path / "thoth"), "THOTH_PG_DSN": dsn, "THOTH_EMBED_PROVIDER": "none"}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    return load()


@pytest.fixture
def start(settings: Settings, tmp_path: Path) -> Iterator[Callable[..., ThothMemoryProvider]]:
    """Starts a provider as Hermes does; shut down after the test."""
    begun: list[ThothMemoryProvider] = []

    def started(session: str = "s1", config: dict[str, Any] | None = None, **place: Any) -> ThothMemoryProvider:
        provider = ThothMemoryProvider()
        begun.append(provider)
        provider.save_config({**PATIENT, **(config or {})}, str(tmp_path))
        provider.initialize(
            session, **{"hermes_home": str(tmp_path), "platform": "telegram", "agent_context": "primary", **place}
        )
        return provider

    yield started
    for provider in begun:
        provider.shutdown()


def _perceived(provider: ThothMemoryProvider, sql: psycopg.Connection) -> list[tuple[str, str, str]]:
    """What is not forgotten of what was perceived, when the provider has ended."""
    provider.shutdown()
    rows = sql.execute(
        "select stream, session_id, coalesce(text, payload::text) from thoth.substrate_slices"
        " join thoth.substrate_streams using (stream_id) where not forgotten order by slice_id"
    )
    return [(stream.removeprefix("thoth."), session, text) for stream, session, text in rows.fetchall()]


def _remembered(settings: Settings, *said: str, session: str = "an earlier one") -> None:
    with open_substrate(settings) as substrate:
        assert substrate.ready_sync(30)
        for text in said:
            substrate.perceive_sync(Event("thoth.world.user_message.cli", text, session))
        settled(substrate, settings)


@pytest.mark.timeout(400)  # Hermes starts twice, which is slow where the machine is busy
def test_hermes_loads_it_and_a_second_conversation_answers_from_the_first(
    settings: Settings, tmp_path: Path, sql: psycopg.Connection
) -> None:
    """Show 5 of the surfaces: a Hermes run with the provider loaded."""
    assert (HERMES / "agent").is_dir(), "hermes-agent is not beside the environment: `make test` puts it there"
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "thoth").symlink_to(Path(plugin.__file__).parent)
    (tmp_path / "config.yaml").write_text("memory:\n  provider: thoth\n")
    (tmp_path / "thoth.json").write_text(json.dumps(PATIENT))

    def answer(request: Request) -> Reply:
        """Call a tool where the user asks for it, else tell that it was heard."""
        if "messages" not in request.body:
            return Status(404)  # Hermes looks which server it is
        last = request.body["messages"][-1]
        if last["role"] == "user" and "Look it up" in json.dumps(last["content"]):
            call = {"id": "c1", "type": "function", "function": {"name": "thoth_recall", "arguments": '{"query": "the parrot"}'}}
            return Message({"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls")
        return Message({"role": "assistant", "content": "I heard."})

    with ScriptedModel(answer) as model:
        first = _hermes(tmp_path, model.url, "day-1", "My parrot is called Zazu and speaks Latin.")
        with open_substrate(settings) as substrate:
            settled(substrate, settings)
        before = len(model.chats)
        second = _hermes(tmp_path, model.url, "day-2", "What is my parrot called?", "Look it up, please: the parrot.")
    assert (first["found"], first["is"], first["answers"]) == (True, True, ["I heard."])
    assert first["tools"] == ["thoth_forget", "thoth_pin", "thoth_recall", "thoth_remember"]
    assert "Zazu" in second["recalled"]["memories"][0]["text"]
    asked = [chat.body["messages"] for chat in model.chats]
    assert asked[before][0] == asked[-1][0], "the system prompt stays as it was, so that providers' caches hold"
    question = json.dumps(asked[before][-1])
    assert "<memory-context>" in question
    assert "Zazu" in question
    assert "Zazu" in json.dumps([message for message in asked[-1] if message["role"] == "tool"])
    rows = sql.execute(
        "select session_id, stream from thoth.substrate_slices join thoth.substrate_streams using (stream_id)"
        " order by session_id, slice_id"
    )
    assert [(session, stream.removeprefix("thoth.")) for session, stream in rows.fetchall()] == [
        ("day-1", USER), ("day-1", REPLY), ("day-2", USER), ("day-2", REPLY), ("day-2", USER),
        ("day-2", "self_action.tool_call"), ("day-2", "self_action.tool_result"), ("day-2", REPLY),
    ]  # fmt: skip
    assert sql.execute("select count(*) from thoth.substrate_slices where text like '%memory-context%'").fetchone() == (0,)


def _hermes(home: Path, *arguments: str) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPATH": str(HERMES), "HERMES_HOME": str(home), "HOME": str(home)}
    run = subprocess.run(
        [sys.executable, hermes_host.__file__, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-4000:]
    told: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return told


def test_a_turn_is_perceived_once_with_the_tools_of_that_turn(
    start: Callable[..., ThothMemoryProvider], sql: psycopg.Connection
) -> None:
    provider = start(user_name="Mina", user_id="42")
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "before"},
        {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "old", "arguments": "{}"}}]},
        {"role": "tool", "content": "an old result"},
        {"role": "user", "content": "what is the time?"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "1", "function": {"name": "clock", "arguments": '{"zone": "UTC"}'}}],
        },
        {"role": "tool", "name": "clock", "content": "12:00"},
        {"role": "assistant", "content": "Noon."},
    ]
    for _ in range(2):  # faults: a host that tells a turn again
        provider.sync_turn("what is the time?", "Noon.", session_id="s1", messages=messages)
    provider.sync_turn("thanks", "", session_id="s1", messages=[*messages, {"role": "user", "content": "thanks"}])
    found = _perceived(provider, sql)
    assert [(stream, session) for stream, session, _ in found] == [
        (USER, "s1"), ("self_action.tool_call", "s1"), ("self_action.tool_result", "s1"), (REPLY, "s1"), (USER, "s1"),
    ]  # fmt: skip
    assert "old" not in str(found)
    assert sql.execute("select distinct metadata ->> 'user_id', metadata ->> 'host' from thoth.substrate_slices").fetchall() == [
        ("42", "hermes")
    ]
    assert sql.execute("select distinct actor from thoth.substrate_slices where text like '%time%'").fetchall() == [("Mina",)]


@pytest.mark.parametrize("context", ["subagent", "cron", "flush"])
def test_what_is_no_conversation_is_not_perceived_and_gets_nothing(
    context: str, start: Callable[..., ThothMemoryProvider], settings: Settings, sql: psycopg.Connection
) -> None:
    """faults: a schedule's prompt taken for what the user said."""
    _remembered(settings, "the parrot is called Zazu")
    provider = start(agent_context=context)
    provider.sync_turn("run the report", "done", session_id="s1")
    provider.on_memory_write("add", "user", "likes reports")
    provider.on_delegation("a task", "a result")
    assert provider.prefetch("what is the parrot called?") == ""
    assert "error" in json.loads(provider.handle_tool_call("thoth_remember", {"content": "x"}))
    assert [text for *_, text in _perceived(provider, sql)] == ["the parrot is called Zazu"]


def test_a_prefetch_is_unfenced_and_leaves_this_session_and_trifles_out(
    start: Callable[..., ThothMemoryProvider], settings: Settings
) -> None:
    _remembered(settings, "the parrot is called Zazu")
    _remembered(settings, "the parrot is called Iago", session="s1")
    provider = start()
    told = provider.prefetch("what is the parrot called?", session_id="s1")
    assert "Zazu" in told
    assert "Iago" not in told
    assert "memory-context" not in told
    assert [provider.prefetch(trifle) for trifle in ("ok", "thanks!", "/reset the parrot", "")] == [""] * 4
    assert start(config={"inject": False}).prefetch("what is the parrot called?") == ""


def test_an_answer_for_the_session_before_is_dropped(
    start: Callable[..., ThothMemoryProvider], settings: Settings, dsn: str, sql: psycopg.Connection
) -> None:
    """faults: an answer prepared for the previous question; a session switched while recall was running."""
    _remembered(settings, "the parrot is called Zazu")
    provider = start()
    assert "Zazu" in provider.prefetch("what is the parrot called?")
    told: list[str] = []
    asking = threading.Thread(target=lambda: told.append(provider.prefetch("what is the parrot called?", session_id="s1")))
    with psycopg.connect(dsn) as holding:
        holding.execute("lock table thoth.substrate_passages in access exclusive mode")
        asking.start()
        blocked = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
        until(lambda: sql.execute(blocked).fetchall())
        provider.on_session_switch("s2", reset=True)
    asking.join(60)
    assert told == [""]
    assert "Zazu" in provider.prefetch("what is the parrot called?")


def test_the_database_away_costs_a_turn_no_more_than_the_deadline(
    start: Callable[..., ThothMemoryProvider], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THOTH_PG_DSN", "postgresql://nobody@127.0.0.1:1/none")
    provider = start(config={"deadline_ms": 300})
    assert provider.prefetch("what is the parrot called?") == ""
    provider.sync_turn("kept in the journal", "meanwhile", session_id="s1")
    provider.on_memory_write("add", "memory", "cannot be kept now")
    assert "Thoth" in provider.system_prompt_block()
    for name, args in (("recall", {"query": "x y z"}), ("forget", {"id": "019"}), ("pin", {"id": "019"})):
        answer = json.loads(provider.handle_tool_call(f"thoth_{name}", args))
        assert answer.get("error") or answer.get("why_none")
    assert provider.handle_tool_call("thoth_remember", {"content": "kept in the journal"}).startswith('{"id"')


def test_the_model_s_tools_answer_json(start: Callable[..., ThothMemoryProvider], settings: Settings) -> None:
    _remembered(settings, "the parrot is called Zazu")
    provider = start()

    def asked(name: str, **args: Any) -> Any:
        return json.loads(provider.handle_tool_call(f"thoth_{name}", args))

    (found,) = asked("recall", query="what is the parrot called?", budget_tokens=500)["memories"]
    assert (found["text"], found["who"], found["kind"]) == ("the parrot is called Zazu", "user", "quote")
    assert asked("pin", id=found["id"]) == {"id": found["id"], "changed": True}
    assert asked("forget", id=found["id"]) == {"id": found["id"], "changed": True}
    assert asked("recall", query="what is the parrot called?")["memories"] == []
    assert asked("remember", content="the owl is called Archimedes")["id"]
    for name, args in (
        ("recall", {}),
        ("recall", {"query": 7}),
        ("forget", {"id": "nothing"}),
        ("remember", {"content": " "}),
        ("fly", {}),
    ):
        assert set(asked(name, **args)) == {"error"}
    assert [schema["name"] for schema in provider.get_tool_schemas()] == [
        f"thoth_{name}" for name in ("recall", "remember", "forget", "pin")
    ]


def test_hermes_own_entries_are_mirrored_and_forgotten_with_it(
    start: Callable[..., ThothMemoryProvider], sql: psycopg.Connection
) -> None:
    provider = start()
    provider.on_memory_write("add", "user", "Mina likes tea", metadata={"platform": "cli"})
    provider.on_memory_write("add", "user", "Mina likes tea")
    provider.on_memory_write("add", "memory", "the build takes an hour")
    provider.on_memory_write("replace", "user", "Mina likes coffee", metadata={"old_text": "likes tea"})
    provider.on_memory_write("remove", "memory", "", metadata={"old_text": "the build"})
    provider.on_memory_write("remove", "memory", "not there")
    assert _perceived(provider, sql) == [("world.note", "hermes/user", "Mina likes coffee")]


def test_a_subagent_s_task_and_result_are_perceived(start: Callable[..., ThothMemoryProvider], sql: psycopg.Connection) -> None:
    provider = start()
    provider.on_delegation("count the birds", "seven", child_session_id="c1")
    provider.on_session_end([])
    assert _perceived(provider, sql) == [
        ("self_action.subagent_spawn", "s1", "count the birds"), ("self_action.subagent_return", "s1", "seven"),
    ]  # fmt: skip


async def test_what_is_going_on_stands_in_the_system_prompt(start: Callable[..., ThothMemoryProvider], dsn: str) -> None:
    provider = await asyncio.to_thread(start)
    quiet = await asyncio.to_thread(provider.system_prompt_block)
    database = await Database.open(dsn)
    await note_by_hand(database, "default", ["parrot show"], ["mail:<1@x>"], timedelta(days=1))
    await database.close()
    told = await asyncio.to_thread(provider.system_prompt_block)
    assert "parrot show" not in quiet
    assert told.startswith(quiet)
    assert "parrot show" in told


def test_its_configuration_is_kept_beside_what_is_there(tmp_path: Path, settings: Settings) -> None:
    provider = ThothMemoryProvider()
    assert provider.is_available()
    assert provider.unavailable_reason() == ""
    asked = provider.get_config_schema()
    assert [field["key"] for field in asked if field.get("secret")] == ["database_url"]
    provider.save_config({"tenant": "mina", "inject": "false"}, str(tmp_path))
    provider.save_config({"deadline_ms": "200", "tenant": ""}, str(tmp_path))
    assert json.loads((tmp_path / "thoth.json").read_text()) == {"deadline_ms": "200", "inject": "false", "tenant": "mina"}
    (tmp_path / "thoth.json").write_text("{broken")
    provider.initialize("s1", hermes_home=str(tmp_path))
    provider.shutdown()
    assert provider.backup_paths() == [str(settings.home_dir / ".env"), str(settings.home_dir / "journal")]
    assert provider.prefetch("after the end") == ""
    assert "error" in json.loads(provider.handle_tool_call("thoth_recall", {"query": "x"}))


def test_tenants_of_two_profiles_have_memories_of_their_own(
    start: Callable[..., ThothMemoryProvider], sql: psycopg.Connection
) -> None:
    """faults: scope forgotten on one of several query paths."""
    for tenant in ("mina", "otto"):
        provider = start(config={"tenant": tenant})
        provider.sync_turn(f"I am {tenant}", "Hello.", session_id="s1")
        provider.on_memory_write("add", "user", f"is {tenant}")
        provider.on_session_end([])
    assert sorted(sql.execute("select tenant_id, count(*) from thoth.substrate_slices group by 1").fetchall()) == [
        ("mina", 3),
        ("otto", 3),
    ]
