"""The reply is the same, however its bytes came."""

from __future__ import annotations

import gzip
import json
import zlib
from typing import Any

import pytest

from tests.integrations.upstream import Answer, Call, Says, Seen, reply_of
from thoth_substrate.integrations.proxy.dialects import CHAT, MESSAGES, RESPONSES, Dialect
from thoth_substrate.integrations.proxy.replies import Reply, read

SAYS = Says("Anna lives in Lisbon – since March.", [Call("weather", {"city": "Lisboa"}), Call("clock", {}, "call_2")])
PATHS = {
    "chat": (CHAT, "/v1/chat/completions"),
    "responses": (RESPONSES, "/v1/responses"),
    "messages": (MESSAGES, "/v1/messages"),
}
EVENTS = "text/event-stream; charset=utf-8"


def sent(path: str, says: Says, *, stream: bool) -> bytes:
    """The bytes of an answer."""
    body = json.dumps({"stream": stream, "model": "m"}).encode()
    answer = reply_of(Seen("POST", path, (), body), says)
    return answer.body if isinstance(answer, Answer) else b"".join(answer.chunks)


def summary(reply: Reply | None) -> Any:
    assert reply is not None
    calls = [(c.id, c.name, json.loads(c.arguments) if isinstance(c.arguments, str) else c.arguments) for c in reply.calls]
    return reply.text, calls, reply.id, reply.whole


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("dialect", "path"), PATHS.values(), ids=PATHS)
def test_words_and_calls_are_read(dialect: Dialect, path: str, stream: bool) -> None:
    kind = EVENTS if stream else "application/json"
    found = read(dialect, sent(path, SAYS, stream=stream), "", kind)
    calls = [("call_1", "weather", {"city": "Lisboa"}), ("call_2", "clock", {})]
    assert summary(found) == (SAYS.text, calls, "scripted_1", True)


@pytest.mark.parametrize(("dialect", "path"), PATHS.values(), ids=PATHS)
def test_a_stream_cut_short_is_read_as_far_as_it_came(dialect: Dialect, path: str) -> None:
    whole = sent(path, Says("one two three four five six seven eight nine"), stream=True)
    found = read(dialect, whole[: len(whole) // 2], "", EVENTS)
    assert found is not None
    assert not found.whole
    assert "one two three four five six seven eight nine".startswith(found.text)


@pytest.mark.parametrize(
    ("coding", "packed"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("deflate", lambda raw: zlib.compress(raw)[2:-4]), ("identity", bytes)],
)
def test_packed_answers_are_unpacked(coding: str, packed: Any) -> None:
    body = sent("/v1/messages", SAYS, stream=True)
    assert summary(read(MESSAGES, packed(body), coding, EVENTS))[0] == SAYS.text


def test_what_cannot_be_read_is_no_reply() -> None:
    assert read(CHAT, b"{}", "br", "application/json") is None
    assert read(CHAT, b"not packed at all", "gzip", "application/json") is None
    assert read(CHAT, b"<html>", "", "text/html") is None
    assert read(CHAT, b"[1]", "", "application/json") is None


@pytest.mark.parametrize("dialect", [CHAT, RESPONSES, MESSAGES], ids=lambda dialect: dialect.name)
@pytest.mark.parametrize(
    "body",
    [b"{}", b'{"choices":[7],"output":[7],"content":{"x":7}}', b'{"choices":{},"output":{},"content":[{"type":"tool_use"}]}'],
)
def test_an_answer_of_another_shape_says_nothing(dialect: Dialect, body: bytes) -> None:
    found = read(dialect, body, "", "application/json")
    assert found is not None
    assert found.text == ""
    assert read(dialect, b": ping\n\ndata: 7\n\ndata: {\n\ndata: " + body + b"\n\n", "", EVENTS) is not None


def test_line_ends_and_comments_of_any_kind_are_events_all_the_same() -> None:
    body = sent("/v1/chat/completions", SAYS, stream=True).replace(b"\n", b"\r\n")
    assert summary(read(CHAT, b": ping\r\n\r\n" + body, "", EVENTS))[0] == SAYS.text


def test_of_several_choices_the_first_is_the_reply() -> None:
    chunks = [{"choices": [{"index": n, "delta": {"content": word}}]} for n, word in ((0, "yes"), (1, "no"), (0, " indeed"))]
    body = b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks)
    found = read(CHAT, body, "", EVENTS)
    assert found is not None
    assert found.text == "yes indeed"


def test_a_refusal_is_what_was_said() -> None:
    found = read(CHAT, b'{"choices":[{"message":{"content":null,"refusal":"I will not."}}]}', "", "application/json")
    assert found is not None
    assert found.text == "I will not."
