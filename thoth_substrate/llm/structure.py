"""Reading what a model wrote as what was asked for: JSON found, mended, and validated item by item.

Pure. One bad item never discards its neighbours, and a reply of which nothing is left is a failure, never an empty result.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import json_repair
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

M = TypeVar("M", bound=BaseModel)

MOST_CHARS = 400_000
MOST_DEPTH = 60
MOST_ROUNDS = 8  # of validating what is left
MOST_PIECES = 8
MOST_VALUES = 500
_MARKS = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[{}\[\],]', re.DOTALL)  # a string as a whole, or a bracket or comma outside
_GONE: Any = object()
_FENCE = re.compile(r"```[ \t]*[\w-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL)
_SURROGATE = re.compile("[\x00\ud800-\udfff]")
_WRAPPERS = ("arguments", "parameters", "result", "response", "output", "properties", "data", "json", "answer")


@dataclass(frozen=True, slots=True)
class Read(Generic[M]):
    """What could be read. `dropped` items were lost, `mended` says whether anything had to be repaired.

    Without a value, `problem` says what kind of failure it was; it never holds content.
    """

    value: M | None
    dropped: int = 0
    mended: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Parsed:
    data: Any
    dropped: int = 0
    mended: bool = False


def read_reply(reply: type[M], text: str) -> Read[M]:
    """`text` as a `reply`. Of several pieces of JSON in it the one that fits best is taken. Never raises."""
    if not text.strip():
        return Read(None, problem="the reply is empty")
    if len(text) > MOST_CHARS:
        return Read(None, problem=f"the reply is longer than {MOST_CHARS} characters")
    best: Read[M] = Read(None, problem="there is no JSON in the reply")
    for candidate in _candidates(text):
        parsed = _parse(candidate)
        if parsed is None:
            continue
        found = _fit(reply, parsed)
        if found.value is not None and not found.dropped:
            return found
        if best.value is None or (found.value is not None and found.dropped < best.dropped):
            best = found
    return best


def clean(value: Any) -> Any:
    """The value with no NUL and no lone surrogate in any text: what a database and UTF-8 take."""
    if isinstance(value, str):
        joined = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _SURROGATE.search(value) else value
        return joined.replace("\x00", "\ufffd")
    if isinstance(value, dict):
        return {clean(key): clean(inner) for key, inner in value.items()}
    return [clean(inner) for inner in value] if isinstance(value, list) else value


def _candidates(text: str) -> Iterator[str]:
    """Pieces of the text that may be the JSON, likeliest first."""
    spoken = _THOUGHT.sub("", text).strip().lstrip("\ufeff")
    for said in dict.fromkeys((spoken, text.strip())):
        quoted = _loaded(said) if said[:1] == '"' else None
        if isinstance(quoted, str):
            yield quoted.strip()
        if said[:1] in ("{", "["):
            yield said
        yield from (block.strip() for block in reversed(_FENCE.findall(said)[-MOST_PIECES:]))
        starts = [match.start() for match in re.finditer(r"[{\[]", said)]
        yield from (said[start:] for start in starts[:1] if start)
        yield from (said[start:] for start in [s for s in starts[1:] if said[s - 1] in "\n]>"][-MOST_PIECES:])


def _parse(text: str) -> _Parsed | None:
    """The JSON at the beginning of `text`, mended where needed; None when there is none."""
    scanned = _scan(text)
    if scanned is None:
        return None
    first = _loaded(text[: scanned.end]) if scanned.whole else None
    if first is not None:
        rest = _sequence(text[scanned.end :])
        return _Parsed(clean([first, *rest] if rest else first), mended=bool(text[scanned.end :].strip()))
    if scanned.whole:
        return _repaired(text, dropped=0)
    # Truncated: what is unfinished may say the opposite of what it was going to say.
    return _repaired(scanned.finished, dropped=1) if scanned.finished is not None else None


def _loaded(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except ValueError:
        return None


def _repaired(text: str, dropped: int) -> _Parsed | None:
    try:
        data = json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None
    return _Parsed(clean(data), dropped, True) if isinstance(data, dict | list) and data else None


def _sequence(text: str) -> list[Any]:
    """Further values, one after the other, with nothing but blanks, commas and newlines between them."""
    values: list[Any] = []
    while len(values) < MOST_VALUES:
        text = text.lstrip(", \t\r\n")
        scanned = _scan(text)
        value = _loaded(text[: scanned.end]) if scanned and scanned.whole else None
        if scanned is None or value is None:
            break
        values.append(value)
        text = text[scanned.end :]
    return values


@dataclass(frozen=True, slots=True)
class _Scanned:
    """How far the value at the beginning of a text goes. When it has no end, `finished` is the text up to its last finished
    item, closed; None when there is no such item."""

    end: int
    whole: bool
    finished: str | None = None


def _scan(text: str) -> _Scanned | None:
    """Follow brackets and strings to the end. None for what begins with no bracket, or nests too deep."""
    if text[:1] not in ("{", "["):
        return None
    stack: list[str] = []
    finished: tuple[int, str] | None = None
    for found in _MARKS.finditer(text):
        mark, at = found[0], found.start()
        if mark in ("{", "["):
            stack.append("}" if mark == "{" else "]")
            if len(stack) > MOST_DEPTH:
                return None
        elif mark in ("}", "]"):
            stack.pop()
            if not stack:
                return _Scanned(at + 1, True)
            if stack[-1] == "]":
                finished = at + 1, "".join(reversed(stack))
        elif mark == "," and (stack[-1] == "]" or len(stack) == 1):
            finished = at, "".join(reversed(stack))
    return _Scanned(len(text), False, text[: finished[0]] + finished[1] if finished else None)


def _fit(reply: type[M], parsed: _Parsed) -> Read[M]:
    """What was parsed, as a `reply`: its shape mended, and what cannot be validated taken out, item by item."""
    bracketed = parsed.mended and isinstance(parsed.data, list) and not any(isinstance(one, dict) for one in parsed.data)
    data = None if bracketed else _shaped(reply, parsed.data)  # [a remark] is no list of texts
    if data is None:
        return Read(None, problem="the reply is not in the shape that was asked for")
    asked = _items(data)
    dropped = parsed.dropped
    for _ in range(MOST_ROUNDS):
        try:
            value = reply.model_validate(data)
        except ValidationError as error:
            lost, data = _without(data, error.errors(include_url=False, include_context=False))
            dropped += lost
            if data is None:
                return Read(None, problem=f"the reply does not fit: {_kind(error)}")
            continue
        if dropped and not _items(data):
            return Read(None, dropped, problem=f"nothing of the reply fits: {dropped} of {max(asked, dropped)} items dropped")
        return Read(value, dropped, parsed.mended)
    return Read(None, problem="the reply does not fit")


def _shaped(reply: type[BaseModel], data: Any) -> dict[str, Any] | None:
    """The object that was asked for, out of the wrappers and lists that models put it in; None when it is not there."""
    fields = reply.model_fields
    for _ in range(4):
        if isinstance(data, str):
            data = _loaded(data)
        if isinstance(data, list):
            data = _of_list(reply, data)
        if not isinstance(data, dict):
            return None
        named = _renamed(data, fields)
        if named.keys() & fields.keys():
            return named
        data = next((named[key] for key in _WRAPPERS if key in named), next(iter(named.values())) if len(named) == 1 else None)
    return None


def _of_list(reply: type[BaseModel], data: list[Any]) -> Any:
    """A list where an object was asked for: pieces of it are put together; bare items become its one list."""
    fields = reply.model_fields
    objects = [_renamed(item, fields) for item in data if isinstance(item, dict)]
    pieces = [item for item in objects if item.keys() & fields.keys()]
    lists = [name for name, info in fields.items() if "list[" in str(info.annotation) or "tuple[" in str(info.annotation)]
    if len(lists) == 1 and data and not any(lists[0] in piece for piece in pieces):
        return {lists[0]: data}
    whole: dict[str, Any] = {}
    for piece in pieces:
        for name, value in piece.items():
            known = whole.get(name)
            whole[name] = [*known, *value] if isinstance(known, list) and isinstance(value, list) else value
    return whole or (data[0] if len(data) == 1 else None)


def _renamed(data: dict[str, Any], fields: Iterable[str]) -> dict[str, Any]:
    """The object with `Valid From` or `validFrom` as the `valid_from` that was asked for."""
    plain = {re.sub(r"[^a-z0-9]", "", name.lower()): name for name in fields}
    named = {plain.get(re.sub(r"[^a-z0-9]", "", str(key).lower()), str(key)): value for key, value in data.items()}
    return named if len(named) == len(data) else data


def _without(data: dict[str, Any], errors: Sequence[ErrorDetails]) -> tuple[int, dict[str, Any] | None]:
    """The data without what is wrong, and how many items that cost; None for data that cannot do without it.

    A number where a text belongs becomes one, and a single value where a list belongs a list: that costs nothing.
    """
    lost = 0
    for error in errors:
        path = _path(data, error["loc"])
        if path and _coerced(*path[-1], error["type"]):
            continue
        items = [place for place in path if isinstance(place[1], int)]
        if not items and (not path or error["type"] == "missing"):
            return 0, None
        container, key = (items or path[:1])[-1]
        lost += container[key] is not _GONE
        container[key] = _GONE
    kept: dict[str, Any] = _swept(data)
    return lost, kept


def _path(data: Any, location: Sequence[int | str]) -> list[tuple[Any, Any]]:
    """Container and key of each step towards a place, as far as it is there."""
    path: list[tuple[Any, Any]] = []
    for part in location:
        there = part in data if isinstance(data, dict) else isinstance(data, list) and isinstance(part, int) and part < len(data)
        if there:
            path.append((data, part))
            data = data[part]
    return path


def _coerced(container: Any, key: Any, kind: str) -> bool:
    value = container[key]
    if kind == "string_type" and isinstance(value, int | float) and not isinstance(value, bool):
        container[key] = str(value)
    elif kind in ("list_type", "tuple_type") and value not in (None, _GONE, ""):
        container[key] = [value]
    else:
        return False
    return True


def _swept(data: Any) -> Any:
    """The data without what is gone."""
    if isinstance(data, dict):
        return {key: _swept(value) for key, value in data.items() if value is not _GONE}
    return [_swept(value) for value in data if value is not _GONE] if isinstance(data, list) else data


def _items(data: Mapping[str, Any]) -> int:
    """How much there is: the items of every list at the top, and every other value that says something."""
    return sum(len(value) if isinstance(value, list) else value not in (None, "", {}) for value in data.values())


def _kind(error: ValidationError) -> str:
    """Where and how it does not fit: names of fields and kinds of errors, never values."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the whole'} ({first['type']})"
