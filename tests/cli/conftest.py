"""Running the real command: in this process, with its own streams and environment, or as a program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.views.seed import ground
from thoth_substrate.cli.main import main

PROGRAM = Path(sys.executable).with_name("thoth")


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command printed and with what it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Thoth = Callable[..., Ran]


def environment(dsn: str, home: Path) -> dict[str, str]:
    """What the command sees: this database, a home of its own, no embedder (tests that want one say so)."""
    return {
        "DATABASE_URL": dsn,
        "THOTH_HOME": str(home),
        "THOTH_EMBED_PROVIDER": "none",
        "THOTH_SERVER_PORT": "0",
        "COLUMNS": "200",
    }


@pytest.fixture
def thoth(dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Thoth:
    """Run `thoth …` in this process. `expect` is the exit code it must end with."""
    for name in [name for name in os.environ if name.startswith(("THOTH_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    for name, value in environment(dsn, tmp_path / "home").items():
        monkeypatch.setenv(name, value)

    def run(*words: str, expect: int = 0, env: Mapping[str, str] | None = None) -> Ran:
        for name, value in (env or {}).items():
            monkeypatch.setenv(name, value)
        capsys.readouterr()
        try:
            main(words)
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        printed = capsys.readouterr()
        assert code == expect, f"{words} ended with {code}\n{printed.out}\n{printed.err}"
        return Ran(code, printed.out, printed.err)

    return run


def program(*words: str, env: Mapping[str, str], stdin: str | bytes = b"") -> Ran:
    """Run the installed `thoth` as a process of its own."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("THOTH_", "OPENAI_", "DATABASE_URL"))}
    done = subprocess.run(
        [PROGRAM, *words], env={**bare, **env}, input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


@pytest.fixture
def now() -> datetime:
    """The command tells the real time, so its tests do as well."""
    return datetime.now(UTC)


@pytest.fixture
def seeded(sql: psycopg.Connection, now: datetime) -> psycopg.Connection:
    """The superuser's connection, after months and streams were made around now."""
    ground(sql, now)
    return sql
