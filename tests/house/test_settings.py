"""Every setting is in the pages with its unit, and every variable that a page names exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.source import ROOT, modules, prose
from thoth_substrate.settings import lines

SETTINGS = {name for line in lines() for name in line.env}
OF_AGENTS = tuple(name.removesuffix("<AGENT>") for name in SETTINGS if name.endswith("_<AGENT>"))
_VARIABLE = re.compile(r"\b(?:THOTH_[A-Z][A-Z_]*[A-Z]|OPENAI_[A-Z_]+|DATABASE_[A-Z]+)\b(?!_)")
# Not read by the program: by the tests (`THOTH_TEST_…`) and by Docker Compose (the port it publishes).
OTHERS = {"THOTH_TEST_DSN", "THOTH_TEST_MODEL_PYTHON", "THOTH_PG_PORT"}
_COMPOSE = ("docker-compose.yml", "Dockerfile", "Makefile", ".ci/run")


def test_every_setting_has_a_unit_and_a_sentence() -> None:
    assert [line.env for line in lines() if not line.unit or len(line.meaning.split()) < 3] == []


def test_every_setting_stands_in_the_example_and_in_the_reference() -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    reference = (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8")
    for line in lines():
        assert f"\n# {line.env[0]}={line.default}\n" in example
        assert f"Unit: {line.unit}." in example
        assert all(f"`{name}`" in reference for name in line.env)


def test_every_variable_that_is_named_exists() -> None:
    named = {(str(path), name) for path, text in _texts() for name in _VARIABLE.findall(text)}
    assert {(path, name) for path, name in named if name not in SETTINGS | OTHERS and not name.startswith(OF_AGENTS)} == set()


def _texts() -> Iterator[tuple[Path, str]]:
    yield from prose().items()
    yield from ((module.path, module.text) for module in modules())
    yield from ((Path(name), (ROOT / name).read_text(encoding="utf-8")) for name in _COMPOSE)
