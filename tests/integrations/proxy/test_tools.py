"""While tools are at work for a turn it keeps the block that it had, in every request of the loop; nobody else gets it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import httpx2
import psycopg
import pytest

from tests.integrations.hosted import settle
from tests.integrations.proxy.conftest import Hearing, stored
from tests.integrations.proxy.talking import (
    CHAT,
    FACT,
    KEY,
    MESSAGES,
    QUESTION,
    RESPONSES,
    Message,
    assistant,
    calls,
    told,
    user,
)
from tests.integrations.upstream import Call, Says, Upstream
from tests.server.serving import Served, serving
from thoth_substrate.integrations.proxy import kept

RECALL_ID = "x-thoth-recall-id"
PATHS = (CHAT, RESPONSES, MESSAGES)
SOON = {"THOTH_RECALL_DEADLINE_MS": 3000}


@pytest.fixture
def knowing(proxy: Served, upstream: Upstream, heard: Hearing) -> Served:
    """A proxy before which somebody said something yesterday."""
    return settled(proxy, upstream, heard)


def settled(served: Served, upstream: Upstream, heard: Hearing) -> Served:
    told(served)
    heard("All right.")
    settle(served)
    upstream.seen.clear()
    return served


def body_of(path: str, turns: list[Message], *, stream: bool = False) -> Message:
    """A request whose turns are its last member, so that the bytes of a longer one begin with those of a shorter one."""
    return {"model": "m", "stream": stream, "input" if path == RESPONSES else "messages": turns}


def ask(served: Served, path: str, turns: list[Message], *, stream: bool = False, **headers: str) -> httpx2.Response:
    """A request in the session `today`, unless a header says otherwise."""
    named = KEY | {"x-thoth-session": "today"} | {f"x-thoth-{name}": value for name, value in headers.items()}
    answer = served.client.post(path, json=body_of(path, turns, stream=stream), headers=named)
    assert answer.is_success, answer.text
    return answer


def came_as_sent(upstream: Upstream, path: str, turns: list[Message]) -> bool:
    return bool(upstream.seen[-1].json == body_of(path, turns))


def recalled(served: Served, sql: psycopg.Connection) -> int:
    """How many recalls there were."""
    asyncio.run(served.substrate.logged())
    row = sql.execute("select count(*) from thoth.substrate_recall_log").fetchone()
    assert row is not None
    return int(row[0])


def fact_id(sql: psycopg.Connection) -> str:
    row = sql.execute("select slice_id from thoth.substrate_slices where text = %s", [FACT]).fetchone()
    assert row is not None
    return str(row[0])


# ── The same turn ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", PATHS)
def test_each_request_of_a_loop_begins_with_the_bytes_of_the_one_before(
    knowing: Served, upstream: Upstream, sql: psycopg.Connection, path: str, stream: bool
) -> None:
    turns = [user("Hello there."), assistant("Hello."), user(QUESTION)]
    ids = []
    before = recalled(knowing, sql)
    for number in range(4):
        turns += calls(path, number) if number else []
        answer = ask(knowing, path, turns, stream=stream)
        ids.append((answer.headers[RECALL_ID], answer.headers["x-thoth-memories"]))
    assert len(set(ids)) == 1
    assert recalled(knowing, sql) == before + 1
    bodies = [seen.body for seen in upstream.seen]
    for shorter, longer in pairwise(bodies):
        assert longer.startswith(shorter.removesuffix(b"]}") + b",")
    assert all(body.count(b"<memory-context>") == 1 and b"Lisbon" in body for body in bodies)


@pytest.mark.parametrize("path", PATHS)
def test_the_next_turn_has_a_block_of_its_own_and_the_one_before_none(knowing: Served, upstream: Upstream, path: str) -> None:
    turns = [user(QUESTION)]
    first = ask(knowing, path, turns).headers[RECALL_ID]
    turns += calls(path, 1)
    assert ask(knowing, path, turns).headers[RECALL_ID] == first
    turns += [assistant("She lives in Lisbon."), user("Where does my sister Anna work in Lisbon?")]
    second = ask(knowing, path, turns).headers[RECALL_ID]
    for number in (2, 3):
        said = upstream.seen[-1].json["input" if path == RESPONSES else "messages"]
        assert said[0] == turns[0]
        assert "<memory-context>" in said[len(calls(path, 1)) + 2]["content"]
        turns += calls(path, number)
        assert ask(knowing, path, turns).headers[RECALL_ID] == second != first


@pytest.mark.parametrize("path", PATHS)
def test_what_is_heard_in_a_loop_is_heard_once_and_without_the_block(
    knowing: Served, upstream: Upstream, heard: Hearing, path: str
) -> None:
    upstream.then(*(Says("", [Call("ferries", {"day": day}, id=f"call_{day}")]) for day in (1, 2)), Says("At noon."))
    turns = [user(QUESTION)]
    for number in (1, 2):
        ask(knowing, path, turns)
        heard(f"day: {number}")
        turns += calls(path, number)
    ask(knowing, path, turns)
    assert [(one.stream, one.text) for one in heard("At noon.") if one.session == "today"] == [
        ("cli", QUESTION),
        ("tool_call", "ferries\nday: 1"),
        ("tool_result", "Ferry 1 leaves at 1:15."),
        ("tool_call", "ferries\nday: 2"),
        ("tool_result", "Ferry 2 leaves at 2:15."),
        ("assistant_response", "At noon."),
    ]


def test_words_beside_a_result_are_a_turn_that_tools_can_be_at_work_for(knowing: Served, upstream: Upstream) -> None:
    """Anthropic's API: a user's message may hold results and words both."""
    call, result = calls(MESSAGES, 1)
    mixed = {"role": "user", "content": [*result["content"], {"type": "text", "text": QUESTION}]}
    turns = [user("When is the ferry?"), call, mixed]
    first = ask(knowing, MESSAGES, turns)
    assert "Lisbon" in upstream.seen[-1].json["messages"][2]["content"][2]["text"]
    shorter = upstream.seen[-1].body
    again = ask(knowing, MESSAGES, [*turns, *calls(MESSAGES, 2)])
    assert again.headers[RECALL_ID] == first.headers[RECALL_ID]
    assert upstream.seen[-1].body.startswith(shorter.removesuffix(b"]}"))


def test_a_turn_that_was_marked_for_the_cache_while_it_was_the_last_is_the_same_once_it_is_not(
    knowing: Served, upstream: Upstream
) -> None:
    marked = {"type": "text", "text": QUESTION, "cache_control": {"type": "ephemeral"}}
    ask(knowing, MESSAGES, [{"role": "user", "content": [marked]}])
    words, block = upstream.seen[-1].json["messages"][0]["content"]
    ask(knowing, MESSAGES, [user(QUESTION), *calls(MESSAGES, 1)])
    assert upstream.seen[-1].json["messages"][0]["content"] == [{"type": "text", "text": words["text"]}, block]


@pytest.mark.parametrize("path", PATHS)
def test_a_history_that_is_cut_at_its_front_has_the_turns_block(knowing: Served, upstream: Upstream, path: str) -> None:
    turns = [user("Hello there."), assistant("Hello."), user(QUESTION)]
    first = ask(knowing, path, turns).headers[RECALL_ID]
    turns += calls(path, 1)
    for cut in (1, 2):
        assert ask(knowing, path, turns[cut:]).headers[RECALL_ID] == first
        said = upstream.seen[-1].json["input" if path == RESPONSES else "messages"]
        assert "<memory-context>" in said[2 - cut]["content"]


def test_without_a_session_header_a_loop_is_known_by_its_opening(knowing: Served, upstream: Upstream) -> None:
    turns = [{"role": "system", "content": "You are terse."}, user(QUESTION)]
    first = ask(knowing, CHAT, turns, session="").headers[RECALL_ID]
    assert ask(knowing, CHAT, [*turns, *calls(CHAT, 1)], session="").headers[RECALL_ID] == first
    other = [{"role": "system", "content": "You are kind."}, *turns[1:], *calls(CHAT, 2)]
    assert RECALL_ID not in ask(knowing, CHAT, other, session="").headers


@pytest.mark.parametrize("path", PATHS)
def test_a_loop_whose_system_prompt_tells_the_time_is_known_by_what_was_answered(
    knowing: Served, upstream: Upstream, heard: Hearing, path: str
) -> None:
    upstream.then(Says("", [Call("ferries", {"day": 1}, id="call_1")]), Says("", [Call("ferries", {"day": 2}, id="call_2")]))
    turns, ids = [user(QUESTION)], []
    for number in range(3):
        turns += calls(path, number) if number else []
        body = body_of(path, turns) | {"instructions" if path == RESPONSES else "system": f"It is 9:0{number}."}
        if path == CHAT:
            body["messages"] = [{"role": "system", "content": body.pop("system")}, *turns]
        ids.append(knowing.client.post(path, json=body, headers=KEY).headers[RECALL_ID])
        heard(f"day: {number + 1}" if number < 2 else "All right.")
    assert len(set(ids)) == 1


def test_a_turn_that_is_tried_again_has_the_newer_block_from_then_on(knowing: Served, upstream: Upstream) -> None:
    turns = [user(QUESTION)]
    first, second = (ask(knowing, CHAT, turns).headers[RECALL_ID] for _ in range(2))
    assert first != second
    assert ask(knowing, CHAT, [*turns, *calls(CHAT, 1)]).headers[RECALL_ID] == second


# ── No block ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", PATHS)
def test_another_tenant_or_session_never_has_it(knowing: Served, upstream: Upstream, path: str) -> None:
    """faults: a session switched while recall was running."""
    first = ask(knowing, path, [user(QUESTION)]).headers[RECALL_ID]
    turns = [user(QUESTION), *calls(path, 1)]
    for session, tenant in (("tomorrow", "default"), ("today", "other")):
        assert RECALL_ID not in ask(knowing, path, turns, session=session, tenant=tenant).headers
        assert came_as_sent(upstream, path, turns)
    assert ask(knowing, path, turns).headers[RECALL_ID] == first


def test_a_request_that_switches_recall_off_has_none(knowing: Served, upstream: Upstream) -> None:
    first = ask(knowing, CHAT, [user(QUESTION)]).headers[RECALL_ID]
    turns = [user(QUESTION), *calls(CHAT, 1)]
    assert RECALL_ID not in ask(knowing, CHAT, turns, recall="off").headers
    assert came_as_sent(upstream, CHAT, turns)
    assert ask(knowing, CHAT, turns).headers[RECALL_ID] == first


def test_a_loop_that_began_without_a_block_goes_on_without(
    proxy: Served, upstream: Upstream, heard: Hearing, sql: psycopg.Connection
) -> None:
    ask(proxy, CHAT, [user(QUESTION)])
    settled(proxy, upstream, heard)
    before = recalled(proxy, sql)
    for path in PATHS:
        turns = [user(QUESTION), *calls(path, 1)]
        assert RECALL_ID not in ask(proxy, path, turns).headers
        assert came_as_sent(upstream, path, turns)
    assert recalled(proxy, sql) == before


def test_the_same_words_said_anew_where_nothing_is_remembered_have_no_older_block(
    knowing: Served, upstream: Upstream, sql: psycopg.Connection
) -> None:
    ask(knowing, CHAT, [user(QUESTION)])
    knowing.client.delete(f"/v1/memories/{fact_id(sql)}").raise_for_status()
    turns = [user(QUESTION), assistant("I am not sure."), user(QUESTION)]
    assert RECALL_ID not in ask(knowing, CHAT, turns).headers
    turns += calls(CHAT, 1)
    assert RECALL_ID not in ask(knowing, CHAT, turns).headers
    assert came_as_sent(upstream, CHAT, turns)


@pytest.mark.parametrize("for_good", [False, True], ids=["forgotten", "purged"])
def test_what_is_forgotten_in_the_middle_of_a_loop_is_not_said_again(
    knowing: Served, upstream: Upstream, sql: psycopg.Connection, for_good: bool
) -> None:
    turns = [user(QUESTION)]
    first = ask(knowing, CHAT, turns).headers[RECALL_ID]
    turns += calls(CHAT, 1)
    assert ask(knowing, CHAT, turns).headers[RECALL_ID] == first
    knowing.client.delete(f"/v1/memories/{fact_id(sql)}", params={"purge": for_good}).raise_for_status()
    for number in (2, 3):
        turns += calls(CHAT, number)
        assert RECALL_ID not in ask(knowing, CHAT, turns).headers
        assert came_as_sent(upstream, CHAT, turns)


def test_a_server_that_began_anew_does_not_guess(
    dsn: str, tmp_path: Path, upstream: Upstream, heard: Hearing, sql: psycopg.Connection
) -> None:
    """faults: the server restarted in mid-session."""
    with serving(dsn, tmp_path, **upstream.settings) as served:
        assert RECALL_ID in ask(settled(served, upstream, heard), CHAT, [user(QUESTION)]).headers
        asked = recalled(served, sql)
    turns = [user(QUESTION), *calls(CHAT, 1)]
    with serving(dsn, tmp_path, **upstream.settings) as served:
        assert RECALL_ID not in ask(served, CHAT, turns).headers
        assert came_as_sent(upstream, CHAT, turns)
        assert recalled(served, sql) == asked


def test_of_too_many_the_one_not_used_for_longest_goes(
    knowing: Served, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "MOST_NAMES", 2)
    turns = [user(QUESTION), *calls(CHAT, 1)]
    ids = {name: ask(knowing, CHAT, turns[:1], session=name).headers[RECALL_ID] for name in ("one", "two")}
    assert ask(knowing, CHAT, turns, session="one").headers[RECALL_ID] == ids["one"]
    ask(knowing, CHAT, turns[:1], session="three")
    assert ask(knowing, CHAT, turns, session="one").headers[RECALL_ID] == ids["one"]
    assert RECALL_ID not in ask(knowing, CHAT, turns, session="two").headers
    assert came_as_sent(upstream, CHAT, turns)


def test_a_database_that_hangs_delays_a_loop_by_no_more_than_a_recall_and_the_block_is_there_again_afterwards(
    dsn: str, tmp_path: Path, upstream: Upstream, heard: Hearing, sql: psycopg.Connection
) -> None:
    turns = [user(QUESTION), *calls(CHAT, 1)]
    with serving(dsn, tmp_path, **(upstream.settings | SOON)) as served:
        first = ask(settled(served, upstream, heard), CHAT, turns[:1], perceive="off").headers[RECALL_ID]
        with hanging(sql):
            assert RECALL_ID not in ask(served, CHAT, turns, perceive="off").headers
            assert came_as_sent(upstream, CHAT, turns)
        assert ask(served, CHAT, turns, perceive="off").headers[RECALL_ID] == first
    assert all("memory-context" not in one.text for one in stored(sql))


def test_a_turn_that_is_tried_again_and_has_no_block_then_has_none_from_then_on(
    dsn: str, tmp_path: Path, upstream: Upstream, heard: Hearing, sql: psycopg.Connection
) -> None:
    turns = [user(QUESTION), *calls(CHAT, 1)]
    with serving(dsn, tmp_path, **(upstream.settings | SOON)) as served:
        assert RECALL_ID in ask(settled(served, upstream, heard), CHAT, turns[:1], perceive="off").headers
        with hanging(sql):
            assert RECALL_ID not in ask(served, CHAT, turns[:1], perceive="off").headers
        assert RECALL_ID not in ask(served, CHAT, turns, perceive="off").headers
        assert came_as_sent(upstream, CHAT, turns)


@contextmanager
def hanging(sql: psycopg.Connection) -> Iterator[None]:
    """Meanwhile whoever asks for memories waits."""
    with psycopg.connect(sql.info.dsn, password=sql.info.password) as other:
        other.execute("lock table thoth.substrate_slices in access exclusive mode")
        yield
