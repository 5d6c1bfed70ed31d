"""The assistant's reply, read from the bytes that went to the client: one JSON value, or a stream of events.

Read after the answer has gone, whole. A stream that was cut short is read as far as it came.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from thoth_substrate.imports import parts
from thoth_substrate.imports.parts import ToolUse, words
from thoth_substrate.integrations.proxy.dialects import CHAT, MESSAGES, Dialect, chat_calls, response_calls

MOST_BYTES = 64 << 20  # of an answer, once unpacked
READABLE = ("identity", "gzip", "deflate", "x-gzip", "*")  # content codings; what a client may be sent otherwise we cannot read
_UNREADABLE = (ValueError, TypeError, RecursionError, zlib.error)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the assistant said and called. `whole` is False when the answer broke off."""

    text: str = ""
    calls: tuple[ToolUse, ...] = ()
    id: str = ""
    whole: bool = True

    def broken_off(self) -> Reply:
        """The same, when its end did not come."""
        return replace(self, whole=False)


@dataclass(slots=True)
class _Growing:
    """A reply under way. `calls` by their place; arguments come in pieces."""

    texts: list[str] = field(default_factory=list)
    calls: dict[Any, dict[str, Any]] = field(default_factory=dict)
    id: str = ""
    ended: bool = False

    def call(self, place: Any) -> dict[str, Any]:
        return self.calls.setdefault(place, {"id": "", "name": "", "pieces": []})

    def done(self) -> Reply:
        calls = tuple(ToolUse(c["id"], c["name"], "".join(c["pieces"])) for c in self.calls.values() if c["name"])
        return Reply("".join(self.texts).strip("\n"), calls, self.id, self.ended)


def read(dialect: Dialect, raw: bytes, coding: str, kind: str) -> Reply | None:
    """The reply in the body of a good answer, with its content coding and media type; None when there is none to be read."""
    try:
        body = unpacked(raw, coding)
        if kind.startswith("text/event-stream"):
            return _of_stream(dialect, body)
        value = orjson.loads(body)
        return _of_value(dialect, value) if isinstance(value, dict) else None
    except _UNREADABLE:
        return None


def unpacked(raw: bytes, coding: str) -> bytes:
    """The bytes without their coding, as far as they came. Raises ValueError for one that is not known here."""
    coding = coding.strip().lower()
    if coding in ("", "identity"):
        return raw
    if coding not in READABLE:
        raise ValueError(coding)
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(raw, MOST_BYTES)
    except zlib.error:  # deflate without its header, as some servers send it
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(raw, MOST_BYTES)


def events(body: bytes) -> Iterator[dict[str, Any]]:
    """The JSON objects of a stream of server-sent events, in order; comments, `[DONE]` and what is no JSON are left out."""
    lines: list[bytes] = []
    for line in [*body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"), b""]:
        if line.startswith(b"data:"):
            lines.append(line[5:].removeprefix(b" "))
        elif not line and lines:
            data, lines = b"\n".join(lines), []
            if data.startswith(b"{"):
                yield from _object(data)


def _object(data: bytes) -> Iterator[dict[str, Any]]:
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return
    yield value


def _of_value(dialect: Dialect, value: Mapping[str, Any]) -> Reply | None:
    if dialect is CHAT:
        message = _dict(_first(value.get("choices")).get("message"))
        text = parts.split(message.get("content")).text or words(message.get("refusal"))
        return Reply(text, tuple(chat_calls(message)), words(value.get("id")))
    if dialect is MESSAGES:
        found = parts.split(value.get("content"))
        return Reply(found.text, tuple(found.uses), words(value.get("id")))
    return _of_response(value)


def _of_response(value: Mapping[str, Any]) -> Reply:
    items = [item for item in _list(value.get("output")) if isinstance(item, dict)]
    texts = [_said(item) for item in items if item.get("type") == "message"]
    calls = tuple(call for item in items for call in response_calls(item))
    return Reply("\n\n".join(filter(None, texts)), calls, words(value.get("id")), value.get("status") != "in_progress")


def _said(item: Mapping[str, Any]) -> str:
    found = [_dict(part) for part in _list(item.get("content"))]
    return "".join(words(part.get("text")) or words(part.get("refusal")) for part in found)


def _of_stream(dialect: Dialect, body: bytes) -> Reply | None:
    growing, last = _Growing(), None
    if dialect is CHAT:
        growing.ended = b"data: [DONE]" in body[-64:] or b"data:[DONE]" in body[-64:]
    for event in events(body):
        if dialect is CHAT:
            _chat_chunk(growing, event)
        elif dialect is MESSAGES:
            _message_event(growing, event)
        else:
            last = _response_event(growing, event) or last
    return last or growing.done()


def _chat_chunk(growing: _Growing, event: Mapping[str, Any]) -> None:
    growing.id = growing.id or words(event.get("id"))
    choice = _first(event.get("choices"))
    if choice.get("index", 0) != 0:
        return
    growing.ended = growing.ended or bool(choice.get("finish_reason"))
    delta = _dict(choice.get("delta"))
    growing.texts.append(words(delta.get("content")) or words(delta.get("refusal")))
    for place, piece in enumerate(map(_dict, _list(delta.get("tool_calls")))):
        inner = _dict(piece.get("function")) or _dict(piece.get("custom"))
        _grow(growing.call(piece.get("index", place)), piece.get("id"), inner.get("name"), inner)
    old = _dict(delta.get("function_call"))
    if old:
        _grow(growing.call("function_call"), None, old.get("name"), old)


def _grow(call: dict[str, Any], id_: Any, name: Any, inner: Mapping[str, Any]) -> None:
    call["id"] = call["id"] or words(id_)
    call["name"] = call["name"] or words(name)
    call["pieces"].append(words(inner.get("arguments")) or words(inner.get("input")))


def _message_event(growing: _Growing, event: Mapping[str, Any]) -> None:
    kind, block, delta = event.get("type"), _dict(event.get("content_block")), _dict(event.get("delta"))
    if kind == "message_start":
        growing.id = words(_dict(event.get("message")).get("id"))
    elif kind == "content_block_start":
        if block.get("type") == "tool_use":
            call = growing.call(event.get("index"))
            call["id"], call["name"] = words(block.get("id")), words(block.get("name"))
        elif block.get("type") == "text":
            # Between two blocks of text others may stand; apart they are read as paragraphs.
            growing.texts += [*(["\n\n"] if any(growing.texts) else []), words(block.get("text"))]
    elif kind == "content_block_delta":
        growing.texts.append(words(delta.get("text")))
        if isinstance(delta.get("partial_json"), str) and event.get("index") in growing.calls:
            growing.call(event.get("index"))["pieces"].append(delta["partial_json"])
    elif kind == "message_stop":
        growing.ended = True


def _response_event(growing: _Growing, event: Mapping[str, Any]) -> Reply | None:
    """Takes in one event. Answers the reply when the event has all of it."""
    kind, response = words(event.get("type")), _dict(event.get("response"))
    growing.id = growing.id or words(response.get("id"))
    if kind in ("response.output_text.delta", "response.refusal.delta"):
        growing.texts.append(words(event.get("delta")))
    elif kind in ("response.output_text.done", "response.refusal.done"):
        growing.texts.append("\n\n")
    elif kind == "response.output_item.done":
        for call in response_calls(_dict(event.get("item"))):
            made = growing.call(event.get("output_index"))
            made["id"], made["name"] = call.id, call.name
            made["pieces"] = [call.arguments if isinstance(call.arguments, str) else orjson.dumps(call.arguments).decode()]
    elif kind in ("response.completed", "response.incomplete", "response.failed"):
        growing.ended = kind != "response.failed"
        if response.get("output"):
            return _of_response(response)
    return None


def _first(value: Any) -> dict[str, Any]:
    return _dict(value[0]) if isinstance(value, list) and value else {}


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
