"""ChatGPT's data export: conversations.json (or the zip it comes in), an array of conversations, each a tree of messages.

Taken is the path from the root to `current_node`: the conversation as it stands in the program. Messages that were edited
or generated again lie on other branches; they are what the user replaced, and are skipped and counted. A conversation is
held in memory while it is read, never the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from thoth_substrate.imports import ids, parts, records
from thoth_substrate.imports.found import (
    ASSISTANT,
    EMPTY,
    SYSTEM_MESSAGE,
    THINKING,
    TOOL_CALL,
    TOOL_RESULT,
    USER,
    Found,
    Skipped,
)
from thoth_substrate.imports.parts import words
from thoth_substrate.imports.records import Record
from thoth_substrate.imports.source import Source
from thoth_substrate.imports.times import when
from thoth_substrate.model.slice import Event

NAME = "chatgpt"
TITLE = "ChatGPT export (conversations.json, or the zip)"

LONGEST_TITLE_CHARS = 200
_CITATION = re.compile("\ue200[^\ue201]{0,500}\ue201|[\ue200-\ue2ff]")
_OTHER_BRANCH = "on a branch that was replaced"
_HIDDEN = "hidden from the conversation"
_INSTRUCTIONS = "custom instructions"
_NO_TREE = "no tree of messages in it"
_NO_WORDS = "a picture, file or sound without words"


def recognises(record: Mapping[str, Any]) -> bool:
    return isinstance(record.get("mapping"), dict)


def read(source: Source) -> Iterator[Found]:
    """Events and what was skipped, conversation by conversation, each in the order it was held."""
    for record in records.of_document(source, "conversation"):
        if isinstance(record, Skipped):
            yield record
        else:
            yield from _conversation(record)


@dataclass(slots=True)
class _Talk:
    """One conversation while it is read: `time` is the last message's that had one."""

    id: str
    title: str
    where: str
    time: datetime | None


def _conversation(record: Record) -> Iterator[Found]:
    value = record.value
    mapping = value.get("mapping")
    if not isinstance(mapping, dict):
        yield Skipped(_NO_TREE, record.where)
        return
    known = words(value.get("conversation_id")) or words(value.get("id"))
    talk = _Talk(
        id=ids.joined(known or ids.digest(words(value.get("title")) + str(value.get("create_time")))),
        title=words(value.get("title"))[:LONGEST_TITLE_CHARS],
        where=record.where,
        time=when(value.get("create_time")),
    )
    path = _path(mapping, value.get("current_node"))
    for key in path:
        message = _message(mapping[key])
        if message is not None:
            yield _found(talk, key, message)
    taken = set(path)
    for key, node in mapping.items():
        if key not in taken and _message(node) is not None:
            yield Skipped(_OTHER_BRANCH, f"{talk.where}, message {key}")


def _path(mapping: Mapping[str, Any], current: Any) -> list[str]:
    """Keys from the root to the current message, or to the newest leaf when the export does not say."""
    at = current if isinstance(current, str) and current in mapping else _newest_leaf(mapping)
    path: dict[str, None] = {}
    while isinstance(at, str) and at in mapping and at not in path:
        path[at] = None
        node = mapping[at]
        at = node.get("parent") if isinstance(node, dict) else None
    return list(reversed(path))


def _newest_leaf(mapping: Mapping[str, Any]) -> str | None:
    newest, newest_time = None, -1.0
    for key, node in mapping.items():
        if not isinstance(node, dict) or node.get("children"):
            continue
        message = _message(node) or {}
        time = message.get("create_time")
        seconds = float(time) if isinstance(time, int | float) else 0.0
        if seconds >= newest_time:
            newest, newest_time = key, seconds
    return newest


def _message(node: Any) -> Mapping[str, Any] | None:
    message = node.get("message") if isinstance(node, dict) else None
    return message if isinstance(message, dict) else None


def _found(talk: _Talk, key: str, message: Mapping[str, Any]) -> Found:
    where = f"{talk.where}, message {key}"
    talk.time = when(message.get("create_time")) or talk.time
    author = message.get("author")
    author = author if isinstance(author, dict) else {}
    content = message.get("content")
    content = content if isinstance(content, dict) else {"parts": [content]}
    role, kind = words(author.get("role")), words(content.get("content_type"))
    if (reason := _unwanted(role, kind, message)) is not None:
        return Skipped(reason, where)
    text, attachments = _text(content)
    if not text.strip():
        return Skipped(_NO_WORDS if attachments else EMPTY, where)
    recipient = words(message.get("recipient")) or "all"
    metadata = {"title": talk.title, "model": _model(message), "attachments": attachments}
    stream, actor, body = _placed(role, words(author.get("name")), recipient, text)
    if stream in (TOOL_CALL, TOOL_RESULT):
        metadata["tool"] = recipient if stream == TOOL_CALL else actor
    return Event(
        stream=stream,
        content=body,
        session=talk.id,
        actor=actor,
        event_time=talk.time,
        external_id=ids.joined(talk.id, words(message.get("id")) or key),
        source=NAME,
        metadata={name: value for name, value in metadata.items() if value},
    )


def _unwanted(role: str, kind: str, message: Mapping[str, Any]) -> str | None:
    metadata = message.get("metadata")
    hidden = isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation") is True
    if kind in ("user_editable_context", "model_editable_context"):
        return _INSTRUCTIONS
    if role == "system":
        return SYSTEM_MESSAGE
    if kind in ("thoughts", "reasoning_recap"):
        return THINKING
    if hidden or (message.get("weight") == 0 and message.get("weight") is not False):
        return _HIDDEN
    return None


def _placed(role: str, name: str, recipient: str, text: str) -> tuple[str, str, Any]:
    """Stream, actor and content of a message. What the assistant says to a tool is a call of it."""
    if role == "assistant" and recipient not in ("all", "user"):
        return TOOL_CALL, "assistant", parts.call(recipient, text)
    if role == "assistant":
        return ASSISTANT, "assistant", text
    if role == "tool":
        return TOOL_RESULT, name or "tool", text
    return USER, name or role or "user", text


def _text(content: Mapping[str, Any]) -> tuple[str, int]:
    """The words of a content of any kind, and how many attachments it has."""
    found = parts.split(content.get("parts"))
    pieces = [found.text, words(content.get("text")), words(content.get("result"))]
    text = "\n\n".join(piece for piece in pieces if piece.strip())
    if words(content.get("content_type")) == "tether_quote":
        heading = words(content.get("title")) or words(content.get("domain"))
        text = f"{heading}: {text}" if heading and text else text
    return _CITATION.sub("", text), found.attachments


def _model(message: Mapping[str, Any]) -> str:
    metadata = message.get("metadata")
    return words(metadata.get("model_slug")) if isinstance(metadata, dict) else ""
