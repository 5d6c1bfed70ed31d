"""Which format a file is in, told by what it holds; only of a document, which is any text, by its name as well."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import ijson
import orjson

from thoth_substrate.errors import BadInput, UnreadableFile
from thoth_substrate.imports import chatgpt, claude_code, document, ics, jsonl, locomo, mail, slack, telegram, whatsapp
from thoth_substrate.imports.found import Found, HeadReader, Reader, RecordReader
from thoth_substrate.imports.source import Source

_BY_RECORDS: tuple[RecordReader, ...] = (chatgpt, locomo, claude_code, telegram, jsonl)
_BY_HEAD: tuple[HeadReader, ...] = (ics, mail, whatsapp)
READERS: dict[str, Reader] = {reader.NAME: reader for reader in (*_BY_RECORDS, *_BY_HEAD, slack, document)}
FORMATS = tuple(READERS)
_SAMPLE_RECORDS = 50


def reader_for(source: Source, format: str | None = None) -> Reader:
    """The reader of `format`, or of the first format that recognises one of the file's first records.

    Raises BadInput for an unknown name, UnreadableFile when no format fits.
    """
    if format is not None:
        if format not in READERS:
            raise BadInput(f"There is no format {format}; choose one of {', '.join(FORMATS)}.")
        if source.archive is not None and format != slack.NAME:
            raise UnreadableFile(_no_archive(source))
        return READERS[format]
    if source.archive is not None:
        if slack.recognises_archive(source.archive):
            return slack
        raise UnreadableFile(_no_archive(source))
    for sample in (_by_lines(source.head), _by_parser(source.head)):
        for reader in _BY_RECORDS:
            if any(reader.recognises(record) for record in sample):
                return reader
    for by_head in _BY_HEAD:
        if by_head.recognises_head(source.head):
            return by_head
    if document.recognises_source(source):
        return document
    raise UnreadableFile(_not_recognised(source))


def read(path: str | Path, format: str | None = None) -> Iterator[Found]:
    """Everything in the file at `path`, streaming. Raises as `reader_for` and Source do."""
    with Source(path) as source:
        yield from reader_for(source, format).read(source)


def _no_archive(source: Source) -> str:
    if Path(source.name).is_dir():
        return f"{source.name} is a folder, and no Slack export; name the files in it, or watch it: thoth watch {source.name}."
    return (
        f"{source.name} is a zip without conversations.json, a chat or a Slack export in it; unpack it and import what is in it."
    )


def _not_recognised(source: Source) -> str:
    what = "is in none of the formats that can be imported" if source.head.strip() else "is empty"
    known = ", ".join(f"{reader.TITLE} = {name}" for name, reader in READERS.items())
    return f"{source.name} {what}; nothing was imported. Known are: {known}. `--format` says which one it is."


def _by_lines(head: bytes) -> list[Mapping[str, Any]]:
    """The first lines that are each an object, when the first of all is one."""
    lines = [line for line in head.removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip()][:_SAMPLE_RECORDS]
    values: list[Mapping[str, Any]] = [value for line in lines if isinstance(value := _parsed(line), dict)]
    return values if len(values) * 2 >= len(lines) else []


def _parsed(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return None


def _by_parser(head: bytes) -> list[Mapping[str, Any]]:
    """The first objects of a document that may be cut off, two levels deep: enough to see their keys."""
    found: list[dict[str, Any]] = []
    path: list[str | None] = []
    for event, value in _events(head.removeprefix(b"\xef\xbb\xbf")):
        listed = bool(path) and path[0] is None
        depth = len(path) - listed
        if event == "map_key":
            path[-1] = str(value)
            if depth == 1 and found:
                found[-1][str(value)] = None
            continue
        if event in ("end_map", "end_array"):
            path.pop()
            continue
        filled = {} if event == "start_map" else [] if event == "start_array" else value
        if depth == 0 and event == "start_map":
            found.append({})
        elif depth == 1 and found:
            found[-1][str(path[-1])] = filled
        elif depth == 2 and found and isinstance(inner := found[-1].get(str(path[-2])), dict):
            inner[str(path[-1])] = filled
        if event in ("start_map", "start_array"):
            path.append("" if event == "start_map" else None)
        if len(found) > _SAMPLE_RECORDS:
            break
    return list(found)


def _events(head: bytes) -> Iterator[tuple[str, Any]]:
    try:
        yield from ijson.basic_parse(io.BytesIO(head), multiple_values=True, buf_size=4096)
    except (ijson.JSONError, UnicodeDecodeError):
        return
