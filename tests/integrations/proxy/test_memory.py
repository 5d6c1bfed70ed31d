"""What the memory hears through the proxy, once, and what it puts into the current turn, nowhere else."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import psycopg
import pytest

from tests.integrations.hosted import a_token, settle
from tests.integrations.proxy.conftest import Hearing, stored
from tests.integrations.proxy.talking import CHAT, FACT, KEY, MESSAGES, QUESTION, RESPONSES, Message, assistant, post, told, user
from tests.integrations.upstream import Answer, Call, Hang, Says, Stream, Upstream
from tests.server.serving import Served, serving

# ── What is heard ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", [CHAT, RESPONSES, MESSAGES])
def test_a_turn_its_reply_and_calls_and_results_are_heard_once(
    proxy: Served, upstream: Upstream, heard: Hearing, path: str, stream: bool
) -> None:
    upstream.then(Says("Let me look.", [Call("weather", {"city": "Lisboa"})]), Says("It is 21 °C there."), Says("Bye now."))
    call: list[Message]
    result: Message
    if path == RESPONSES:
        call = [assistant("Let me look."), {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": "{}"}]
        result = {"type": "function_call_output", "call_id": "call_1", "output": "sunny, 21"}
    elif path == MESSAGES:
        blocks = [{"type": "text", "text": "Let me look."}, {"type": "tool_use", "id": "call_1", "name": "weather", "input": {}}]
        call = [{"role": "assistant", "content": blocks}]
        result = user([{"type": "tool_result", "tool_use_id": "call_1", "content": "sunny, 21"}])  # type: ignore[arg-type]
    else:
        calls = [{"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}]
        call = [assistant("Let me look.") | {"tool_calls": calls}]
        result = {"role": "tool", "tool_call_id": "call_1", "content": "sunny, 21"}
    history = [user("How is the weather in Lisbon?")]
    post(proxy, path, history, stream=stream)
    heard("city: Lisboa")
    history += [*call, result]
    post(proxy, path, history, stream=stream)
    heard("It is 21 °C there.")
    history += [assistant("It is 21 °C there."), user("Thank you, that is all.")]
    post(proxy, path, history, stream=stream)
    found = heard("Bye now.")
    assert [(one.stream, one.text) for one in found] == [
        ("cli", "How is the weather in Lisbon?"),
        ("assistant_response", "Let me look."),
        ("tool_call", "weather\ncity: Lisboa"),
        ("tool_result", "sunny, 21"),
        ("assistant_response", "It is 21 °C there."),
        ("cli", "Thank you, that is all."),
        ("assistant_response", "Bye now."),
    ]
    assert len({one.session for one in found}) == 1


def test_a_history_that_is_sent_again_or_cut_is_not_heard_again(proxy: Served, upstream: Upstream, heard: Hearing) -> None:
    history = [user("First I paint the door."), assistant("All right."), user("Then I paint the wall.")]
    upstream.then(Answer(500), Answer(429), Says("Good."), Says("Fine."), Says("The end."))
    for cut in (0, 0, 1):
        proxy.client.post(CHAT, json={"messages": history[cut:]}, headers=KEY | {"x-thoth-session": "s"})
    heard("Good.")
    history += [assistant("Good."), user("go on")]
    post(proxy, CHAT, history[2:], session="s")
    heard("Fine.")
    history += [assistant("Fine."), user("go on")]
    post(proxy, CHAT, history, session="s")
    assert [one.text for one in heard("The end.")] == [
        "Then I paint the wall.", "Good.", "go on", "Fine.", "go on", "The end.",
    ]  # fmt: skip


def test_our_own_block_is_not_heard_when_a_client_sends_it_back(proxy: Served, heard: Hearing) -> None:
    block = "<memory-context>\n412 Maya: the secret garden\n</memory-context>"
    post(proxy, CHAT, [user(f"What did I say?\n\n{block}")])
    found = heard("All right.")
    assert [one.text for one in found] == ["What did I say?", "All right."]


def test_a_reply_that_broke_off_is_heard_as_far_as_it_came(proxy: Served, upstream: Upstream, heard: Hearing) -> None:
    said = b'data: {"choices":[{"index":0,"delta":{"content":"The door is half"}}]}\n\n'
    upstream.then(Stream([said], cut=True))
    with pytest.raises(httpx2.RemoteProtocolError):
        post(proxy, CHAT, [user("Is it painted?")], stream=True)
    assert heard("The door is half")[-1].stream == "assistant_response"
    hang = Hang(first=said.replace(b"half", b"nearly"))
    upstream.then(hang)
    with proxy.client.stream("POST", CHAT, json={"messages": [user("And now?")], "stream": True}, headers=KEY) as response:
        next(response.iter_raw())
    assert heard("The door is nearly")[-1].stream == "assistant_response"


def test_headers_say_whose_it_is_and_where_it_was_said(proxy: Served, heard: Hearing, sql: psycopg.Connection) -> None:
    headers = {"x-thoth-agent": "helper", "x-thoth-user": "maya", "x-thoth-stream": "thoth.world.user_message.slack"}
    post(proxy, CHAT, [user("The door is green.")], session="s7", headers=headers)
    found = heard("All right.")
    assert [(one.stream, one.session) for one in found] == [("slack", "s7"), ("assistant_response", "s7")]
    rows = sql.execute("select metadata from thoth.substrate_slices where session_id = 's7'").fetchall()
    assert all(metadata == {"agent": "helper", "user": "maya", "model": "m"} for (metadata,) in rows)


def test_a_request_that_shall_not_be_heard_is_not_heard(proxy: Served, heard: Hearing) -> None:
    post(proxy, CHAT, [user("Give this conversation a title.")], headers={"x-thoth-perceive": "off"})
    post(proxy, CHAT, [user("The door is green.")])
    assert [one.text for one in heard("All right.")] == ["The door is green.", "All right."]


def test_what_was_said_last_is_heard_although_the_server_stops(
    dsn: str, tmp_path: Path, upstream: Upstream, sql: psycopg.Connection
) -> None:
    with serving(dsn, tmp_path, **upstream.settings) as served:
        post(served, CHAT, [user("The door is green.")])
    assert [one.text for one in stored(sql)] == ["The door is green.", "All right."]


def test_a_long_request_is_heard_and_answered_from_memory_as_any_other(proxy: Served, upstream: Upstream, heard: Hearing) -> None:
    told(proxy)
    heard("All right.")
    settle(proxy)
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "iVBORw0K" * 200_000}}
    asked = [{"role": "user", "content": [picture, {"type": "text", "text": QUESTION}]}]
    assert "x-thoth-memories" in post(proxy, CHAT, asked, session="long").headers
    assert [part["type"] for part in upstream.seen[-1].json["messages"][0]["content"]] == ["image_url", "text", "text"]
    assert next(one.stream for one in heard(QUESTION) if one.session == "long") == "cli"


def test_a_stream_that_is_not_there_loses_nothing(proxy: Served, heard: Hearing) -> None:
    for number, stream in enumerate(("thoth.world.nowhere", "thoth.self_action.tool_call", "substrate.self_state", "")):
        post(proxy, CHAT, [user(f"The door is green, {number}.")], headers={"x-thoth-stream": stream})
        assert [one.stream for one in heard(f"green, {number}.") if "green" in one.text] == ["cli"] * (number + 1)


def test_a_token_that_may_not_write_is_not_heard_and_one_that_may_not_read_is_told_nothing(
    dsn: str, tmp_path: Path, upstream: Upstream, heard: Hearing, sql: psycopg.Connection
) -> None:
    reads, writes = a_token(dsn, "read"), a_token(dsn, "write")
    with serving(dsn, tmp_path, **upstream.settings) as served:
        told(served, headers={"x-thoth-token": writes})
        heard("All right.")
        settle(served)
        assert "x-thoth-memories" not in post(served, CHAT, [user(QUESTION)], headers={"x-thoth-token": writes}).headers
        heard(QUESTION)
        for headers in ({"x-thoth-token": reads}, {}):
            answer = post(served, CHAT, [user(QUESTION + " Tell me.")], headers=headers)
            assert ("x-thoth-memories" in answer.headers) == bool(headers)
        told(served, "The last words.", headers={"x-thoth-token": writes})
        heard("The last words.")
    assert "Tell me." not in "".join(one.text for one in stored(sql))


# ── What is put in ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_next_day_the_current_turn_has_what_was_said(proxy: Served, upstream: Upstream, heard: Hearing) -> None:
    told(proxy)
    heard("All right.")
    settle(proxy)
    for path in (CHAT, RESPONSES, MESSAGES):
        for stream in (False, True):
            key, part = ("input", "input_text") if path == RESPONSES else ("messages", "text")
            system = {"role": "system", "content": "You are  terse.\u00e9"}
            asked = [{"role": "user", "content": [{"type": part, "text": QUESTION}, {"type": "image", "x": 1.0}]}]
            body = {"model": "m", key: [system, user("Hi."), assistant("Hello."), *asked], "stream": stream, "system": "x  y"}
            answer = proxy.client.post(path, json=body, headers=KEY)
            assert int(answer.headers["x-thoth-memories"]) >= 1
            assert len(answer.headers["x-thoth-recall-id"]) == 36
            sent = upstream.seen[-1].json
            added = sent[key][-1]["content"].pop()
            assert sent == body
            assert added["type"] == part
            assert added["text"].startswith("<memory-context>")
            assert "Lisbon" in added["text"]


def test_everything_but_the_turns_text_stays_as_it_was_written(proxy: Served, upstream: Upstream, heard: Hearing) -> None:
    told(proxy)
    heard("All right.")
    settle(proxy)
    before = (
        b'{ "temperature" : 1.50, "n":1E0, "x":{"b":1,"a":2,"a":3}, "messages":[ {"role":"system","content":"h\\u00e9\\/"},\n '
    )
    turn = b'{"content":"' + QUESTION.encode() + b'","role":"user" , "name":"maya"}'
    proxy.client.post(CHAT, content=before + turn + b" ] }\n", headers=KEY)
    sent = upstream.seen[-1].body
    start = before + turn.partition(b'","role"')[0]
    assert sent.startswith(start + rb"\n\n<memory-context>")
    assert sent.endswith(b'</memory-context>","role":"user" , "name":"maya"} ] }\n')
    assert upstream.seen[-1].header("content-length") == str(len(sent))


def test_a_sessions_own_turns_are_not_put_into_it(proxy: Served, upstream: Upstream, heard: Hearing) -> None:
    upstream.then(Says("Hello."), Says("Noted."))
    history = [user("Let us begin.")]
    post(proxy, CHAT, history)
    heard("Hello.")
    history += [assistant("Hello."), user(FACT)]
    post(proxy, CHAT, history)
    heard("Noted.")
    settle(proxy)
    history += [assistant("Noted."), user(QUESTION)]
    assert "x-thoth-memories" not in post(proxy, CHAT, history).headers
    assert "x-thoth-memories" not in post(proxy, CHAT, history[2:]).headers  # its front is cut off, and it is known again
    assert "x-thoth-memories" in post(proxy, CHAT, [user(QUESTION)]).headers


def test_a_chain_of_responses_is_one_session(proxy: Served, upstream: Upstream, heard: Hearing) -> None:
    upstream.then(Says("Noted.", id="resp_1"), Says("In Lisbon.", id="resp_2"))
    post(proxy, RESPONSES, FACT)
    heard("Noted.")
    settle(proxy)
    assert "x-thoth-memories" not in post(proxy, RESPONSES, QUESTION, previous_response_id="resp_1").headers
    assert {one.session for one in heard("In Lisbon.")} == {heard("In Lisbon.")[0].session}


def test_where_there_is_nothing_to_say_nothing_is_put_in(proxy: Served, upstream: Upstream, heard: Hearing) -> None:
    told(proxy)
    heard("All right.")
    settle(proxy)
    result = {"type": "tool_result", "tool_use_id": "c", "content": QUESTION}
    for path, last in (
        (CHAT, [assistant("?") | {"tool_calls": []}, {"role": "tool", "tool_call_id": "c", "content": QUESTION}]),
        (MESSAGES, [{"role": "user", "content": [result]}]),
        (RESPONSES, [{"type": "function_call_output", "call_id": "c", "output": QUESTION}]),
        (CHAT, [user("ok")]),
        (CHAT, [user("What is the capital of Mongolia?")]),
    ):
        body = json.dumps({"input" if path == RESPONSES else "messages": [user(QUESTION), assistant("Well."), *last]}).encode()
        answer = proxy.client.post(path, content=body, headers=KEY)
        assert "x-thoth-memories" not in answer.headers
        assert upstream.seen[-1].body == body


def test_recall_is_switched_by_header_for_one_request(dsn: str, tmp_path: Path, upstream: Upstream, heard: Hearing) -> None:
    with serving(dsn, tmp_path, **upstream.settings, THOTH_SUBSTRATE_RECALL=False) as served:
        told(served)
        heard("All right.")
        settle(served)
        for switch, expected in (("", False), ("on", True), ("ON", True), ("off", False)):
            answer = post(served, CHAT, [user(QUESTION)], headers={"x-thoth-recall": switch})
            assert ("x-thoth-memories" in answer.headers) is expected
            assert ("memory-context" in upstream.seen[-1].body.decode()) is expected


def test_recall_that_is_on_is_switched_off_for_one_request(proxy: Served, upstream: Upstream, heard: Hearing) -> None:
    told(proxy)
    heard("All right.")
    settle(proxy)
    assert "x-thoth-memories" not in post(proxy, CHAT, [user(QUESTION)], headers={"x-thoth-recall": "off"}).headers
    assert "x-thoth-memories" in post(proxy, CHAT, [user(QUESTION)]).headers


def test_another_tenant_remembers_nothing_of_it(proxy: Served, upstream: Upstream, heard: Hearing) -> None:
    told(proxy)
    heard("All right.")
    settle(proxy)
    assert "x-thoth-memories" not in post(proxy, CHAT, [user(QUESTION)], headers={"x-thoth-tenant": "other"}).headers


def test_of_many_at_once_each_gets_its_own_answer(proxy: Served, upstream: Upstream, heard: Hearing) -> None:
    """faults: a session switched while recall was running; an answer prepared for another question."""
    towns = ("Lisbon", "Porto", "Braga", "Faro")
    for town in towns:
        post(proxy, CHAT, [user(f"My sister Anna moved to {town} in March.")], headers={"x-thoth-tenant": town})
        heard(f"to {town} in")
    settle(proxy)
    upstream.seen.clear()

    def ask(number: int) -> bool:
        town = towns[number % len(towns)]
        asked = [user(f"{QUESTION} (asked in {town})")]
        return "x-thoth-memories" in post(proxy, CHAT, asked, session=f"s{number}", headers={"x-thoth-tenant": town}).headers

    with ThreadPoolExecutor(8) as pool:
        answered = list(pool.map(ask, range(24)))
    assert all(answered)
    for seen in upstream.seen:
        text = seen.json["messages"][0]["content"]
        asked_in = next(town for town in towns if f"asked in {town}" in text)
        assert {town for town in towns if town in text} == {asked_in}
