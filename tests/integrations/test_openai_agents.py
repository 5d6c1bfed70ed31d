"""A session of the OpenAI Agents SDK: its protocol, what it keeps exactly, what is remembered of it, and the real Runner."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from agents import Agent, OpenAIChatCompletionsModel, RunConfig, Runner, SQLiteSession, function_tool
from agents.memory import Session, SessionSettings
from openai import AsyncOpenAI

from tests.integrations.settling import settle
from tests.llm.scripted import Message, ScriptedModel
from thoth_substrate.boot import open_substrate
from thoth_substrate.errors import DatabaseUnavailable
from thoth_substrate.integrations.openai_agents import ThothSession
from thoth_substrate.settings import Settings, load
from thoth_substrate.substrate import Substrate

Items = list[Any]


@pytest.fixture
def settings(tmp_path: Path, dsn: str) -> Settings:
    return load(THOTH_HOME=str(tmp_path), THOTH_PG_DSN=dsn, THOTH_SUBSTRATE_RECALL=True, THOTH_EMBED_PROVIDER="none")


@pytest.fixture
def substrate(settings: Settings) -> Iterator[Substrate]:
    with open_substrate(settings) as substrate:
        assert substrate.ready_sync(30)
        yield substrate


def _user(text: str) -> Any:
    return {"role": "user", "content": text}


def _perceived(sql: psycopg.Connection) -> list[tuple[str, str, str, bool]]:
    rows = sql.execute(
        "select stream, session_id, text, forgotten from thoth.substrate_slices join thoth.substrate_streams using (stream_id)"
        " order by slice_id"
    )
    return [(stream.removeprefix("thoth."), session, text, gone) for stream, session, text, gone in rows.fetchall()]


ODD: Items = [
    _user("plain"),
    {"role": "user", "content": [{"type": "input_text", "text": "look"}, {"type": "input_image", "image_url": "data:,"}]},
    {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city":"Köln"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "nul \0 and half \ud83d of a sign"},
    {"type": "reasoning", "id": "r1", "summary": [], "encrypted_content": "gAAAA"},
    {"type": "message", "role": "assistant", "id": "m1", "status": "completed",
     "content": [{"type": "output_text", "text": "It rains. 😀", "annotations": [], "logprobs": [{"p": -0.1}]}]},
    {"type": "something_new", "big": 12345678901234567890123, "nan": None, "deep": {"a": [1, {"b": []}]}},
]  # fmt: skip


async def test_it_answers_as_the_sdk_s_own_session(substrate: Substrate) -> None:
    ours, theirs = ThothSession("s", substrate), SQLiteSession("s")
    assert isinstance(ours, Session)
    told: list[list[Any]] = []
    for session in (ours, theirs):
        answers: list[Any] = [await session.get_items(), await session.pop_item()]
        await session.add_items([])
        await session.add_items([_user(f"{n}") for n in range(7)])
        await session.add_items(ODD)
        answers += [await session.get_items(limit) for limit in (None, 0, 1, 3, 100, -1)]
        session.session_settings = SessionSettings(limit=2)
        answers += [await session.get_items(), await session.get_items(4)]
        answers += [await session.pop_item() for _ in range(3)]
        answers.append(await session.get_items(limit=50))
        await session.clear_session()
        answers += [await session.get_items(), await session.pop_item()]
        await session.add_items([_user("anew")])
        answers.append(await session.get_items())
        told.append(answers)
    theirs.close()
    assert told[0] == told[1]


async def test_sessions_and_tenants_have_items_of_their_own(substrate: Substrate) -> None:
    """faults: scope forgotten on one of several query paths."""
    await ThothSession("s", substrate).add_items([_user("mine")])
    for other in (ThothSession("t", substrate), ThothSession("s", substrate, tenant="theirs")):
        assert await other.get_items() == []
        await other.clear_session()
        assert await other.pop_item() is None
    assert await ThothSession("s", substrate).get_items() == [_user("mine")]


async def test_what_is_added_at_once_stays_together_and_in_order(substrate: Substrate, settings: Settings) -> None:
    """faults: concurrent requests of one session."""
    with await asyncio.to_thread(open_substrate, settings) as another:
        assert await another.wait_until_awake(30)
        writers = [ThothSession("s", place) for place in (substrate, another) for _ in range(4)]
        await asyncio.gather(
            *(writer.add_items([_user(f"{w}.{b}.{n}") for n in range(5)]) for b in range(5) for w, writer in enumerate(writers))
        )
        found = [str(item["content"]) for item in await writers[0].get_items()]  # type: ignore[typeddict-item]
        groups = [found[at : at + 5] for at in range(0, len(found), 5)]
        popped = await asyncio.gather(*(writer.pop_item() for writer in writers))
    assert len(found) == len(set(found)) == 8 * 5 * 5
    assert all(group == [f"{group[0][:-1]}{n}" for n in range(5)] for group in groups)
    assert sorted(str(item["content"]) for item in popped if item) == sorted(found[-8:])  # type: ignore[typeddict-item]


async def test_each_item_is_perceived_once_and_instructions_never(substrate: Substrate, sql: psycopg.Connection) -> None:
    session = ThothSession("chat-1", substrate, user_stream="thoth.world.user_message.slack")
    await session.add_items([{"role": "system", "content": "be kind"}, {"role": "developer", "content": "be brief"}, *ODD])
    assert await substrate.durable(30)
    found = _perceived(sql)
    assert [(stream, session) for stream, session, *_ in found] == [
        ("world.user_message.slack", "chat-1"), ("world.user_message.slack", "chat-1"), ("self_action.tool_call", "chat-1"),
        ("self_action.tool_result", "chat-1"), ("self_action.assistant_response", "chat-1"),
    ]  # fmt: skip
    texts = " ".join(text for _, _, text, _ in found)
    assert all(words in texts for words in ("plain", "look", "weather", "nul", "It rains."))
    assert "be " not in texts
    await ThothSession("silent", substrate, perceive=False).add_items([_user("unheard")])
    assert await substrate.durable(30)
    assert len(_perceived(sql)) == 5


async def test_what_is_taken_back_is_forgotten_and_what_is_cleared_is_not(substrate: Substrate, sql: psycopg.Connection) -> None:
    session = ThothSession("s", substrate)
    await session.add_items([_user("kept"), _user("taken back")])
    assert await session.pop_item() == _user("taken back")
    await session.clear_session()
    leaving = ThothSession("t", substrate, forget_on_clear=True)
    await leaving.add_items([_user("gone with the session")])
    await leaving.clear_session()
    assert [(text, gone) for *_, text, gone in _perceived(sql)] == [
        ("kept", False), ("taken back", True), ("gone with the session", True),
    ]  # fmt: skip
    assert sql.execute("select count(*) from thoth.substrate_items_unsaid").fetchone() == (0,)


async def test_without_a_database_it_says_so(tmp_path: Path) -> None:
    settings = load(THOTH_HOME=str(tmp_path), THOTH_PG_DSN="postgresql://nobody@127.0.0.1:1/none", THOTH_EMBED_PROVIDER="none")
    with pytest.raises(DatabaseUnavailable):
        await asyncio.to_thread(ThothSession.from_settings, "s", settings)
    async with await asyncio.to_thread(open_substrate, settings) as substrate:
        with pytest.raises(DatabaseUnavailable):
            await ThothSession("s", substrate).get_items()


async def test_two_runs_share_a_session_and_recall_finds_both(settings: Settings, sql: psycopg.Connection) -> None:
    calls = []

    @function_tool
    def weather(city: str) -> str:
        """The weather of a city."""
        calls.append(city)
        return f"sun in {city}"

    call = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Lisbon"}'}}
    with ScriptedModel() as model:
        said = ({"content": None, "tool_calls": [call]}, {"content": "Sun in Lisbon."}, {"content": "Your dog is Rex."})
        model.then(*(Message({"role": "assistant", **fields}) for fields in said))
        client = AsyncOpenAI(base_url=model.url, api_key="x")
        agent = Agent("helper", instructions="Be kind.", tools=[weather], model=OpenAIChatCompletionsModel("scripted", client))
        quiet = RunConfig(tracing_disabled=True)
        session = await asyncio.to_thread(ThothSession.from_settings, "trip", settings)
        with session:
            first = await Runner.run(agent, "My dog Rex travels to Lisbon: the weather?", session=session, run_config=quiet)
            second = await Runner.run(agent, "What is my dog's name?", session=session, run_config=quiet)
            await settle(session._substrate, settings)
            found = await session._substrate.recall("which dog travels to Lisbon?", deadline_ms=20_000)
        await client.close()
        assert (first.final_output, second.final_output, calls) == ("Sun in Lisbon.", "Your dog is Rex.", ["Lisbon"])
        roles = [message["role"] for message in model.chats[-1].body["messages"]]
        assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert "Rex travels to Lisbon" in found.block
    assert [stream.split(".")[1] for stream, *_ in _perceived(sql)] == [
        "user_message", "tool_call", "tool_result", "assistant_response", "user_message", "assistant_response",
    ]  # fmt: skip
