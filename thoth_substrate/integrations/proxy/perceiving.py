"""What a request and its answer say, as events: each turn, reply, call and result once, however often it is sent again.

Clients resend their history each time, so only what stands behind the assistant's last turn is new: the assistant's own
turns were perceived from the answers they came in. That can come again too, when a client tries again. So an event's id is a
digest of its words, of the session, of the assistant's turn before it, and of how often the same was said before. It stays
when the client cuts the history's front off, and is another when the same words are said later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import orjson

from thoth_substrate.imports import parts
from thoth_substrate.imports.found import ASSISTANT, TOOL_CALL, TOOL_RESULT, USER
from thoth_substrate.imports.parts import ToolUse
from thoth_substrate.integrations.proxy.dialects import Conversation, Turn
from thoth_substrate.integrations.proxy.replies import Reply
from thoth_substrate.integrations.proxy.sessions import digest, said_by
from thoth_substrate.model.slice import Event
from thoth_substrate.perceive.clean import without_own_context

SOURCE = "proxy"
DEFAULT_STREAM = USER
ID_DIGITS = 40


@dataclass(frozen=True, slots=True)
class Heard:
    """For whom it is perceived, and how. `day`: a conversation may open with the words that another opened with before; on
    the same day they are taken for the same conversation.
    """

    session: str
    day: date
    stream: str = DEFAULT_STREAM
    metadata: Mapping[str, Any] = field(default_factory=dict)


class Exchange:
    """One request and its answer, as events."""

    def __init__(self, conversation: Conversation, heard: Heard) -> None:
        self._conversation, self._heard = conversation, heard
        self._before, self._new = parted(conversation)
        self._anchor = self._anchored()

    def of_request(self) -> list[Event]:
        """The events of what is new in the request, in order: the user's words and the tools' results."""
        tools = {call.id: call.name for turn in self._before for call in turn.calls}
        found: list[Event] = []
        for turn in self._new:
            for result in turn.results:
                tool = turn.name or tools.get(result.id, "")
                key = digest(self._anchor, "result", result.id, bare(result.text))
                found.append(self._event(TOOL_RESULT, result.text, tool, key, tool=tool, failed=result.failed))
            if turn.role == "user":
                key = digest(self._anchor, *self._key(turn))
                found.append(self._event(self._heard.stream, turn.text, turn.name, key, attachments=turn.attachments))
        return [event for event in found if event.content.strip()]

    def of_reply(self, reply: Reply) -> list[Event]:
        """The events of the answer: the assistant's words, and each call of a tool."""
        asked = digest(self._anchor, *(part for turn in self._new for part in self._key(turn)))
        found: list[Event] = []
        if reply.text.strip():
            key = digest(asked, "reply", bare(reply.text))
            found.append(self._event(ASSISTANT, reply.text, "", key, broken_off=not reply.whole))
        for number, call in enumerate(reply.calls):
            content = parts.call(call.name, _arguments(call))
            key = digest(asked, "call", str(number), call.id, repr(content))
            found.append(self._event(TOOL_CALL, content, "", key, tool=call.name, broken_off=not reply.whole))
        return found

    def _anchored(self) -> str:
        """Where the new begins: the session, and the assistant's last turn; without one, the day."""
        before = "\n".join(map(said_by, self._before))
        response = parts.words(self._conversation.body.get("previous_response_id"))
        return digest(self._heard.session, before, response, "" if before or response else self._heard.day.isoformat())

    def _key(self, turn: Turn) -> list[str]:
        """What tells a turn apart from the others behind the same reply."""
        words = bare(turn.text)
        often = self._said_before(turn, words) if words else 0
        return [turn.role, words, str(often), *(part for result in turn.results for part in (result.id, bare(result.text)))]

    def _said_before(self, turn: Turn, words: str) -> int:
        """How many of the user's earlier turns in this history have the same words."""
        place = turn.index or 0
        earlier = (self._conversation.turn(index) for index in range(place))
        return sum(other.role == "user" and bare(other.text) == words for other in earlier)

    def _event(self, stream: str, content: Any, actor: str, key: str, **more: Any) -> Event:
        return Event(
            stream=stream,
            content=content,
            session=self._heard.session,
            actor=actor or None,
            external_id=key[:ID_DIGITS],
            source=SOURCE,
            metadata={**self._heard.metadata, **{name: value for name, value in more.items() if value}},
        )


def parted(conversation: Conversation) -> tuple[list[Turn], list[Turn]]:
    """The assistant's last turn (it may be several entries), and what stands behind it; both the oldest first."""
    before: list[Turn] = []
    new: list[Turn] = []
    for turn in conversation.backwards():
        if turn.role == "assistant":
            before.append(turn)
        elif turn.role != "other" and before:
            break
        elif turn.role != "other":
            new.append(turn)
    return before[::-1], new[::-1]


def bare(text: str) -> str:
    """Words as they are compared: without blocks of ours, however they are spaced."""
    return " ".join((without_own_context(text) if "memory-context" in text else text).split())


def _arguments(call: ToolUse) -> Any:
    """A call's arguments as the value that they are written as, else as they are written."""
    if not isinstance(call.arguments, str):
        return call.arguments
    try:
        return orjson.loads(call.arguments)
    except orjson.JSONDecodeError:
        return call.arguments
