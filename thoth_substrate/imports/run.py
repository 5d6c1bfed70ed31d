"""One import: read in batches, leave out what is known, perceive the rest, wait until it is durable, move the mark.

Nothing is taken twice, whatever happens: every message has an external id, and an import that was interrupted goes on
from the last batch that was durable. An import that was finished is read again from the start, since a newer reader may
find more in the same file.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio.to_thread
import orjson

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.errors import BadInput, DatabaseUnavailable, JournalFull, UnknownStream
from thoth_substrate.imports.detect import reader_for
from thoth_substrate.imports.found import Found, Skipped
from thoth_substrate.imports.source import Source
from thoth_substrate.model.slice import Ack, Event

Perceive = Callable[[Event], Ack]
Durable = Callable[[float], Awaitable[bool]]
Progress = Callable[[int, int, int], None]

BATCH_EVENTS = 2000
BATCH_BYTES = 8 << 20
DURABLE_TIMEOUT_S = 120.0
EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class KnownId:
    external_id: str


@dataclass(frozen=True, slots=True)
class Earlier:
    """What `substrate_imports` knows of a file: events that were durable, slices made of them, whether it was finished."""

    position: int
    imported: int
    finished: bool


_KNOWN_IDS = query(__package__, "known_ids", KnownId)
_FIND_IMPORT = query(__package__, "find_import", Earlier)
_SAVE_IMPORT: Query[Any] = query(__package__, "save_import")


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did. `first` and `last` bound the event times of the file, in UTC (None when it has no dates).

    `imported` became slices in this run, `duplicates` were there already, `resumed_after` events were durable from an
    interrupted import and were passed over. `skipped` counts reasons, `examples` says where the first of each were.
    """

    path: str
    format: str
    imported: int
    duplicates: int
    resumed_after: int
    skipped: Mapping[str, int]
    examples: Mapping[str, tuple[str, ...]]
    sessions: int
    first: datetime | None
    last: datetime | None
    seconds: float
    bytes: int


async def run_import(
    perceive: Perceive,
    durable: Durable,
    database: Database,
    path: str | Path,
    *,
    tenant: str,
    format: str | None = None,
    progress: Progress | None = None,
) -> ImportReport:
    """Import the file at `path` ('-' is standard input) for `tenant`.

    `perceive` must perceive for that same tenant, from any thread; `progress(bytes_done, bytes_total, events)` is called
    after each batch (bytes_total is 0 when unknown). Reading and perceiving are done in a worker thread, so that the loop
    goes on flushing. When cancelled, what was durable stays, and the next import of the file goes on there.
    Raises UnreadableFile, BadInput for an unknown format, DatabaseUnavailable when nothing becomes durable.
    """
    started_s = database.clock.monotonic_s()
    with await anyio.to_thread.run_sync(Source, path) as source:
        reader = reader_for(source, format)
        mark = await _Mark.find(database, tenant, reader.NAME, source)
        run = _Run(perceive, durable, source, reader.read(source))
        while run.position < mark.position and not run.at_end:
            await anyio.to_thread.run_sync(run.next_batch, mark.position)
        while not run.at_end:
            if batch := await anyio.to_thread.run_sync(run.next_batch):
                known = await _known(database, tenant, reader.NAME, batch)
                run.duplicates += len(known)
                await run.settle([event for event in batch if event.external_id not in known])
                await mark.move(database, run, finished=False)
            if progress is not None:
                progress(source.done, source.size, run.position)
        await mark.move(database, run, finished=True)
        return run.report(reader.NAME, mark.position, database.clock.monotonic_s() - started_s)


@dataclass(slots=True)
class _Run:
    """An import under way: what was read and what came of it."""

    perceive: Perceive
    durable: Durable
    source: Source
    found: Iterator[Found]
    at_end: bool = False
    position: int = 0
    imported: int = 0
    duplicates: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    examples: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sessions: set[str] = field(default_factory=set)
    first: datetime | None = None
    last: datetime | None = None

    def next_batch(self, until: int | None = None) -> list[Event]:
        """The next events, distinct: at most BATCH_EVENTS, from some BATCH_BYTES of the file, up to the `until`th of it."""
        batch: dict[str | None, Event] = {}
        began_at = self.source.taken
        for found in self.found:
            if isinstance(found, Skipped):
                self._skip(found.reason, found.where)
            else:
                self.position += 1
                self._see(found)
                self.duplicates += until is None and found.external_id in batch
                batch.setdefault(found.external_id, found)
            if len(batch) >= BATCH_EVENTS or self.source.taken - began_at >= BATCH_BYTES or self.position == until:
                return list(batch.values())
        self.at_end = True
        return list(batch.values())

    async def settle(self, events: Sequence[Event]) -> None:
        """Perceive `events` and wait until they are in the database."""
        waiting = deque(events)
        while True:
            await anyio.to_thread.run_sync(self._perceive_all, waiting)
            if not await self.durable(DURABLE_TIMEOUT_S):
                raise DatabaseUnavailable(
                    f"PostgreSQL took nothing for {DURABLE_TIMEOUT_S:.0f} s, so the import of {self.source.name} stopped;"
                    " what was read is kept. Import the file again when the database is back: it goes on where it stood."
                )
            if not waiting:
                return

    def report(self, format: str, resumed_after: int, seconds: float) -> ImportReport:
        return ImportReport(
            path=self.source.name,
            format=format,
            imported=self.imported,
            duplicates=self.duplicates,
            resumed_after=resumed_after,
            skipped=dict(self.skipped.most_common()),
            examples=self.examples,
            sessions=len(self.sessions),
            first=self.first,
            last=self.last,
            seconds=seconds,
            bytes=self.source.taken,
        )

    def _see(self, event: Event) -> None:
        if event.session is not None:
            self.sessions.add(event.session)
        if (time := event.event_time) is not None:
            time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
            self.first = min(self.first or time, time)
            self.last = max(self.last or time, time)

    def _perceive_all(self, waiting: deque[Event]) -> None:
        """Perceive from the front of `waiting` until it is empty, or the journal has no room."""
        while waiting:
            try:
                ack = self.perceive(waiting[0])
            except JournalFull:
                return
            except UnknownStream:
                raise
            except BadInput as error:
                self._skip("refused", f"{waiting[0].external_id}: {error}")
            else:
                self.imported += ack.dropped is None
                if ack.dropped is not None:
                    self._skip(ack.dropped, str(waiting[0].external_id))
            waiting.popleft()

    def _skip(self, reason: str, where: str) -> None:
        self.skipped[reason] += 1
        shown = self.examples.get(reason, ())
        if len(shown) < EXAMPLES:
            self.examples[reason] = (*shown, where)


@dataclass(frozen=True, slots=True)
class _Mark:
    """The row of a file in `substrate_imports`. Standard input has none."""

    tenant: str
    format: str
    file_hash: bytes | None
    position: int
    imported_before: int

    @classmethod
    async def find(cls, database: Database, tenant: str, format: str, source: Source) -> _Mark:
        earlier = None
        if source.identity is not None:
            async with database.tenant(tenant) as tx:
                earlier = await tx.fetch_one(_FIND_IMPORT, format, source.identity)
        position = earlier.position if earlier and not earlier.finished else 0
        return cls(tenant, format, source.identity, position, earlier.imported if earlier else 0)

    async def move(self, database: Database, run: _Run, *, finished: bool) -> None:
        """Write how far the file is durable: all of `run.position`."""
        if self.file_hash is None:
            return
        path = run.source.name.encode("utf-8", "replace").decode()
        imported, skipped = self.imported_before + run.imported, orjson.dumps(run.skipped).decode()
        async with database.tenant(self.tenant) as tx:
            await tx.execute(
                _SAVE_IMPORT, self.format, self.file_hash, path, run.source.size, run.position, imported, skipped, finished
            )


async def _known(database: Database, tenant: str, format: str, batch: Sequence[Event]) -> set[str | None]:
    async with database.tenant(tenant) as tx:
        rows = await tx.fetch(_KNOWN_IDS, format, [event.external_id for event in batch])
    return {row.external_id for row in rows}
