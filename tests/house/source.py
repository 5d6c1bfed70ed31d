"""The house as it stands on disk: its modules, its statements, its pages. What the tests of the house walk through."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from thoth_substrate.db.queries import REGISTERED, Query

ROOT = Path(__file__).parents[2]
_HOMES = {"thoth_substrate": ROOT, "thoth_workers": ROOT / "workers"}
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Module:
    """A module by its dotted name, with its file (from the root) and its syntax tree."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    @property
    def package(self) -> str:
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]

    def place(self, node: ast.AST) -> str:
        return f"{self.path}:{getattr(node, 'lineno', 1)}"


@cache
def modules() -> tuple[Module, ...]:
    """Every module of the two packages."""
    return tuple(_read(path, home) for package, home in _HOMES.items() for path in sorted((home / package).rglob("*.py")))


@cache
def modules_of_tests() -> tuple[Module, ...]:
    """Every module under tests/."""
    return tuple(_read(path, ROOT) for path in sorted((ROOT / "tests").rglob("*.py")))


@cache
def statements() -> dict[tuple[str, str], Query[Any]]:
    """Every registered query, once every module has been imported."""
    for module in modules():
        importlib.import_module(module.name)
    return {key: query for key, query in sorted(REGISTERED.items()) if key[0].split(".")[0] in _HOMES}


def statement_files() -> dict[tuple[str, str], Path]:
    """Every .sql file of the two packages by package and name."""
    return {
        (".".join(path.relative_to(home).parts[:-1]), path.stem): path
        for package, home in _HOMES.items()
        for path in sorted((home / package).rglob("*.sql"))
    }


def uncommented(sql: str) -> str:
    """A statement without its comments."""
    return _COMMENT.sub("", sql)


def prose() -> dict[Path, str]:
    """What people read, by its path from the root: README and its like, docs/, and the skills that agents read."""
    files = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "thoth_substrate/skill").rglob("SKILL.md")]
    return {path.relative_to(ROOT): path.read_text(encoding="utf-8") for path in sorted(files)}


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method, nested ones too."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def calls(tree: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    """Every call with what is called, as it is written."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield node, ast.unparse(node.func)


def _read(path: Path, home: Path) -> Module:
    parts = path.relative_to(home).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    text = path.read_text(encoding="utf-8")
    return Module(name, path.relative_to(ROOT), text, ast.parse(text))
