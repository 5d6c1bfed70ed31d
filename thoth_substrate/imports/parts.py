"""What a message's content holds: words, tool calls, tool results, pictures. As chat programs and APIs write it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_TEXT = frozenset(("text", "input_text", "output_text", "refusal", "audio_transcription"))
_THINKING = frozenset(("thinking", "redacted_thinking", "reasoning", "thoughts"))
_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call of a tool: `arguments` is any JSON value."""

    id: str
    name: str
    arguments: Any


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered, as text."""

    id: str
    text: str
    failed: bool


@dataclass(slots=True)
class Parts:
    """A message's content taken apart. `attachments` counts pictures, files and what else has no words."""

    texts: list[str] = field(default_factory=list)
    uses: list[ToolUse] = field(default_factory=list)
    results: list[ToolResult] = field(default_factory=list)
    attachments: int = 0
    thinking: int = 0

    @property
    def text(self) -> str:
        return "\n\n".join(text for text in self.texts if text.strip())


def split(content: Any) -> Parts:
    """Take apart a string, an array of parts, or one part."""
    return _split(content, 0)


def _split(content: Any, depth: int) -> Parts:
    found = Parts()
    for part in _flat(content, depth):
        if isinstance(part, str):
            found.texts.append(part)
        elif isinstance(part, dict):
            _take(found, part, depth)
        elif isinstance(part, int | float) and not isinstance(part, bool):
            found.texts.append(str(part))
    return found


def call(name: str, arguments: Any) -> dict[str, Any]:
    """The content of a tool call's event, in the shape that hosts hand over too."""
    return {"type": "tool_use", "name": name or "tool", "input": arguments}


def words(value: Any) -> str:
    """`value` when it is text, else nothing."""
    return value if isinstance(value, str) else ""


def _flat(content: Any, depth: int) -> Iterator[Any]:
    if isinstance(content, list):
        if depth < _DEEPEST:
            for part in content:
                yield from _flat(part, depth + 1)
    else:
        yield content


def _take(found: Parts, part: dict[str, Any], depth: int) -> None:
    kind = words(part.get("type")) or words(part.get("content_type"))
    if kind in _THINKING:
        found.thinking += 1
    elif kind.endswith("tool_use") or kind in ("tool_call", "function_call"):
        found.uses.append(ToolUse(words(part.get("id")), words(part.get("name")), part.get("input", part.get("arguments"))))
    elif kind.endswith("tool_result"):
        inner = _split(part.get("content") if depth < _DEEPEST else None, depth + 1)
        found.results.append(ToolResult(words(part.get("tool_use_id")), inner.text, part.get("is_error") is True))
        found.attachments += inner.attachments
    elif isinstance(part.get("text"), str) and (kind in _TEXT or not kind):
        found.texts.append(part["text"])
    else:
        found.attachments += 1
