"""Talking through the proxy in a test: what clients send, and what somebody said the day before."""

from __future__ import annotations

from typing import Any

import httpx2

from tests.server.serving import Served

CHAT, RESPONSES, MESSAGES = "/v1/chat/completions", "/v1/responses", "/v1/messages"
KEY = {"authorization": "Bearer sk-test"}
FACT = "My sister Anna moved to Lisbon in March and works at the aquarium there."
QUESTION = "Where does my sister Anna live?"
Message = dict[str, Any]


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def assistant(text: str) -> Message:
    return {"role": "assistant", "content": text}


def post(served: Served, path: str, messages: list[Message] | str, *, session: str = "", **more: Any) -> httpx2.Response:
    headers = KEY | ({"x-thoth-session": session} if session else {}) | more.pop("headers", {})
    key = "input" if path == RESPONSES else "messages"
    answer = served.client.post(path, json={"model": "m", key: messages, **more}, headers=headers)
    assert answer.is_success, answer.text
    return answer


def told(served: Served, text: str = FACT, **more: Any) -> None:
    """Somebody said that yesterday, in another session."""
    post(served, CHAT, [user(text)], session="yesterday", **more)


def calls(path: str, number: int) -> list[Message]:
    """An assistant's call of a tool and its result, as a history of that API has them."""
    call, answer = f"call_{number}", f"Ferry {number} leaves at {number}:15."
    if path == RESPONSES:
        made = {"type": "function_call", "call_id": call, "name": "ferries", "arguments": f'{{"day":{number}}}'}
        return [made, {"type": "function_call_output", "call_id": call, "output": answer}]
    if path == MESSAGES:
        use = {"type": "tool_use", "id": call, "name": "ferries", "input": {"day": number}}
        result = {"type": "tool_result", "tool_use_id": call, "content": answer}
        return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    function = {"name": "ferries", "arguments": f'{{"day":{number}}}'}
    asked: Message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call, "type": "function", "function": function}],
    }
    return [asked, {"role": "tool", "tool_call_id": call, "content": answer}]
