"""What may stand in a slice: no NUL, no lone surrogate, no block of our own, no megabytes of base64; and its text.

Pure functions over JSON values (str, int, float, bool, None, list, dict with str keys).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

REPLACEMENT = "�"
DEEPEST_LEVEL = 100
_TOO_DEEP = "[nested too deeply]"

_FENCE = re.compile(
    r"(?P<open><|&lt;|\\u003c)[ \t]*(?P<close>\\?/)?[ \t]*memory-context\b[^<>\n]{0,200}?(?:>|&gt;|\\u003e)", re.IGNORECASE
)
_DATA_URL = re.compile(r"data:(?P<type>[\w.+-]+/[\w.+-]+)(?:;[\w=.+-]+)*;base64,(?P<data>[A-Za-z0-9+/_=%-]{24,})")
_NOTE = re.compile(r"\[[\w.+/-]+, \d+ bytes\]")
_QUIET_KEYS = frozenset({"role", "tool_call_id", "tool_use_id", "call_id", "signature", "cache_control"})
_PART_TYPES = frozenset("text input_text output_text message tool_result image image_url input_image base64".split())
_CALL_TYPES = frozenset({"tool_use", "function", "function_call", "tool_call"})


def clean(text: str) -> str:
    """`text` as PostgreSQL and UTF-8 can hold it: surrogate pairs joined, lone ones and NULs replaced by U+FFFD."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\x00", REPLACEMENT)


def each_string(value: Any, change: Callable[[str], str]) -> Any:
    """A copy of a JSON value with `change` applied to every string in it, keys included."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(key): each_string(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [each_string(item, change) for item in value]
    return value


def plain(value: Any, level: int = 0) -> Any:
    """Anything at all as a clean JSON value: what JSON does not know becomes its text, cycles and depths are cut."""
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, int):
        return value if -(1 << 63) <= value < 1 << 64 else str(value)
    if level >= DEEPEST_LEVEL:
        return _TOO_DEEP
    known = value if isinstance(value, dict | list) else foreign(value)
    if isinstance(known, dict):
        return {clean(str(key)): plain(item, level + 1) for key, item in known.items()}
    return [plain(item, level + 1) for item in known] if isinstance(known, list) else plain(known, level + 1)


def foreign(value: Any) -> Any:
    """The nearest JSON value to an object that JSON does not know: a model's fields, bytes' size, else its text."""
    if isinstance(value, bytes | bytearray | memoryview):
        return f"[binary, {len(value)} bytes]"
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset | tuple):
        return list(value)
    dump = getattr(value, "model_dump", None)
    return dump() if callable(dump) and not isinstance(value, type) else str(value)


def without_own_context(text: str) -> str:
    """`text` without any `<memory-context>` block of ours, raw or escaped, nested or cut short.

    Our own words must not be perceived again. An opening fence that nothing closes is taken for a block cut short when it
    stands alone on its line, and for a mere mention otherwise.
    """
    fences = list(_FENCE.finditer(text))
    kept: list[str] = []
    at = index = 0
    while index < len(fences):
        fence = fences[index]
        index += 1
        if fence["close"]:
            continue
        closing = _closing(fences, index, fence["open"].lower())
        if closing is not None:
            kept.append(text[at : fence.start()])
            at, index = fences[closing].end(), closing + 1
        elif _stands_alone(text, fence):
            kept.append(text[at : fence.start()])
            at, index = len(text), len(fences)
    return text if not at else "".join([*kept, text[at:]]).strip()


def without_data_urls(text: str) -> str:
    """`text` with each base64 data URL replaced by a note of its type and size in bytes."""
    return _DATA_URL.sub(lambda found: _media(found["type"], found["data"]), text)


def without_media(value: Any) -> Any:
    """A JSON value with inline images, sounds and files replaced by a note of their type and size."""
    if isinstance(value, str):
        return without_data_urls(value)
    if isinstance(value, list):
        return [without_media(item) for item in value]
    if not isinstance(value, dict):
        return value
    data = value.get("data")
    if isinstance(data, str) and (value.get("type") == "base64" or "format" in value or "mimeType" in value):
        kind = value.get("media_type") or value.get("mimeType") or value.get("format") or "data"
        value = value | {"data": _media(str(kind), data)}
    return {key: without_media(item) for key, item in value.items()}


def text_of(value: Any) -> str:
    """What is searchable of a JSON value: a message's words, its tool calls, else `key: value` lines. Media have none."""
    return "\n".join(line for line in _lines(value, "") if line.strip())


def _closing(fences: list[re.Match[str]], index: int, form: str) -> int | None:
    """The fence that closes a block opened in this form: the balanced one, else the last one there is."""
    depth, last = 1, None
    for number in range(index, len(fences)):
        if fences[number]["open"].lower() != form:
            continue
        if not fences[number]["close"]:
            depth += 1
            continue
        depth, last = depth - 1, number
        if depth == 0:
            break
    return last


def _stands_alone(text: str, fence: re.Match[str]) -> bool:
    before = text[: fence.start()].rstrip(" \t`")
    after = text[fence.end() : fence.end() + 2]
    return (not before or before.endswith(("\n", "\\n"))) and (not after or after.startswith(("\n", "\r", "\\n")))


def _media(kind: str, data: str) -> str:
    return f"[{kind}, {len(data.rstrip('=')) * 3 // 4} bytes]"


def _lines(value: Any, key: str) -> list[str]:
    """Lines of text; `key` is the name under which the value stands, or empty when it needs none."""
    if value is None or (isinstance(value, str) and (not value or _NOTE.fullmatch(value))):
        return []
    if isinstance(value, list):
        return _list_lines(value, key)
    if isinstance(value, dict):
        return _dict_lines(value)
    text = value if isinstance(value, str) else str(value)
    return [f"{key}: {text}" if key else text]


def _list_lines(items: list[Any], key: str) -> list[str]:
    if key and all(isinstance(item, str | int | float) for item in items):
        return [f"{key}: {', '.join(map(str, items))}"] if items else []
    return [line for item in items for line in _lines(item, "")]


def _dict_lines(value: dict[str, Any]) -> list[str]:
    called = value["function"] if isinstance(value.get("function"), dict) else value
    if (called is not value or value.get("type") in _CALL_TYPES) and isinstance(called.get("name"), str):
        return [called["name"], *_lines(called.get("arguments", called.get("input")), "")]
    lines: list[str] = []
    for key, item in value.items():
        if key in _QUIET_KEYS or (key == "type" and item in _PART_TYPES):
            continue
        unnamed = key in ("content", "text", "output", "tool_calls") or isinstance(item, dict)
        lines += _lines(item, "" if unnamed else key)
    return lines
