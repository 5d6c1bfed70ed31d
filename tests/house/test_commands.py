"""Every command that a page, a message or a docstring names exists, with its options."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from tests.house.source import ROOT, modules, prose, statement_files
from tests.house.write_docs import commands

ROOT_COMMAND: Any = next(command for words, command, _ in commands() if words == ("thoth",))
_QUOTED = re.compile(r"`(?:[A-Z_]+=\S+ )*(thoth [^`]+)`")
_LINE = re.compile(r"^\s*(?:[$>] )?(?:[A-Z_]+=\S+ )*(thoth [a-z].*)$", re.MULTILINE)
_FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_every_command_that_is_named_exists() -> None:
    wrong = {f"{place}: {said}" for place, said in _named() if not exists(said)}
    assert wrong == set()


def test_the_commands_are_found_where_they_are_named() -> None:
    found = {said for _, said in _named()}
    assert {"thoth demo", "thoth substrate doctor", "thoth substrate migrate"} <= found


def _named() -> Iterator[tuple[str, str]]:
    for path, text in prose().items():
        for fence in _FENCE.findall(text):
            yield from ((str(path), said) for said in _LINE.findall(fence))
        yield from ((str(path), " ".join(said.split())) for said in _QUOTED.findall(_FENCE.sub("", text)))
    for module in modules():
        names = {node.value for node in ast.walk(module.tree) if isinstance(node, ast.keyword) and node.arg == "application_name"}
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in names:
                yield from ((module.place(node), " ".join(said.split())) for said in _QUOTED.findall(node.value))
                yield from ((module.place(node), said) for said in _LINE.findall(node.value))
    files = [*statement_files().values(), *(ROOT / "migrations").rglob("*.sql")]
    for file in files:
        yield from ((str(file.relative_to(ROOT)), said) for said in _QUOTED.findall(file.read_text(encoding="utf-8")))


def exists(said: str) -> bool:
    """Whether the words lead to a command, and it has the options that are named."""
    command, options = ROOT_COMMAND, _options(ROOT_COMMAND)
    words = said.split("#", maxsplit=1)[0].split()[1:]
    for place, word in enumerate(words):
        if not re.fullmatch(r"[a-z][a-z-]*", word):
            break
        inner = getattr(command, "commands", None)
        if inner is None:
            break
        if word not in inner:
            return place > 0 and not words[place - 1].isalpha()
        command = inner[word]
        options |= _options(command)
    named = {word.split("=")[0] for word in words if re.fullmatch(r"--[a-z][a-z-]*(=.*)?", word)}
    return named <= options | {"--help"}


def _options(command: Any) -> set[str]:
    return {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
