"""Where a benchmark runs: a database of its own, a home of its own, and the product opened on them."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from thoth_substrate import settings as all_settings
from thoth_substrate.db.embedded import EmbeddedServer
from thoth_substrate.db.migrate import migrate
from thoth_substrate.db.pool import Database, PoolOptions
from thoth_substrate.model.clock import Clock
from thoth_substrate.model.dsn import normal_dsn
from thoth_substrate.model.ports import Embedder
from thoth_substrate.settings import Settings
from thoth_substrate.substrate import Substrate

PATIENT_MS = "60000"
CONNECTIONS = 4


@dataclass(frozen=True, slots=True)
class Place:
    """A migrated, empty database and a THOTH_HOME. `postmaster` is the pid of a server that was started here, else None."""

    dsn: str
    home: Path
    version: str
    postmaster: int | None

    def settings(self, **given: Any) -> Settings:
        """The settings of the environment, on this place. Recall is on; `given` (by variable) wins."""
        own = {"THOTH_HOME": self.home, "THOTH_PG_DSN": self.dsn, "THOTH_SUBSTRATE_RECALL": "1"}
        return all_settings.load(**{**own, **given})

    async def database(self, clock: Clock | None = None, size: int = CONNECTIONS) -> Database:
        """A pool of the workers' kind."""
        return await Database.open(self.dsn, PoolOptions(size=size, application="thoth bench"), clock)

    def substrate(
        self, settings: Settings, embedder: Embedder | None, clock: Clock | None = None, connections: int | None = None
    ) -> Substrate:
        """The façade as a host opens it, on the voice's pool."""
        size = settings.voice_pool if connections is None else connections
        options = PoolOptions(size, statement_timeout_ms=settings.recall_deadline_ms, application="thoth bench voice")

        async def connect(its_clock: Clock) -> Database:
            return await Database.open(self.dsn, options, its_clock)

        return Substrate(settings, connect, embedder, clock)


@contextlib.contextmanager
def place(server_dsn: str | None) -> Iterator[Place]:
    """A place on the server at `server_dsn` (its user may create databases), else on an embedded server of its own."""
    with _home() as home, _server(server_dsn, home) as (dsn, postmaster):
        name = f"thoth_bench_{os.getpid()}"
        _command(dsn, sql.SQL("drop database if exists {} with (force)"), name)
        _command(dsn, sql.SQL("create database {}"), name)
        try:
            base, _, options = dsn.partition("?")
            own = f"{base.rsplit('/', 1)[0]}/{name}" + (f"?{options}" if options else "")
            migrate(own)
            yield Place(own, home, _version(own), postmaster)
        finally:
            _command(dsn, sql.SQL("drop database if exists {} with (force)"), name)


@contextlib.contextmanager
def _home() -> Iterator[Path]:
    home = Path(tempfile.mkdtemp(prefix="thoth-bench-"))
    home.chmod(0o711)  # the embedded server's own user must reach it when we are root
    try:
        yield home
    finally:
        shutil.rmtree((home / "pg").resolve(), ignore_errors=True)
        shutil.rmtree(home, ignore_errors=True)


@contextlib.contextmanager
def _server(given: str | None, home: Path) -> Iterator[tuple[str, int | None]]:
    if given:
        yield normal_dsn(given), None
        return
    with EmbeddedServer(home) as server:
        yield server.dsn, int((server.place.data / "postmaster.pid").read_text().split()[0])


def _command(dsn: str, statement: sql.SQL, name: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(statement.format(sql.Identifier(name)))


def _version(dsn: str) -> str:
    with psycopg.connect(dsn) as connection:
        return connection.info.parameter_status("server_version") or "unknown"
