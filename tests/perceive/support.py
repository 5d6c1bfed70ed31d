"""What the tests of perceiving share: settings in a folder of their own, a running flusher, a road that breaks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg

from tests.waiting import until_async
from thoth_substrate.db.pool import Database
from thoth_substrate.model.slice import Event
from thoth_substrate.perceive.perceiver import Perceiver
from thoth_substrate.settings import Settings, load

CLI = "thoth.world.user_message.cli"
TOOL_RESULT = "thoth.self_action.tool_result"
PATIENCE_S = 60.0


def settings(home: Path, **given: Any) -> Settings:
    return load(THOTH_HOME=str(home), **given)


def said(text: Any, **given: Any) -> Event:
    return Event(given.pop("stream", CLI), text, **given)


@contextlib.asynccontextmanager
async def flushing(perceiver: Perceiver, database: Database) -> AsyncIterator[asyncio.Task[None]]:
    """The flusher, running until the block ends."""
    task = asyncio.create_task(perceiver.run(database))
    try:
        yield task
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def flushed(perceiver: Perceiver, database: Database) -> None:
    """Run the flusher until everything is in the database."""
    async with flushing(perceiver, database):
        assert await perceiver.durable(PATIENCE_S), perceiver.stats()


async def replayed(perceiver: Perceiver, database: Database, rows: int) -> None:
    """Run the flusher until so many slices of the dead are in the database."""
    async with flushing(perceiver, database):
        await until(lambda: perceiver.stats().replayed >= rows)


async def all_replayed(perceiver: Perceiver, database: Database) -> None:
    """Run the flusher until nothing is left of the dead."""
    async with flushing(perceiver, database):
        await until(lambda: not perceiver.stats().replaying)


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop turn until something has come about."""

    async def look() -> bool:
        return condition()

    await until_async(look, patience_s=PATIENCE_S)


def column(sql: psycopg.Connection, statement: str) -> list[Any]:
    return [row[0] for row in sql.execute(statement.encode())]


def texts(sql: psycopg.Connection) -> list[str]:
    return column(sql, "select text from thoth.substrate_slices order by slice_id")


class Road:
    """A TCP road to the database that can be closed, frozen and cut, as networks and servers are."""

    def __init__(self, dsn: str) -> None:
        parts = urlsplit(dsn)
        self._host, self._port = parts.hostname or "127.0.0.1", parts.port or 5432
        self._parts = parts
        self._server: asyncio.Server | None = None
        self._pairs: set[asyncio.StreamWriter] = set()
        self._own_port = 0
        self._thawed = asyncio.Event()
        self._thawed.set()
        self.chunks = 0
        self.cut_at: int | None = None

    @property
    def dsn(self) -> str:
        user = self._parts.netloc.rpartition("@")[0]
        return urlunsplit(self._parts._replace(netloc=f"{user}@127.0.0.1:{self._own_port}"))

    async def open(self) -> None:
        """Let connections through (again)."""
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", self._own_port)
        self._own_port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Refuse new connections and cut those there are: the server has gone."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self.cut()
        self._thawed.set()

    def cut(self) -> None:
        """Cut every connection."""
        for writer in list(self._pairs):
            writer.transport.abort()

    def freeze(self) -> None:
        """Carry nothing more, and close nothing: a stopped server, a silent network."""
        self._thawed.clear()

    def thaw(self) -> None:
        self._thawed.set()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection(self._host, self._port)
        self._pairs |= {writer, there_writer}
        try:
            await asyncio.gather(self._pump(reader, there_writer), self._pump(there_reader, writer))
        finally:
            self._pairs -= {writer, there_writer}

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                await self._thawed.wait()
                self.chunks += 1
                if self.chunks == self.cut_at:
                    self.cut()
                    return
                writer.write(data)
                await writer.drain()
        writer.close()
