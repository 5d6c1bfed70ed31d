"""A vault for the tests of watching: a folder, a memory that it feeds through the real parts, and a look at what answers."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from thoth_substrate.db.pool import Database
from thoth_substrate.fade.retire import relabel, retire
from thoth_substrate.imports.documents import described, read_document
from thoth_substrate.perceive import streams
from thoth_substrate.perceive.perceiver import Perceiver
from thoth_substrate.settings import load
from thoth_substrate.triage.index import index
from thoth_substrate.triage.pass_pending import triage
from thoth_substrate.watch.ports import Ports
from thoth_substrate.watch.watch import Options, Step, Watch

TENANT = "default"


@dataclass
class Vault:
    """A watched folder, and what the memory holds of it. `stamp` makes every write a later one, whatever the disk's clock."""

    root: Path
    home: Path
    db: Database
    sql: psycopg.Connection
    perceiver: Perceiver
    watch: Watch
    ports: Ports
    stamp: int = 1_700_000_000

    def write(self, path: str, content: str | bytes) -> Path:
        """A file with that content, changed just now."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        self.stamp += 1
        os.utime(file, (self.stamp, self.stamp))
        return file

    def again(self, ports: Ports | None = None, options: Options | None = None, roots: Sequence[Path] = ()) -> Watch:
        """Another watcher of the same folder, as after a new start."""
        self.watch.close()
        self.ports = ports or self.ports
        self.watch = Watch(self.db, self.home, TENANT, roots or [self.root], self.ports, options)
        return self.watch

    async def settles(self, *, full: bool = False) -> list[Step]:
        """Steps until nothing is left to do, beginning with a look; then all that is pending is made searchable."""
        self.watch.alarm()
        steps = [await self.watch.step(full=full)]
        while steps[-1].more:
            steps.append(await self.watch.step())
        await self.searchable()
        return steps

    async def searchable(self) -> None:
        await triage(self.db, limit_rows=10_000, defence=False)
        while (await index(self.db, limit_rows=1000)).slices:
            pass

    def files(self) -> dict[str, str]:
        """The state of every file that is not retired."""
        return dict(self.rows("select path, state from thoth.substrate_files where state <> 'retired' order by path"))

    def answers(self, term: str) -> list[str]:
        """Which files' slices are found by a term, one for each passage of a slice that is not forgotten."""
        return sorted(
            row[0]
            for row in self.rows(
                "select s.metadata ->> 'path' from thoth.substrate_passages p"
                " join thoth.substrate_slices s using (tenant_id, slice_id) where %s = any (p.terms) and not s.forgotten",
                term,
            )
        )

    def live(self, path: str) -> list[UUID]:
        (found,) = self.rows("select slice_ids from thoth.substrate_files where path = %s and state <> 'retired'", path)
        return list(found[0])

    def error(self, path: str) -> str:
        (found,) = self.rows("select error from thoth.substrate_files where path = %s and state <> 'retired'", path)
        return str(found[0])

    def rows(self, statement: str, *arguments: Any) -> list[tuple[Any, ...]]:
        return self.sql.execute(statement.encode(), arguments).fetchall()


@contextlib.asynccontextmanager
async def perceiving(home: Path, db: Database) -> AsyncIterator[Perceiver]:
    """A perceiver with its flusher beside it."""
    perceiver = Perceiver(load(THOTH_HOME=str(home)), db.clock)
    flusher = asyncio.create_task(perceiver.run(db))
    try:
        yield perceiver
    finally:
        flusher.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await flusher
        perceiver.close()


@pytest.fixture
async def vault(db: Database, sql: psycopg.Connection, tmp_path: Path) -> AsyncIterator[Vault]:
    """An empty folder that is watched into the tenant `default`."""
    await streams.register(db)
    sql.execute("select thoth.substrate_make_months('2026-05-01', 1)")
    root, home = tmp_path / "vault", tmp_path / "home"
    root.mkdir()
    async with perceiving(home, db) as perceiver:
        ports = Ports(perceiver.perceive, perceiver.durable, read_document, described, retire, relabel)
        watch = Watch(db, home, TENANT, [root], ports)
        made = Vault(root, home, db, sql, perceiver, watch, ports)
        yield made
        made.watch.close()
