"""What the commands print: JSON documents, tables, and sentences on stderr. Memories are printed as data, never as markup."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from thoth_substrate.views.check import Check, Verdict

T = TypeVar("T")

PIPED_WIDTH_CHARS = 240
GAP_CHARS, LEAST_CHARS, LEAST_REST_CHARS = 2, 10, 30
NEVER = datetime(9999, 1, 1, tzinfo=UTC)
_CONTROLS = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0)), "\N{REPLACEMENT CHARACTER}")
_BIDI = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F), "")
_ONE_LINE = str.maketrans({**_CONTROLS, **_BIDI, "\n": " ", "\r": " ", "\t": " ", "\u2028": " ", "\u2029": " "})
_MANY_LINES = str.maketrans({**_CONTROLS, **_BIDI, "\n": "\n", "\t": "\t", "\r": ""})
_MARKS = {
    Verdict.OK: ("ok", "green"),
    Verdict.INFO: ("info", "cyan"),
    Verdict.WARN: ("warn", "yellow"),
    Verdict.BAD: ("BAD", "bold red"),
}


def ready() -> None:
    """Let the streams print whatever a memory may hold: what the terminal's encoding lacks becomes a question mark."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def console(*, talk: bool = False) -> Console:
    """A console on stdout, or on stderr for talk. Colours and widths are a terminal's, or none."""
    stream = sys.stderr if talk else sys.stdout
    width = None if stream.isatty() else PIPED_WIDTH_CHARS
    return Console(file=stream, width=width, markup=False, highlight=False, emoji=False, soft_wrap=False)


def talk(sentence: str, *, style: str = "") -> None:
    """A sentence on stderr, whole, whatever the width."""
    console(talk=True).print(Text(many_lines(sentence), style=style), soft_wrap=True)


def say(sentence: str = "", *, style: str = "") -> None:
    """A sentence on stdout, where it is the answer."""
    console().print(Text(many_lines(sentence), style=style), soft_wrap=True)


def emit(answer: T, *, as_json: bool, show: Callable[[T], None]) -> None:
    """Print the answer: one JSON document, or what `show` makes of it for a person."""
    if as_json:
        print_json(answer)
    else:
        show(answer)


def print_json(answer: Any) -> None:
    """One JSON document on stdout. Keys are the dataclass' fields; times are ISO 8601 in UTC, spans seconds in `…_s`."""
    sys.stdout.write(orjson.dumps(plain(answer), option=orjson.OPT_INDENT_2).decode() + "\n")


def plain(value: Any) -> Any:
    """The value as JSON has it. A field that is a timedelta gets `_s` added to its name and becomes seconds."""
    if is_dataclass(value) and not isinstance(value, type):
        return _mapping({field.name: getattr(value, field.name) for field in fields(value)}, spans=_span_fields(type(value)))
    if isinstance(value, Mapping):
        return _mapping(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return _scalar(value)


def table(columns: Sequence[str | tuple[str, str]], rows: Iterable[Sequence[Any]]) -> None:
    """A table on stdout. A column is a title, or a title with how it is set: `right`, `wrap`, or `rest` (cut to what is left).

    A column without a word in it is left out. Where too little is left for `rest`, it goes beneath its row.
    """
    cells = [[cell if isinstance(cell, Text) else Text(one_line(_word(cell))) for cell in row] for row in rows]
    named = [column if isinstance(column, tuple) else (column, "left") for column in columns]
    kept = [place for place in range(len(named)) if not cells or any(row[place].plain for row in cells)]
    named, cells = [named[place] for place in kept], [[row[place] for place in kept] for row in cells]
    left = console().width - sum(_width(place, title, cells) for place, (title, kind) in enumerate(named) if kind != "rest")
    rest = next((place for place, (_, kind) in enumerate(named) if kind == "rest"), None)
    if rest is not None and left < LEAST_REST_CHARS:
        _print_beneath(named, cells, rest)
        return
    made = Table(box=None, pad_edge=False, padding=(0, GAP_CHARS, 0, 0), header_style="bold")
    for title, kind in named:
        made.add_column(
            title, justify="right" if kind == "right" else "left", no_wrap=kind != "wrap",
            overflow="ellipsis" if kind == "rest" else "fold", max_width=left if kind == "rest" else None,
            min_width=LEAST_CHARS if kind == "wrap" else len(title),
        )  # fmt: skip
    for row in cells:
        made.add_row(*row)
    _print(made)


def _width(place: int, title: str, cells: Sequence[Sequence[Text]]) -> int:
    return max([len(title), *(row[place].cell_len for row in cells)]) + GAP_CHARS


def _print_beneath(columns: Sequence[tuple[str, str]], cells: Sequence[Sequence[Text]], rest: int) -> None:
    """Rows of a narrow terminal: all columns but one, and that one in a line of its own."""
    target = console()
    widths = [_width(place, title, cells) for place, (title, _) in enumerate(columns)]
    header = [Text(title, style="bold") for title, _ in columns]
    for number, row in enumerate([header, *cells]):
        line = Text()
        for place, cell in enumerate(row):
            if place != rest:
                pad = " " * (widths[place] - GAP_CHARS - cell.cell_len)
                line += Text(pad) + cell if columns[place][1] == "right" else cell + Text(pad)
                line += Text(" " * GAP_CHARS)
        line.rstrip()
        target.print(line, soft_wrap=True)
        if number:
            beneath = Text(" " * GAP_CHARS) + row[rest]
            beneath.truncate(target.width, overflow="ellipsis")
            target.print(beneath, soft_wrap=True)


def pairs(rows: Iterable[tuple[str, Any]]) -> None:
    """Names and values, one pair a line; long values wrap beneath themselves."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    made.add_column(style="bold", no_wrap=True)
    made.add_column(overflow="fold")
    for name, value in rows:
        made.add_row(name, Text(many_lines(_word(value))))
    _print(made)


def checks(found: Iterable[Check]) -> None:
    """Checks, one a line, each with what to type beneath it."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    made.add_column(no_wrap=True)
    made.add_column(style="bold", no_wrap=True)
    made.add_column(overflow="fold")
    for check in found:
        word, style = _MARKS[check.verdict]
        made.add_row(Text(word, style=style), check.name, Text(one_line(check.says)))
        if check.do:
            made.add_row("", "", Text(f"→ {one_line(check.do)}", style="bold"))
    _print(made)


def _print(made: Table) -> None:
    """Print a table; piped, without the blanks that pad its last column."""
    target = console()
    if target.is_terminal:
        target.print(made)
        return
    with target.capture() as captured:
        target.print(made)
    sys.stdout.write("".join(line.rstrip() + "\n" for line in captured.get().splitlines()))


def when(at: datetime | None) -> str:
    """Local time to the minute, or `never`."""
    return "never" if at is None or at.replace(tzinfo=UTC) >= NEVER else at.astimezone().strftime("%Y-%m-%d %H:%M")


def one_line(text: str) -> str:
    """Text for one line of a terminal: control characters and direction marks of a memory must not reach it."""
    return " ".join(text.translate(_ONE_LINE).split())


def many_lines(text: str) -> str:
    """The same with its line breaks kept."""
    return text.translate(_MANY_LINES)


def flat(value: Any) -> str:
    """A JSON value in one line for a person."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {flat(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        return " ".join(flat(inner) for inner in value)
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _word(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.2f}"
    return when(value) if isinstance(value, datetime) else str(value)


def _scalar(value: Any) -> Any:
    return next((write(value) for kind, write in _WRITERS if isinstance(value, kind)), value)


def _iso(at: datetime) -> str | None:
    """ISO 8601 in UTC; null for the end of time, which is what PostgreSQL's infinity is read as."""
    return None if at.replace(tzinfo=UTC) >= NEVER else at.astimezone(UTC).isoformat()


_WRITERS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (timedelta, timedelta.total_seconds),
    (float, lambda value: float(f"{value:.7g}")),  # a real of PostgreSQL has no more
    (datetime, _iso),
    (Enum, lambda value: value.value),
    (str, lambda value: value.encode("utf-8", "replace").decode()),
    (UUID | date | Path, str),
    (bytes, bytes.hex),
)


def _span_fields(kind: type) -> frozenset[str]:
    """Fields that are declared as timedelta, also where the value is None: keys must not depend on values."""
    return frozenset(field.name for field in fields(kind) if "timedelta" in str(field.type))


def _mapping(items: Mapping[Any, Any], spans: frozenset[str] = frozenset()) -> dict[str, Any]:
    return {
        f"{key}_s" if key in spans or isinstance(value, timedelta) else str(key): plain(value) for key, value in items.items()
    }
