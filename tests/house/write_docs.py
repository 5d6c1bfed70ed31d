"""Writes what is printed from the code: `.env.example`, settings, commands, errors, streams, the client's twin. `make docs`."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections import abc
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from enum import Enum
from pathlib import Path
from uuid import UUID

import typer

from tests.house.write_client import TWIN, twin
from tests.house.write_http import http_page
from thoth_substrate import errors
from thoth_substrate.cli.answers import answer_of
from thoth_substrate.cli.main import app
from thoth_substrate.errors import ThothError
from thoth_substrate.perceive.streams import STREAMS
from thoth_substrate.settings import SettingLine, lines

ROOT = Path(__file__).parents[2]
WIDTH_CHARS = 100
_GENERATED = "<!-- Written by `make docs` from the code: do not edit. -->"
_WORDS = {
    str: "text", int: "whole number", float: "number", bool: "true or false", UUID: "id", datetime: "time (ISO 8601, UTC)",
    date: "date", timedelta: "seconds", Path: "path", bytes: "hexadecimal digits",
}  # fmt: skip
SKILLS = {"substrate": "thoth_substrate/skill/SKILL.md", "memory": "thoth_substrate/skill/memory/SKILL.md"}
_PLUGIN = Path("thoth_substrate/integrations/claude_code/skills")  # a plugin is a folder of its own


def pages() -> Mapping[Path, str]:
    """Every generated file by its path from the root."""
    return {
        Path(".env.example"): env_example(),
        Path("docs/reference/settings.md"): settings_page(),
        Path("docs/reference/commands.md"): commands_page(),
        Path("docs/reference/errors.md"): errors_page(),
        Path("docs/reference/streams.md"): streams_page(),
        Path("docs/reference/http.md"): http_page(_GENERATED),
        TWIN.relative_to(ROOT): twin(),
        **{_PLUGIN / name / "SKILL.md": (ROOT / path).read_text(encoding="utf-8") for name, path in SKILLS.items()},
    }


def env_example() -> str:
    """Every setting, commented out, with its unit and meaning above it."""
    said = [
        "# Every setting of Thoth with its default: the environment wins over this file, which is read from $THOTH_HOME/.env",
        "# (default ~/.thoth/.env) once, at boot. Written by `make docs` from thoth_substrate/settings.py.",
    ]
    for line in lines():
        also = f" Also: {', '.join(line.env[1:])}." if line.env[1:] else ""
        said += ["", f"# {line.meaning}. Unit: {line.unit}.{also}", f"# {line.env[0]}={line.default}"]
    return "\n".join(said) + "\n"


def settings_page() -> str:
    """A table of every setting."""
    said = [
        _GENERATED, "", "# Settings", "",
        "Read once at boot: the environment, then `$THOTH_HOME/.env`, then these defaults. A value that cannot be used stops"
        " the command with one sentence that names it, and exit code 2.", "",
        "| variable | default | unit | meaning |", "|---|---|---|---|",
    ]  # fmt: skip
    return "\n".join([*said, *(_row(line) for line in lines())]) + "\n"


def commands_page() -> str:
    """The help of every command as it prints it, and the keys of its JSON."""
    said = [
        _GENERATED, "", "# Commands", "",
        "Answers go to stdout, talk to stderr. Exit codes: 0 well, 1 unwell, 2 misuse, 3 no database. With `--json` a command"
        " prints one JSON document with the keys given here; keys are only ever added. Times are ISO 8601 in UTC, spans are"
        " seconds in keys that end in `_s`.", "",
    ]  # fmt: skip
    for words, command, context in commands():
        said += [f"## {' '.join(words)}", "", "```", help_of(command, context), "```", ""]
        shape = answer_of(command.callback)
        if shape is not None:
            said += ["With `--json`:", "", *_shape(shape), ""]
    return "\n".join(said).rstrip() + "\n"


def errors_page() -> str:
    """Every error in the order of the tree, with the sentence that its docstring is."""
    said = [
        _GENERATED, "", "# Errors", "",
        "Commands print one sentence and leave with the exit code given here. The library raises these classes, all of them"
        " from `thoth_substrate.errors`; the calls of a turn (`perceive`, `recall`) raise none. The message of an error says"
        " what happened, what it means and what to do next.", "",
        "| error | is a | exit code | meaning |", "|---|---|---|---|",
    ]  # fmt: skip
    rows = (
        f"| `{kind.__name__}` | `{kind.__bases__[0].__name__}` | {kind.exit_code} | {' '.join((kind.__doc__ or '').split())} |"
        for kind in public_errors()
    )
    return "\n".join([*said, *rows]) + "\n"


def public_errors() -> Iterator[type[ThothError]]:
    """Every class of errors.py, as the file has them."""
    for kind in vars(errors).values():
        if isinstance(kind, type) and issubclass(kind, ThothError):
            yield kind


def streams_page() -> str:
    """The streams that are registered at boot, and the decay profile of each."""
    said = [
        _GENERATED, "", "# Streams", "",
        "A stream is a channel of perception. These are registered at boot; a host registers more with"
        " `thoth_substrate.perceive.streams.register`. What a profile means stands in [time](../explanation/time.md);"
        " `thoth substrate profiles` shows and sets them. `perceive` refuses a stream that is not registered.", "",
        "| stream | family | modality | source | decay profile |", "|---|---|---|---|---|",
    ]  # fmt: skip
    rows = (f"| `{one.name}` | {one.family} | {one.modality} | {one.source} | {one.profile} |" for one in STREAMS)
    return "\n".join([*said, *rows]) + "\n"


def commands() -> Iterator[tuple[tuple[str, ...], typing.Any, typer.Context]]:
    """Every command and group with the words that call it, as the CLI is made of them."""
    root = typer.main.get_command(app)
    yield from _walk(("thoth",), root, None)


def help_of(command: typing.Any, context: typer.Context) -> str:
    """What `--help` prints at the width of the page."""
    return "\n".join(line.rstrip() for line in command.get_help(context).splitlines()).strip()


def _walk(
    words: tuple[str, ...], command: typing.Any, parent: typer.Context | None
) -> Iterator[tuple[tuple[str, ...], typing.Any, typer.Context]]:
    context = typer.Context(
        command, info_name=words[-1], parent=parent, terminal_width=WIDTH_CHARS, max_content_width=WIDTH_CHARS
    )
    yield words, command, context
    for name, inner in getattr(command, "commands", {}).items():
        yield from _walk((*words, name), inner, context)


def _row(line: SettingLine) -> str:
    names = "<br>".join(f"`{name}`" for name in line.env)
    cells = names, f"`{line.default}`" if line.default else "none", line.unit, line.meaning
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _shape(shape: typing.Any, depth: int = 0) -> Iterator[str]:
    """A shape as a nested list of its keys."""
    listed, inner = _unlisted(shape)
    if depth == 0:
        yield f"{'A list of objects' if listed else 'An object'}: {_first_line(inner)}."
        yield ""
    hints = typing.get_type_hints(inner)
    for field in dataclasses.fields(inner):
        kind = hints[field.name]
        key = f"{field.name}_s" if timedelta in (kind, *typing.get_args(kind)) else field.name
        yield f"{'  ' * depth}- `{key}`: {_kind(kind)}"
        nested = _unlisted(kind)[1]
        if dataclasses.is_dataclass(nested):
            yield from _shape(nested, depth + 1)


def _kind(kind: typing.Any) -> str:
    listed, inner = _unlisted(kind)
    optional = type(None) in typing.get_args(inner)
    if isinstance(inner, types.UnionType) or typing.get_origin(inner) is typing.Union:
        inner = next(part for part in typing.get_args(inner) if part is not type(None))
        listed, inner = (True, _unlisted(inner)[1]) if _unlisted(inner)[0] else (listed, inner)
    said = f"list of {_word(inner)}{'s' if _word(inner) == 'object' else ''}" if listed else _word(inner)
    return f"{said}, or null" if optional else said


def _word(kind: typing.Any) -> str:
    if kind in _WORDS:
        return _WORDS[kind]
    if typing.get_origin(kind) is typing.Literal:
        return " or ".join(f"`{value}`" for value in typing.get_args(kind))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return " or ".join(f"`{member.value}`" for member in kind)
    if dataclasses.is_dataclass(kind) or kind in (dict, Mapping) or typing.get_origin(kind) in (dict, abc.Mapping):
        return "object"
    return "any JSON value"


def _unlisted(kind: typing.Any) -> tuple[bool, typing.Any]:
    """Whether it is a list or tuple, and of what."""
    if typing.get_origin(kind) in (list, tuple):
        return True, typing.get_args(kind)[0]
    parts = [part for part in typing.get_args(kind) if part is not type(None)] if isinstance(kind, types.UnionType) else []
    if len(parts) == 1 and dataclasses.is_dataclass(parts[0]):
        return False, parts[0]
    return False, kind


def _first_line(kind: typing.Any) -> str:
    return (kind.__doc__ or "").strip().splitlines()[0].rstrip(".").replace("None", "null")


def main() -> None:
    """Write every generated file."""
    for path, text in pages().items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")
        typer.echo(f"wrote {path}")


if __name__ == "__main__":
    main()
