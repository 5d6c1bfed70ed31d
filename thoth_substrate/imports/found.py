"""What readers hand over: events, and what was left out and why. And the streams that imported events go to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from thoth_substrate.imports.source import Source
from thoth_substrate.model.slice import Event

_USER_MESSAGE = "thoth.world.user_message."
CHANNELS = ("cli", "telegram", "discord", "slack", "whatsapp", "signal", "acp")
USER = _USER_MESSAGE + "cli"
ASSISTANT = "thoth.self_action.assistant_response"
TOOL_CALL = "thoth.self_action.tool_call"
TOOL_RESULT = "thoth.self_action.tool_result"
SUBAGENT_SPAWN = "thoth.self_action.subagent_spawn"
SUBAGENT_RETURN = "thoth.self_action.subagent_return"


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something in a file that became no event. `reason` is one of few fixed phrases, `where` a place for a person."""

    reason: str
    where: str


Found = Event | Skipped

EMPTY = "nothing said in it"
THINKING = "the model's thinking"
SYSTEM_MESSAGE = "system message"


class Reader(Protocol):
    """A module that knows one format. Reading streams, never raises for what a file holds, and is deterministic."""

    NAME: str
    TITLE: str

    def read(self, source: Source) -> Iterator[Found]: ...


class RecordReader(Reader, Protocol):
    """One whose files hold JSON objects, told by their keys."""

    def recognises(self, record: Mapping[str, Any]) -> bool: ...


class HeadReader(Reader, Protocol):
    """One whose files are told by how they begin."""

    def recognises_head(self, head: bytes) -> bool: ...


def user_stream(channel: object) -> str:
    """The stream of somebody's words: by a channel's short or full name, the command line's when it is unknown."""
    name = channel.removeprefix(_USER_MESSAGE).casefold() if isinstance(channel, str) else ""
    return _USER_MESSAGE + (name if name in CHANNELS else "cli")
