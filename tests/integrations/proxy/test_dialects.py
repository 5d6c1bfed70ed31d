"""What each API's body says, whatever shape it has."""

from __future__ import annotations

import json
from typing import Any

import pytest

from thoth_substrate.integrations.proxy.dialects import CHAT, MESSAGES, RESPONSES, Conversation, Dialect, conversation


def read(dialect: Dialect, **body: Any) -> Conversation:
    found = conversation(dialect, json.dumps(body).encode())
    assert found is not None
    return found


def test_the_current_turn_is_what_the_user_said_last() -> None:
    history = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}, {"role": "user", "content": "three"}]
    for dialect in (CHAT, MESSAGES):
        current = read(dialect, messages=history).current()
        assert current is not None
        assert (current.index, current.text) == (2, "three")
    current = read(RESPONSES, input=history).current()
    assert current is not None
    assert current.text == "three"
    current = read(RESPONSES, input="all of it").current()
    assert current is not None
    assert (current.index, current.text) == (None, "all of it")


def test_parts_are_read_for_their_words_and_pictures_counted() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    current = read(CHAT, messages=[{"role": "user", "content": [picture, {"type": "text", "text": "What is it?"}]}]).current()
    assert current is not None
    assert (current.text, current.attachments) == ("What is it?", 1)
    given = [{"role": "user", "content": [{"type": "input_text", "text": "And"}, {"type": "input_image", "image_url": "x"}]}]
    current = read(RESPONSES, input=given).current()
    assert current is not None
    assert (current.text, current.attachments) == ("And", 1)


@pytest.mark.parametrize(
    ("dialect", "key", "last"),
    [
        (CHAT, "messages", {"role": "tool", "tool_call_id": "c", "content": "21 °C"}),
        (CHAT, "messages", {"role": "function", "name": "weather", "content": "21 °C"}),
        (MESSAGES, "messages", {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "21 °C"}]}),
        (RESPONSES, "input", {"type": "function_call_output", "call_id": "c", "output": "21 °C"}),
        (CHAT, "messages", {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x/y.png"}}]}),
        (CHAT, "messages", {"role": "user", "content": "  \n"}),
        (CHAT, "messages", {"role": "user", "content": None}),
        (MESSAGES, "messages", {"role": "user", "content": "<system-reminder>Mind the list.</system-reminder>"}),
    ],
)
def test_a_turn_without_the_users_words_is_not_answered_from_memory(dialect: Dialect, key: str, last: dict[str, Any]) -> None:
    assert read(dialect, **{key: [{"role": "user", "content": "the weather?"}, {"role": "assistant"}, last]}).current() is None


def test_what_stands_behind_the_users_turn_and_is_no_turn_is_looked_past() -> None:
    for behind in ({"role": "system", "content": "be brief"}, {"role": "assistant", "content": "{"}, {"role": "narrator"}, 7):
        current = read(CHAT, messages=[{"role": "user", "content": "hello there"}, behind]).current()
        assert current is not None
        assert current.index == 0


def test_a_result_beside_words_is_both() -> None:
    content = [{"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "done"}]}, "Thanks, and now?"]
    current = read(MESSAGES, messages=[{"role": "user", "content": content}]).current()
    assert current is not None
    assert (current.text, current.results[0].text) == ("Thanks, and now?", "done")


def test_tools_are_at_work_for_the_turn_that_the_loop_began_with() -> None:
    asked = {"role": "user", "content": "the weather?"}
    call = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "weather", "arguments": "{}"}}]}
    result = {"role": "tool", "tool_call_id": "c", "content": "21 °C"}
    picture = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x/y.png"}}]}
    before = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
    for behind in (
        [call, result],
        [call, result, call, result, result],
        [call, result, {"role": "assistant", "content": "Let me look."}, call, result],
        [call, result, picture],  # what a tool drew, which a result cannot hold
        [call, result, {"role": "developer", "content": "Be quick."}],
        [call, result, {"role": "assistant", "content": "{"}],
        [call],  # the provider's own tools: the client lets the answer go on
    ):
        found = read(CHAT, messages=[*before, asked, *behind])
        at_work = found.at_work()
        assert found.current() is None
        assert at_work is not None
        assert at_work.index == 2
    for turns in (
        [*before, picture],
        [*before, picture, call, result],
        [asked, picture],
        [asked, call, result, {"role": "assistant", "content": "21 °C."}, picture],
        [call, result],
        [],
    ):
        found = read(CHAT, messages=turns)
        assert (found.current(), found.at_work()) == (None, None)
    assert read(RESPONSES, input="all of it").at_work() is None


def test_items_of_a_loop_of_the_responses_api_are_looked_past() -> None:
    call = [{"type": "reasoning", "summary": []}, {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}]
    result = {"type": "function_call_output", "call_id": "c", "output": "21 °C"}
    at_work = read(RESPONSES, input=[{"role": "user", "content": "rain?"}, *call, result, *call, result, result]).at_work()
    assert at_work is not None
    assert at_work.index == 0
    assert read(RESPONSES, input=[result], previous_response_id="resp_1").at_work() is None


def test_calls_are_read_from_every_form() -> None:
    weather = {"name": "weather", "arguments": "{}"}
    old = {"role": "assistant", "function_call": weather}
    calls = [
        {"id": "c", "type": "function", "function": weather},
        {"id": "d", "type": "custom", "custom": {"name": "sh", "input": "ls"}},
    ]
    turns = list(read(CHAT, messages=[old, {"role": "assistant", "tool_calls": calls}]).turns())
    assert [[call.name for call in turn.calls] for turn in turns] == [["weather"], ["weather", "sh"]]
    items = [
        {"type": "reasoning", "summary": []},
        {"type": "function_call", "call_id": "c", **weather},
        {"type": "web_search_call", "id": "w"},
        {"type": "local_shell_call", "call_id": "s", "action": {"command": ["ls"]}},
    ]
    turns = list(read(RESPONSES, input=items).turns())
    assert {turn.role for turn in turns} == {"assistant"}
    assert [call.name for turn in turns for call in turn.calls] == ["weather", "local_shell"]


def test_the_system_prompt_is_found_where_each_api_has_it() -> None:
    user = {"role": "user", "content": "hi"}
    leading = [{"role": "developer", "content": "a"}, {"role": "system", "content": [{"type": "text", "text": "b"}]}, user]
    assert read(CHAT, messages=leading).system == "a\n\nb"
    assert read(MESSAGES, system=[{"type": "text", "text": "a"}], messages=[user]).system == "a"
    assert read(RESPONSES, instructions="a", input=[{"role": "developer", "content": "b"}, user]).system == "a\n\nb"


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"messages":7}', b"\xff", b'{"messages":[' + b"[" * 5000, b"null"])
def test_what_the_api_does_not_document_is_no_conversation(body: bytes) -> None:
    assert conversation(CHAT, body) is None


def test_a_lone_surrogate_is_read() -> None:
    found = conversation(CHAT, b'{"messages":[{"role":"user","content":"half \\ud83d of it"}]}')
    assert found is not None
    current = found.current()
    assert current is not None
    assert current.text == "half \ud83d of it"
