"""Telegram's exports (result.json): one chat, or all of them. Messages are built one at a time, never the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from thoth_substrate.imports import ids, records
from thoth_substrate.imports.found import EMPTY, Found, Skipped
from thoth_substrate.imports.source import Source
from thoth_substrate.imports.times import when
from thoth_substrate.model.slice import Event

NAME = "telegram"
TITLE = "Telegram export (result.json)"
STREAM = "thoth.world.user_message.telegram"
_CHATS = frozenset((
    "personal_chat", "bot_chat", "saved_messages", "private_group", "private_supergroup", "public_supergroup", "private_channel",
    "public_channel",
))  # fmt: skip
_SERVICE = "a service message"
_NO_WORDS = "a picture, file or sound without words"


def recognises(record: Mapping[str, Any]) -> bool:
    if record.get("type") in _CHATS and ("messages" in record or "name" in record):
        return True
    chats = record.get("chats")
    return isinstance(chats, dict) and "list" in chats and "about" in record


def read(source: Source) -> Iterator[Found]:
    """Messages in the order of the file, each with the chat it stands in."""
    for number, (chat, value) in enumerate(records.nested(source, "messages", ("name", "type", "id")), 1):
        where = f"message {number}"
        if isinstance(value, Skipped):
            yield Skipped(value.reason, where)
        elif isinstance(value, dict):
            yield _found(chat, value, where)
        else:
            yield Skipped("not an object", where)


def _found(chat: Mapping[str, Any], message: Mapping[str, Any], where: str) -> Found:
    if message.get("type") != "message":
        return Skipped(_SERVICE, where)
    text = _text(message.get("text")) or _text(message.get("text_entities"))
    named = [str(message[name]) for name in ("file_name", "file", "photo") if isinstance(message.get(name), str)]
    if not text.strip():
        return Skipped(_NO_WORDS if named or message.get("media_type") else EMPTY, where)
    name = str(chat.get("name") or "saved messages")[:150]
    key = str(chat.get("id") or ids.digest(name))
    metadata = {"chat": name, "forwarded_from": message.get("forwarded_from"), "reply_to": message.get("reply_to_message_id"),
                "attachments": named[:20]}  # fmt: skip
    return Event(
        stream=STREAM,
        content=text,
        session=f"telegram/{key}",
        actor=str(message.get("from") or message.get("actor") or name)[:150],
        event_time=_time(message),
        external_id=ids.joined(key, message.get("id") or ids.digest(message)),
        source=NAME,
        metadata={label: value for label, value in metadata.items() if value},
    )


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "".join(
            part if isinstance(part, str) else _text(part.get("text")) for part in value if isinstance(part, str | dict)
        )
    return value if isinstance(value, str) else ""


def _time(message: Mapping[str, Any]) -> datetime | None:
    """The epoch where it stands: the date beside it is by the exporting machine's clock, without its zone."""
    epoch = when(message.get("date_unixtime"))
    return epoch.replace(tzinfo=UTC) if epoch is not None else when(message.get("date"))
