"""A block put into the current user turn of a request, in its bytes: whatever is not that turn's text stays as it was written.

Parsing and writing the body anew would change numbers, key order, escapes and whitespace; upstreams sign, cache and compare
what they get. So the place is found in the text, by the parser's own C scanner, and only there something is put in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import JSONDecoder

import orjson

_DECODER = JSONDecoder(strict=False)
_SPACE = re.compile(r"[ \t\n\r]*")
_UNFIT = (ValueError, IndexError, RecursionError)  # UnicodeDecodeError and JSONDecodeError are ValueErrors


def with_block(
    body: bytes, key: str, index: int | None, part_type: str, block: str, *, as_part: bool = False
) -> bytes | None:  # fmt: skip
    """`body` with `block` at the end of entry `index` of its array `key`; None when the place cannot be found.

    `index` None means that `key` itself holds the turn, as text. A turn that is a string gets two line ends and the block
    behind its words; one of parts gets a part of that type behind its others, also behind the mark up to which a client lets
    the provider cache. `as_part`: a turn that is a string becomes two parts, its words and the block. It was written so before:
    clients mark the last turn of a request for the provider's cache, for which it must have parts, and not once it is an
    earlier one.
    """
    try:
        text = body.decode("utf-8")
        place = _turn(text, key, index)
        if as_part and index is not None and text[place[0]] == '"':
            return _in_parts(text, place, part_type, block).encode("utf-8")
        inserted = _insertion(text, place, part_type, block)
    except _UNFIT:
        return None
    if inserted is None:
        return None
    at, words = inserted
    return (text[:at] + words + text[at:]).encode("utf-8")


def _turn(text: str, key: str, index: int | None) -> tuple[int, int]:
    """Where the turn's content begins and ends."""
    start, end = _member(text, _skip(text, 0), key)
    if index is None:
        return start, end
    for number, (at, _) in enumerate(_items(text, start)):
        if number == index:
            return _member(text, at, "content")
    raise IndexError(index)


def _insertion(text: str, place: tuple[int, int], part_type: str, block: str) -> tuple[int, str] | None:
    start, end = place
    if text[start] == '"':
        return end - 1, orjson.dumps(f"\n\n{block}").decode()[1:-1]
    if text[start] != "[":
        return None
    part = orjson.dumps({"type": part_type, "text": block}).decode()
    *_, last = [None, *_items(text, start)]
    return (start + 1, part) if last is None else (last[1], f",{part}")


def _in_parts(text: str, place: tuple[int, int], part_type: str, block: str) -> str:
    """The text with a turn that is a string written as a part, and the block as another."""
    start, end = place
    kind, part = orjson.dumps(part_type).decode(), orjson.dumps({"type": part_type, "text": block}).decode()
    return f'{text[:start]}[{{"type":{kind},"text":{text[start:end]}}},{part}]{text[end:]}'


def _member(text: str, at: int, key: str) -> tuple[int, int]:
    """Where the value of `key` lies in the object that begins at `at`; of several the last, which is what parsers take."""
    found: tuple[int, int] | None = None
    for name, start, end in _members(text, at):
        if name == key:
            found = start, end
    if found is None:
        raise ValueError(key)
    return found


def _members(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    start = _first(text, at, "{", "}")
    while start is not None:
        name, end = _DECODER.raw_decode(text, start)
        colon = _skip(text, end)
        if text[colon] != ":" or not isinstance(name, str):
            raise ValueError(text[colon])
        value = _skip(text, colon + 1)
        _, end = _DECODER.raw_decode(text, value)
        yield name, value, end
        start = _next(text, end, "}")


def _items(text: str, at: int) -> Iterator[tuple[int, int]]:
    start = _first(text, at, "[", "]")
    while start is not None:
        _, end = _DECODER.raw_decode(text, start)
        yield start, end
        start = _next(text, end, "]")


def _first(text: str, at: int, opening: str, closing: str) -> int | None:
    """Where the first element of an array or object begins, or None when it is empty."""
    if text[at] != opening:
        raise ValueError(text[at])
    start = _skip(text, at + 1)
    return None if text[start] == closing else start


def _next(text: str, end: int, closing: str) -> int | None:
    """Where the element after the one that ended begins, or None when that was the last."""
    at = _skip(text, end)
    if text[at] == ",":
        return _skip(text, at + 1)
    if text[at] != closing:
        raise ValueError(text[at])
    return None


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()
