"""Messages as JSON, one object a line or one array of them, under the names that most programs use.

| field   | also read as                                                                                |
|---------|---------------------------------------------------------------------------------------------|
| role    | type, or a speaker that is called user, assistant, tool, …                                  |
| content | text, message, body: a string, or an array of parts                                         |
| time    | timestamp, created_at, create_time, date, datetime, ts, event_time, sent_at                 |
| session | session_id, sessionId, conversation_id, conversationId, conversation, thread_id, thread, chat_id |
| actor   | speaker, name, author, sender, from, username, user                                         |
| id      | uuid, message_id, msg_id                                                                    |
| stream  | channel: cli, telegram, discord, slack, whatsapp, signal or acp                             |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from thoth_substrate.imports import ids, parts, records
from thoth_substrate.imports.found import (
    ASSISTANT,
    EMPTY,
    SYSTEM_MESSAGE,
    THINKING,
    TOOL_CALL,
    TOOL_RESULT,
    Found,
    Skipped,
    user_stream,
)
from thoth_substrate.imports.parts import words
from thoth_substrate.imports.records import Record
from thoth_substrate.imports.source import Source
from thoth_substrate.imports.times import when
from thoth_substrate.model.slice import Event

NAME = "jsonl"
TITLE = "messages as JSONL (role, content, time, session, actor)"

_CONTENT = ("content", "text", "message", "body")
_TIME = ("time", "timestamp", "created_at", "create_time", "date", "datetime", "ts", "event_time", "sent_at")
_SESSION = ("session", "session_id", "sessionId", "conversation_id", "conversationId", "conversation", "thread_id",
            "thread", "chat_id")  # fmt: skip
_ACTOR = ("actor", "speaker", "name", "author", "sender", "from", "username", "user")
_ID = ("id", "uuid", "message_id", "msg_id")
_ROLES = {
    **dict.fromkeys(("user", "human", "customer", "person", "prompter"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "model", "gpt", "agent", "chatbot"), "assistant"),
    **dict.fromkeys(("tool_call", "function_call", "tool_use"), "call"),
    **dict.fromkeys(("tool", "function", "tool_result", "function_result", "observation"), "result"),
    **dict.fromkeys(("system", "developer", "platform"), "system"),
}
_NO_WORDS = "a picture, file or sound without words"
LONGEST_NAME_CHARS = 200


def recognises(record: Mapping[str, Any]) -> bool:
    return any(name in record for name in (*_CONTENT, "tool_calls"))


def read(source: Source) -> Iterator[Found]:
    """Messages in the order of the file. One without a time is dated like the one before it; without any, now."""
    is_array = source.head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    messages = _Messages()
    for record in records.of_document(source, "message") if is_array else records.of_lines(source):
        if isinstance(record, Skipped):
            yield record
        else:
            yield from messages.take(record)


class _Messages:
    """What must be known of earlier messages to read the next: the last time, and a name for the session."""

    def __init__(self) -> None:
        self._time: datetime | None = None
        self._session = ""

    def take(self, record: Record) -> Iterator[Found]:
        value = _unwrapped(record.value)
        digest = ids.digest(record.value)
        self._session = self._session or f"jsonl-{digest}"
        self._time = _first_time(value) or self._time
        session = _name(value, _SESSION) or self._session
        key = (session, _name(value, _ID) or str(record.number), digest)
        message = _Message(value, session, self._time, key, *_who(value))
        if message.role == "system":
            yield Skipped(SYSTEM_MESSAGE, record.where)
        else:
            for found in message.events():
                yield Skipped(found, record.where) if isinstance(found, str) else found


@dataclass(frozen=True, slots=True)
class _Message:
    """One message: `key` is what its external ids are made of, `role` one of the kinds in _ROLES, or nothing."""

    value: Mapping[str, Any]
    session: str
    time: datetime | None
    key: tuple[str, str, str]
    role: str
    actor: str

    def events(self) -> Iterator[Event | str]:
        """Its events, and the reason when something of it, or all, is left out."""
        content = next((self.value[name] for name in _CONTENT if self.value.get(name) is not None), None)
        if self.role == "call" and isinstance(content, dict) and "type" not in content:
            yield self._event(0, TOOL_CALL, content, "assistant", tool=_tool(self.value))
            return
        found = parts.split(content)
        if found.text:
            yield self._said(found)
        uses = [*found.uses, *_called(self.value)]
        for n, use in enumerate(uses, 1):
            yield self._event(n, TOOL_CALL, parts.call(use.name, use.arguments), "assistant", tool=use.name)
        for n, result in enumerate(found.results, 1 + len(uses)):
            yield self._event(n, TOOL_RESULT, result.text, "tool") if result.text.strip() else EMPTY
        if found.thinking:
            yield THINKING
        elif not (found.text or uses or found.results):
            yield _NO_WORDS if found.attachments else EMPTY

    def _said(self, found: parts.Parts) -> Event:
        tool = _tool(self.value) if self.role in ("call", "result") else ""
        stream, actor = {
            "assistant": (ASSISTANT, "assistant"),
            "call": (TOOL_CALL, "assistant"),
            "result": (TOOL_RESULT, tool or "tool"),
        }.get(self.role, (user_stream(self.value.get("stream") or self.value.get("channel")), "user"))
        return self._event(0, stream, found.text, actor, tool=tool, attachments=found.attachments)

    def _event(self, n: int, stream: str, content: Any, actor: str, **metadata: Any) -> Event:
        marks = {"id": _name(self.value, _ID)} | metadata
        return Event(
            stream=stream,
            content=content,
            session=self.session,
            actor=self.actor or actor,
            event_time=self.time,
            external_id=ids.joined(*self.key, *([n] if n else [])),
            source=NAME,
            metadata={name: value for name, value in marks.items() if value},
        )


def _unwrapped(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message that lies inside its record, as in {"timestamp": …, "message": {"role": …, "content": …}}."""
    inner = value.get("message")
    return {**value, "message": None, **inner} if isinstance(inner, dict) else value


def _who(value: Mapping[str, Any]) -> tuple[str, str]:
    """The kind of role (user, assistant, call, result, system, or nothing that is known) and the name, if any."""
    author = value.get("author")
    if isinstance(author, dict):
        value = {**value, "author": author.get("name"), "role": value.get("role") or author.get("role")}
    name = _name(value, _ACTOR)
    given = words(value.get("role")) or words(value.get("type"))
    role = _ROLES.get(given.casefold(), "")
    if role:
        return role, name
    if not given and name.casefold() in _ROLES:
        return _ROLES[name.casefold()], ""
    return "", name or words(value.get("role"))[:LONGEST_NAME_CHARS]


def _name(value: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    """The first of `keys` that holds a name or a number."""
    for key in keys:
        found = value.get(key)
        if isinstance(found, str | int | float) and not isinstance(found, bool) and str(found).strip():
            return str(found).strip()[:LONGEST_NAME_CHARS]
    return ""


def _tool(value: Mapping[str, Any]) -> str:
    return _name(value, ("tool", "tool_name", "name"))


def _first_time(value: Mapping[str, Any]) -> datetime | None:
    return next((found for key in _TIME if (found := when(value.get(key))) is not None), None)


def _called(value: Mapping[str, Any]) -> Iterator[parts.ToolUse]:
    """Calls as OpenAI's API writes them, beside the content."""
    calls = value.get("tool_calls")
    for call in [*(calls if isinstance(calls, list) else []), {"function": value.get("function_call")}]:
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            yield parts.ToolUse(words(call.get("id")), words(function.get("name")), _arguments(function.get("arguments")))


def _arguments(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    try:
        return orjson.loads(given)
    except orjson.JSONDecodeError:
        return given
