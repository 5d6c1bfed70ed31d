"""Files of data: JSON, CSV, YAML, logs. They become words that can be found: records with the names of their fields."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from typing import Any

import yaml

from thoth_substrate.imports import records
from thoth_substrate.model.documents import FULL_CHARS, Document, Section, settled

DEEPEST = 40
MOST_VALUES = 200_000  # of one document
LONGEST_VALUE_CHARS = 20_000


def read_json(name: str, text: str) -> Document:
    """A JSON document; what cannot be read as one is taken as text."""
    value = records.parsed(text.encode("utf-8", "replace"))
    if value is None:
        return read_lines(name, text) if text.lstrip().startswith("{") and "\n" in text.strip() else _as_text("json", text)
    return Document("json", settled(_of_value(value)))


def read_lines(_name: str, text: str) -> Document:
    """One JSON value a line; a line that is none stays as it is."""
    lines = (line for line in text.split("\n") if line.strip())
    told = ("\n".join(_words(value)) if (value := records.parsed(line.encode())) is not None else line for line in lines)
    return Document("json", settled(_runs(told)))


def read_yaml(_name: str, text: str) -> Document:
    """YAML of any number of documents; what cannot be read as such is taken as text."""
    value = yaml_value(text, several=True)
    if value is None:
        return _as_text("yaml", text)
    return Document("yaml", settled(section for one in value for section in _of_value(json_value(one))))


def read_csv(_name: str, text: str) -> Document:
    """A table: a record a row, each with the names of its columns, when the first row holds names."""
    sample = text[:20_000]
    try:
        dialect: type[csv.Dialect] | csv.Dialect = csv.Sniffer().sniff(sample, ",;\t|")
    except csv.Error:
        dialect = csv.excel_tab if "\t" in sample.split("\n", 1)[0] else csv.excel
    rows = csv.reader(io.StringIO(text.replace("\x00", "\N{REPLACEMENT CHARACTER}")), dialect)
    try:
        return Document("csv", settled(_runs(_rows(rows))))
    except csv.Error:
        return _as_text("csv", text)


def read_log(_name: str, text: str) -> Document:
    """A log, in runs of lines."""
    return Document("log", settled(_runs(text.split("\n"), "\n")))


def yaml_value(text: str, *, several: bool = False) -> Any:
    """What YAML says, or None when it is none."""
    try:
        if several:
            return [one for one in yaml.safe_load_all(text) if one is not None]
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, TypeError, RecursionError, OverflowError):
        return None


def json_value(value: Any) -> Any:
    """A value of YAML as JSON has it: keys are text, dates are ISO 8601; depths are cut, and what aliases unfold without end."""
    return _json(value, 0, [MOST_VALUES])


def _json(value: Any, level: int, left: list[int]) -> Any:
    left[0] -= 1
    if level > DEEPEST or left[0] < 0:
        return "…"
    if isinstance(value, dict):
        return {str(key): _json(item, level + 1, left) for key, item in value.items() if left[0] >= 0}
    if isinstance(value, list | tuple | set):
        return [_json(item, level + 1, left) for item in value if left[0] >= 0]
    if isinstance(value, datetime | date):
        return value.isoformat()
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _as_text(kind: str, text: str) -> Document:
    return Document(kind, settled([Section(text)]))


def _of_value(value: Any) -> Iterator[Section]:
    """A list is a run of records; an object's large members stand under their names."""
    if isinstance(value, list):
        yield from _runs("\n".join(_words(item)) for item in value)
    elif isinstance(value, dict):
        small: dict[str, Any] = {}
        for key, item in value.items():
            if isinstance(item, dict | list) and len(str(item)) > FULL_CHARS:
                yield from (Section(section.text, (str(key), *section.headings)) for section in _of_value(item))
            else:
                small[key] = item
        yield Section("\n".join(_words(small)))
    else:
        yield Section("\n".join(_words(value)))


def _words(value: Any, key: str = "", level: int = 0) -> Iterator[str]:
    """`name: value` lines."""
    if level > DEEPEST or value is None or value == "":
        return
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _words(item, f"{key}.{name}" if key else str(name), level + 1)
    elif isinstance(value, list):
        if all(not isinstance(item, dict | list) for item in value):
            told = ", ".join(str(item) for item in value)[:LONGEST_VALUE_CHARS]
            yield f"{key}: {told}" if key else told
        else:
            for item in value:
                yield from _words(item, key, level + 1)
    else:
        told = str(value)
        yield f"{key}: {told}" if key else told


def _rows(rows: Iterable[list[str]]) -> Iterator[str]:
    header: list[str] | None = None
    told = False
    for row in rows:
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        if header is None:
            named = len(set(cells)) == len(cells) and all(cell and not cell.replace(".", "").isdecimal() for cell in cells)
            header = cells if named and len(cells) > 1 else []
            if header:
                continue
        told = True
        if header:
            names = [*header, *(f"column {n}" for n in range(len(header) + 1, len(cells) + 1))]
            yield "; ".join(f"{name}: {cell}" for name, cell in zip(names, cells, strict=False) if cell)
        else:
            yield "; ".join(cell for cell in cells if cell)
    if header and not told:
        yield "; ".join(header)


def _runs(told: Iterable[str], between: str = "\n") -> Iterator[Section]:
    """Records put together up to the size of a section."""
    lines: list[str] = []
    size = 0
    for one in told:
        if lines and size + len(one) > FULL_CHARS:
            yield Section(between.join(lines))
            lines, size = [], 0
        lines.append(one)
        size += len(one) + len(between)
    if lines:
        yield Section(between.join(lines))
