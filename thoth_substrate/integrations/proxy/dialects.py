"""What each API calls a turn. Three dialects, one shape: who speaks, the words, the tools called, what tools answered.

Bodies come from anywhere, so nothing about them is taken for granted: what has not the shape that the API documents is no
turn, and never an error.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson

from thoth_substrate.imports import parts
from thoth_substrate.imports.claude_code import spoken
from thoth_substrate.imports.parts import ToolResult, ToolUse, words

Role = Literal["user", "assistant", "tool", "other"]
# What an item of the Responses API does for the assistant, beside its messages and calls.
_ASSISTANTS_TYPES = frozenset(("reasoning", "compaction", "item_reference"))
_INSTRUCTING = frozenset(("system", "developer"))


@dataclass(frozen=True, slots=True)
class Turn:
    """One entry of a history. `index` is its place; None: the body's input is one string. `text` is what its speaker wrote."""

    index: int | None
    role: Role
    text: str = ""
    name: str = ""
    calls: tuple[ToolUse, ...] = ()
    results: tuple[ToolResult, ...] = ()
    attachments: int = 0


@dataclass(frozen=True, slots=True)
class Dialect:
    """One API: how errors are written, where its turns are, the type of a part that is text, and how to read an entry."""

    name: str
    turns_key: str
    part_type: str
    system_key: str
    read: Callable[[int, Any], Turn]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A request, read. `entries` are its turns as they stand in the body, or the one string that is all of them."""

    dialect: Dialect
    body: Mapping[str, Any]
    entries: list[Any] | str
    _read: dict[int, Turn] = field(default_factory=dict, repr=False)

    @property
    def model(self) -> str:
        return words(self.body.get("model"))

    @property
    def system(self) -> str:
        """The instructions: those of their own field, and those that lead the turns."""
        said = [parts.split(self.body.get(self.dialect.system_key)).text] if self.dialect.system_key else []
        for entry in self.entries if isinstance(self.entries, list) else ():
            if not (isinstance(entry, dict) and entry.get("role") in _INSTRUCTING):
                break
            said.append(parts.split(entry.get("content")).text)
        return "\n\n".join(text for text in said if text)

    def turn(self, index: int) -> Turn:
        """One entry, read; once, since every question goes through them again."""
        found = self._read.get(index)
        if found is None:
            found = self._read[index] = self.dialect.read(index, self.entries[index])
        return found

    def turns(self) -> Iterator[Turn]:
        """Every turn, the oldest first."""
        if isinstance(self.entries, str):
            yield Turn(None, "user", self.entries)
        else:
            yield from map(self.turn, range(len(self.entries)))

    def backwards(self) -> Iterator[Turn]:
        """Every turn, the newest first. What an answer shall begin with (an assistant's turn at the end) is none."""
        if isinstance(self.entries, str):
            yield Turn(None, "user", self.entries)
            return
        beginning = True
        for index in range(len(self.entries) - 1, -1, -1):
            turn = self.turn(index)
            beginning = beginning and turn.role == "assistant" and not turn.calls
            if not beginning:
                yield turn

    def opening(self) -> str:
        """What the user said first."""
        return next((turn.text for turn in self.turns() if turn.role == "user" and turn.text), "")

    def current(self) -> Turn | None:
        """The user's turn that is to be answered; None when a tool's result is, or nothing that has words."""
        for turn in self.backwards():
            if turn.role != "other":
                return turn if turn.role == "user" and turn.text.strip() else None
        return None

    def at_work(self) -> Turn | None:
        """The user's turn that calls of tools are at work for; None when another is to be answered, or it had no words.

        Behind it stand calls and their results alone, and what goes with these: messages without words, as pictures that a
        tool made. A call that the provider answers for itself may end it, when a client lets an answer go on.
        """
        behind: list[Turn] = []  # the assistant's turn that was met last
        called = False
        for turn in self.backwards():
            if turn.role == "assistant":
                if behind and not any(one.results for one in behind):
                    return None  # it began there, with a turn that has no words
                behind, called = [], True
            elif turn.role == "user" and turn.text.strip():
                return turn if called or any(one.results for one in behind) else None
            elif turn.role != "other":
                behind.append(turn)
        return None

    def until(self, turn: Turn) -> Conversation:
        """The request as it was when that turn was its last."""
        if turn.index is None or isinstance(self.entries, str):
            return self
        return Conversation(self.dialect, self.body, self.entries[: turn.index + 1], self._read)

    def is_of_parts(self, turn: Turn) -> bool:
        """Whether a turn is written as parts, and not as one string."""
        return turn.index is not None and isinstance(self.entries, list) and isinstance(self.entries[turn.index]["content"], list)


def conversation(dialect: Dialect, body: bytes) -> Conversation | None:
    """The request in these bytes, or None when they are not what the API documents."""
    read = _json(body)
    if not isinstance(read, dict):
        return None
    entries = read.get(dialect.turns_key)
    return Conversation(dialect, read, entries) if isinstance(entries, (list, str)) else None


def _json(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return _lenient(body)


def _lenient(body: bytes) -> Any:
    """JSON as most upstreams take it: with lone surrogates and NaN. None when it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def of_chat(index: int, entry: Any) -> Turn:
    """An entry of `messages` of chat completions."""
    if not isinstance(entry, dict):
        return Turn(index, "other")
    role, found = entry.get("role"), parts.split(entry.get("content"))
    name = words(entry.get("name"))
    if role == "user":
        return Turn(index, "user", spoken(found.text)[0], name, attachments=found.attachments)
    if role == "assistant":
        return Turn(index, "assistant", found.text or words(entry.get("refusal")), name, tuple(chat_calls(entry)))
    if role in ("tool", "function"):
        result = ToolResult(words(entry.get("tool_call_id")), found.text, failed=False)
        return Turn(index, "tool", name=name, results=(result,), attachments=found.attachments)
    return Turn(index, "other")


def chat_calls(message: Mapping[str, Any]) -> Iterator[ToolUse]:
    """The tools that a message of chat completions calls, those of the old form too."""
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict):
            inner = call.get("function") or call.get("custom")
            if isinstance(inner, dict):
                yield ToolUse(words(call.get("id")), words(inner.get("name")), inner.get("arguments", inner.get("input")))
    old = message.get("function_call")
    if isinstance(old, dict):
        yield ToolUse("", words(old.get("name")), old.get("arguments"))


def of_messages(index: int, entry: Any) -> Turn:
    """An entry of `messages` of Anthropic's API. A user's turn may hold tools' results, words, or both."""
    if not isinstance(entry, dict):
        return Turn(index, "other")
    role, found = entry.get("role"), parts.split(entry.get("content"))
    if role == "assistant":
        return Turn(index, "assistant", found.text, calls=tuple(found.uses))
    if role != "user":
        return Turn(index, "other")
    text = spoken(found.text)[0]
    return Turn(index, "user" if text or not found.results else "tool", text, "", (), tuple(found.results), found.attachments)


def of_responses(index: int, entry: Any) -> Turn:
    """An item of `input` of the Responses API."""
    if not isinstance(entry, dict):
        return Turn(index, "other")
    kind, role = words(entry.get("type")), entry.get("role")
    if kind in ("", "message"):
        found = parts.split(entry.get("content"))
        if role == "user":
            return Turn(index, "user", spoken(found.text)[0], attachments=found.attachments)
        return Turn(index, "assistant" if role == "assistant" else "other", found.text)
    if kind.endswith("_output"):
        given = parts.split(entry.get("output"))
        result = ToolResult(words(entry.get("call_id")), given.text, failed=False)
        return Turn(index, "tool", results=(result,), attachments=given.attachments)
    if kind.endswith("_call"):
        return Turn(index, "assistant", calls=tuple(response_calls(entry)))
    return Turn(index, "assistant" if kind in _ASSISTANTS_TYPES else "other")


def response_calls(item: Mapping[str, Any]) -> Iterator[ToolUse]:
    """The tool of ours that an item of the Responses API calls; what the provider runs for itself is none."""
    kind = words(item.get("type"))
    if kind in ("function_call", "custom_tool_call"):
        yield ToolUse(words(item.get("call_id")), words(item.get("name")), item.get("arguments", item.get("input")))
    elif kind.endswith("shell_call") or kind in ("computer_call", "apply_patch_call"):
        done = next((item[key] for key in ("action", "actions", "operation") if key in item), None)
        yield ToolUse(words(item.get("call_id")), kind.removesuffix("_call"), done)


CHAT = Dialect("chat", "messages", "text", "", of_chat)
RESPONSES = Dialect("responses", "input", "input_text", "instructions", of_responses)
MESSAGES = Dialect("messages", "messages", "text", "system", of_messages)
