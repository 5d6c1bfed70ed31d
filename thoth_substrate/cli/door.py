"""The way from a command to the database: find the server, see that its schema is current, do one thing, leave."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

from thoth_substrate import boot
from thoth_substrate.boot import Server
from thoth_substrate.cli import out
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import DatabaseUnavailable
from thoth_substrate.settings import Settings
from thoth_substrate.substrate import Substrate
from thoth_substrate.views.words import without_password

T = TypeVar("T")
AWAKE_TIMEOUT_S = 30.0


def ask(settings: Settings, work: Callable[[Database], Awaitable[T]]) -> T:
    """Do `work` on the settings' database. Raises DatabaseUnavailable, DatabaseUnsuitable, SchemaOutdated."""
    with found(settings) as server:
        return on(settings, server, work)


@contextlib.contextmanager
def found(settings: Settings) -> Iterator[Server]:
    """The settings' server, the embedded one started if need be and stopped again if nobody else uses it."""
    quiet()
    if settings.dsn is None and not (settings.home_dir / "pg" / "data").exists():
        out.talk(f"Setting up an embedded PostgreSQL in {settings.home_dir / 'pg'} (once; some seconds) …")
    with boot.find_server(settings) as server:
        yield server


def on(settings: Settings, server: Server, work: Callable[[Database], Awaitable[T]]) -> T:
    """Do `work` on that server's database, once its schema is current."""
    return asyncio.run(_on(settings, server.dsn, work))


@contextlib.contextmanager
def substrate(settings: Settings, server: Server) -> Iterator[Substrate]:
    """The façade on that server, awake. Raises ThothError when it cannot be reached."""
    with boot.open_substrate(settings, server.dsn, loud=True) as opened:
        if not opened.ready_sync(AWAKE_TIMEOUT_S):
            why = opened.health()["failure"] or f"nothing came within {AWAKE_TIMEOUT_S:.0f} s"
            raise DatabaseUnavailable(f"The memory did not wake ({why}): `thoth substrate doctor` says what to look at.")
        yield opened


def where(server: Server) -> str:
    """The server in words, without its password."""
    place = "embedded, " if server.embedded else ""
    return f"PostgreSQL {server.version.split()[0]} ({place}{without_password(server.dsn)})"


def quiet() -> None:
    """One-shot commands speak for themselves: only warnings of the rooms below are heard, on stderr."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="thoth: %(message)s")


def loud(settings: Settings) -> None:
    """What runs in the foreground tells what it does, on stderr; of HTTP only what is wrong: else a line a call."""
    logging.basicConfig(level=settings.log_level, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    if settings.log_level != "DEBUG":
        for library in ("httpx", "httpx2", "uvicorn", "mcp"):
            logging.getLogger(library).setLevel(logging.WARNING)


async def _on(settings: Settings, dsn: str, work: Callable[[Database], Awaitable[T]]) -> T:
    await boot.prepare(settings, dsn)
    database = await boot.open_database(settings, dsn, pool="voice")
    try:
        return await work(database)
    finally:
        await database.close()
