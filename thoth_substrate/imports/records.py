"""JSON objects out of a source, one at a time, with the place of each. What cannot be read is said and passed over."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import ijson
import orjson

from thoth_substrate.imports.found import Skipped
from thoth_substrate.imports.source import Source

LONGEST_RECORD_BYTES = 64 << 20
DEEPEST = 200
_MALFORMED = "not JSON"
_HALF_WRITTEN = "half-written at the end"
_NOT_AN_OBJECT = "not an object"
_TOO_DEEP = f"nested more than {DEEPEST} levels deep"
_TOO_LONG = f"larger than {LONGEST_RECORD_BYTES >> 20} MiB"
_BREAKS_OFF = "the file breaks off or is not JSON from here on"
_DAMAGED = "the compressed data is damaged from here on"
_BOM = codecs.BOM_UTF8
_LONGEST_HELD_BYTES = 1 << 20
_SURROGATES = re.compile(
    rb"(?P<kept>\\\\|\\u[dD][89aAbB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)


@dataclass(frozen=True, slots=True)
class Record:
    """One object of a file: `number` counts from 1 in the order of the file, `where` is its place for a person."""

    number: int
    where: str
    value: Mapping[str, Any]


def of_lines(source: Source) -> Iterator[Record | Skipped]:
    """The object on each line. Memory is bounded by the longest line, which is bounded by LONGEST_RECORD_BYTES."""
    number = 0
    for line_no, line in enumerate(source.lines(LONGEST_RECORD_BYTES), 1):
        where = f"line {line_no}"
        if line is None:
            number += 1
            yield Skipped(_TOO_LONG, where)
            continue
        bare = line.removeprefix(_BOM).strip() if line_no == 1 else line.strip()
        if not bare:
            continue
        number += 1
        value = parsed(bare)
        if isinstance(value, dict):
            yield Skipped(_TOO_DEEP, where) if _is_too_deep(bare, value) else Record(number, where, value)
        elif value is None and bare != b"null":
            yield Skipped(_MALFORMED if line.endswith(b"\n") else _HALF_WRITTEN, where)
        else:
            yield Skipped(_NOT_AN_OBJECT, where)
    if source.broken:
        yield Skipped(_DAMAGED, f"after line {number}")


def of_document(source: Source, noun: str) -> Iterator[Record | Skipped]:
    """The objects of a JSON array, of several values in a row, or the one object that the document is.

    Each is built whole, and none larger than LONGEST_RECORD_BYTES; `noun` names one in `where`.
    """
    number = 0
    for value in _values(source):
        number += 1
        where = f"{noun} {number}"
        if isinstance(value, dict):
            yield Record(number, where, value)
        elif isinstance(value, Skipped):
            yield Skipped(value.reason, where)
        else:
            yield Skipped(_NOT_AN_OBJECT, where)
    if source.broken:
        yield Skipped(_DAMAGED, f"after {noun} {number}")


def nested(source: Source, noun: str, named: Sequence[str]) -> Iterator[tuple[dict[str, Any], Any]]:
    """The elements of every array called `noun`, wherever it stands, each with what is said of its object before it (`named`).

    Built one at a time. What comes after the array is not known by then. A file that breaks off says so at its end.
    """
    about: list[dict[str, Any]] = [{}]
    build: _Build | None = None
    events = ijson.parse(_Mended(source), buf_size=64 << 10, multiple_values=True)
    try:
        for prefix, event, value in events:
            if build is not None:
                ended = event == "end_array" and build.depth == 1
                for one in build.take(event, value):
                    yield dict(about[-1]), one
                build = None if ended else build
            elif event == "start_array" and prefix.rpartition(".")[2] == noun:
                build = _Build(source)
                list(build.take(event, value))
            elif event == "start_map":
                about.append({})
            elif event == "end_map" and len(about) > 1:
                about.pop()
            elif (name := prefix.rpartition(".")[2]) in named and event in ("string", "number"):
                about[-1][name] = value
    except (ijson.JSONError, UnicodeDecodeError):
        yield {}, Skipped(_BREAKS_OFF, "")
    if source.broken:
        yield {}, Skipped(_DAMAGED, "")


def parsed(text: bytes) -> Any:
    """The JSON value of `text`, lone surrogates and NaN included; None when it is none, or nested beyond reason."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _is_too_deep(text: bytes, value: Any) -> bool:
    if text.count(b"{") + text.count(b"[") <= DEEPEST:
        return False
    level = [value]
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return True


def _inside(value: Any) -> list[Any]:
    inside = value.values() if isinstance(value, dict) else value
    return [inner for inner in inside if isinstance(inner, dict | list)]


def _values(source: Source) -> Iterator[Any]:
    """Top-level values, or the elements of top-level arrays, built from the parser's events."""
    build = _Build(source)
    events = ijson.basic_parse(_Mended(source), buf_size=64 << 10, multiple_values=True)
    try:
        for event, value in events:
            if build.depth > DEEPEST:
                yield Skipped(_TOO_DEEP, "")
                return
            yield from build.take(event, value)
    except (ijson.JSONError, UnicodeDecodeError):
        if not source.broken:
            yield Skipped(_BREAKS_OFF, "")


class _Build:
    """Collects the parser's events into one element at a time; lets go of an element that grows too large."""

    def __init__(self, source: Source) -> None:
        self.depth = 0
        self._source = source
        self._listed = False  # inside a top-level array
        self._builder: Any = None
        self._began_at = 0

    def take(self, event: str, value: Any) -> Iterator[Any]:
        base = 1 if self._listed else 0
        if event in ("end_map", "end_array"):
            self.depth -= 1
            if self._listed and self.depth == 0:
                self._listed = False
                return
        elif self.depth == 0 and event == "start_array":
            self._listed, self.depth = True, 1
            return
        elif self.depth == base:
            self._builder, self._began_at = ijson.ObjectBuilder(), self._source.taken
        if event in ("start_map", "start_array"):
            self.depth += 1
        if self._source.taken - self._began_at > LONGEST_RECORD_BYTES:
            self._builder = None
        if self._builder is not None:
            self._builder.event(event, float(value) if isinstance(value, Decimal) else value)
        if self.depth == base:
            yield Skipped(_TOO_LONG, "") if self._builder is None else self._builder.value


class _Mended:
    """The source's bytes as the strict parser takes them: valid UTF-8, no byte order mark, no lone surrogates."""

    def __init__(self, source: Source) -> None:
        self._stream = source.stream
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._held = b""

    def read(self, count: int) -> bytes:
        """At least one byte unless at the end; none for 0, by which the parser asks whether these are bytes."""
        while count:
            data = self._stream.read(count)
            text = self._held + self._decoder.decode(data, final=not data).encode()
            # An escape never holds a blank or a comma: cut there, so that no pair of surrogates is torn apart.
            cut = max(text.rfind(b" "), text.rfind(b",")) + 1 if data and len(text) < _LONGEST_HELD_BYTES else len(text)
            text, self._held = text[:cut], text[cut:]
            if text or not data:
                return _SURROGATES.sub(_kept, text) if b"\\ud" in text or b"\\uD" in text else text
        return b""


def _kept(match: re.Match[bytes]) -> bytes:
    return match["kept"] or b"\\ufffd"
