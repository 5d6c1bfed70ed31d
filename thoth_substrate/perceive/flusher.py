"""The flusher: brings what was perceived to the database, on one event loop, for as long as the process lives."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_random_exponential

from thoth_substrate.db.pool import Database
from thoth_substrate.errors import DatabaseError, DatabaseUnavailable
from thoth_substrate.model.clock import Clock
from thoth_substrate.perceive import redact
from thoth_substrate.perceive.buffer import NEVER, Buffer, Held
from thoth_substrate.perceive.flush import UNREADABLE, Outcome, Row, Shaped, Writer, shape
from thoth_substrate.perceive.replay import Replay, set_aside
from thoth_substrate.perceive.streams import STREAMS, register, registered
from thoth_substrate.settings import Settings

BATCH_BYTES = 8 << 20
WRITE_PATIENCE_S = 30.0
EXIT_PATIENCE_S = 2.0
LONGEST_PAUSE_S = 5.0
LOOK_EVERY_S = 60.0
SAY_EVERY_S = 60.0
# After so many rows the flusher lets other tasks and threads have their turn; a bigger record is read beside the loop.
_BREATH_ROWS = 20
_BIG_BYTES = 256 << 10
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Tally:
    """What the flusher has done since the process began, in slices; only its own loop writes here."""

    flushed: int = 0
    duplicates: int = 0
    replayed: int = 0
    rejected: int = 0
    redacted: int = 0
    last_flush_at: datetime | None = None
    last_failure: str | None = None
    last_failure_at: datetime | None = None


@dataclass(slots=True)
class Batch:
    """Records shaped for writing: rows by tenant, and every body by its slice's id, or by its number when unreadable."""

    held: list[Held]
    rows: dict[str, list[Row]] = field(default_factory=dict)
    bodies: dict[str, bytes] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)
    redacted: int = 0


class Herald:
    """Says the same kind of thing at most once a minute."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._said_s: dict[str, float] = {}

    def say(self, kind: str, sentence: str) -> None:
        now_s = self._clock.monotonic_s()
        if now_s - self._said_s.get(kind, -NEVER) >= SAY_EVERY_S:
            self._said_s[kind] = now_s
            _log.error("%s", sentence)


class Flusher:
    """Takes from the buffer and from dead journals, writes, settles. `streams` are the names that may be perceived."""

    def __init__(self, settings: Settings, clock: Clock, buffer: Buffer, herald: Herald) -> None:
        self._settings, self._clock, self._buffer, self._herald = settings, clock, buffer, herald
        self._directory: Path = buffer.journal.directory
        self.replay = Replay(self._directory)
        self.tally = Tally()
        self.streams = frozenset(stream.name for stream in STREAMS)
        self._registered = False
        self._looked_s = -NEVER
        self._next: Batch | None = None
        self._writing: asyncio.Task[Outcome] | None = None
        self._abandoned: set[asyncio.Task[Outcome]] = set()

    @property
    def replaying(self) -> bool:
        """Whether journals of processes that are gone are still to be read back, or to be looked for."""
        return self.replay.pending or self._looked_s == -NEVER

    async def run(self, database: Database) -> None:
        """Flush until cancelled. An absent database is waited for, with growing pauses; nothing is lost meanwhile."""
        writer = Writer(database)
        woken = self._attach()
        self._looked_s = -NEVER
        try:
            await asyncio.to_thread(redact.warm)
            while True:
                await self._gather(woken)
                async for attempt in AsyncRetrying(
                    retry=retry_if_exception_type((DatabaseError, OSError)),
                    wait=wait_random_exponential(multiplier=0.05, max=LONGEST_PAUSE_S),
                    before_sleep=self._note_failure,
                ):
                    with attempt:
                        await self._step(database, writer)
        finally:
            self._buffer.wake = None
            await self._flush_at_exit(writer)

    def _attach(self) -> asyncio.Event:
        loop, woken = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has been closed without ending its tasks
                loop.call_soon_threadsafe(woken.set)

        self._buffer.wake = wake
        return woken

    async def _gather(self, woken: asyncio.Event) -> None:
        """Until there is something to write, and then a little longer for company, unless somebody waits for it."""
        if self.replay.pending or self._is_time_to_look():
            return
        await self._until_waiting(1, woken, LOOK_EVERY_S)
        if self._buffer.waiting:
            await self._until_waiting(self._settings.flush_batch_rows, woken, self._settings.flush_interval_ms / 1000)

    async def _until_waiting(self, rows: int, woken: asyncio.Event, at_most_s: float) -> None:
        woken.clear()
        self._buffer.wake_at_rows = rows
        if self._buffer.waiting < rows and not (self._buffer.waiting and self._buffer.in_haste):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(at_most_s):
                    await woken.wait()
        self._buffer.wake_at_rows = NEVER

    async def _step(self, database: Database, writer: Writer) -> None:
        """One batch of our own and one of the dead, so that neither waits for the other. Raises DatabaseUnavailable."""
        if self._buffer.failure:
            self._herald.say(
                "disk", f"The journal cannot be written ({self._buffer.failure}): what is perceived is kept in memory only."
            )
        if self._is_time_to_look():
            await self._look_around(database)
        await self._flush_own(writer, WRITE_PATIENCE_S)
        await self._flush_dead(writer)

    def _is_time_to_look(self) -> bool:
        return self._clock.monotonic_s() - self._looked_s >= LOOK_EVERY_S

    async def _look_around(self, database: Database) -> None:
        """Learn the streams that others registered, and look for journals whose writers are gone."""
        if not self._registered:
            await register(database)
            self._registered = True
        there = await registered(database)
        self.streams = frozenset(row.stream for row in there if not row.retired)
        self._buffer.count_others()
        self.replay.look()
        self._looked_s = self._clock.monotonic_s()

    async def _flush_own(self, writer: Writer, patience_s: float) -> int:
        """Write one batch of this process's slices; answers how many there were. Raises DatabaseUnavailable.

        While the server works on it the next one is shaped, when there is a full one: the two cores are then both used.
        """
        batch = self._next or await self._next_batch()
        self._next = None
        if not batch.bodies:
            return 0
        outcome: Outcome | None = None
        try:
            self._send(writer, batch)
            if self._buffer.holds(self._settings.flush_batch_rows):
                self._next = await self._next_batch()
            outcome = await self._answer(writer, patience_s)
        finally:
            if outcome is None:
                self._put_back(batch)
        self._buffer.settle(batch.held)
        self._book(batch, outcome)
        self.tally.flushed += len(batch.held) - outcome.duplicates - len(outcome.rejected)
        return len(batch.held)

    async def _flush_dead(self, writer: Writer) -> None:
        """Write one batch that another process, now gone, has left. Raises DatabaseUnavailable."""
        if self.replay.pending:
            bodies = await asyncio.to_thread(self.replay.batch, self._settings.flush_batch_rows, BATCH_BYTES)
            if bodies:
                batch = await self._shaped_batch(bodies, [])
                self._send(writer, batch)
                outcome = await self._answer(writer, WRITE_PATIENCE_S)
                self.replay.done()
                self._book(batch, outcome)
                self.tally.replayed += outcome.written

    async def _next_batch(self) -> Batch:
        held = self._buffer.take(self._settings.flush_batch_rows, BATCH_BYTES)
        batch: Batch | None = None
        try:
            batch = await self._shaped_batch([one.body for one in held], held)
        finally:
            if batch is None:
                self._buffer.put_back(held)
        return batch

    def _put_back(self, batch: Batch) -> None:
        if self._next is not None:
            self._buffer.put_back(self._next.held)
            self._next = None
        self._buffer.put_back(batch.held)

    async def _shaped_batch(self, bodies: Sequence[bytes], held: list[Held]) -> Batch:
        batch = Batch(held)
        for number, body in enumerate(bodies, start=1):
            try:
                shaped = await self._shaped(body)
            except UNREADABLE as error:
                batch.bodies[f"record {number}"] = body
                batch.unreadable[f"record {number}"] = f"the record cannot be read: {error}"
                continue
            batch.bodies[shaped.row.slice_id] = body
            batch.rows.setdefault(shaped.tenant_id, []).append(shaped.row)
            batch.redacted += shaped.redacted
            if number % _BREATH_ROWS == 0:
                await asyncio.sleep(0)
        return batch

    def _send(self, writer: Writer, batch: Batch) -> None:
        self._writing = asyncio.create_task(_written(writer, batch))
        self._writing.add_done_callback(self._forget_task)

    async def _answer(self, writer: Writer, patience_s: float) -> Outcome:
        """What became of what was sent, but not after `patience_s`: a frozen server is left behind, not waited for."""
        assert self._writing is not None
        done, _ = await asyncio.wait({self._writing}, timeout=patience_s)
        if not done:
            self._abandon(writer)
            raise DatabaseUnavailable(f"PostgreSQL did not answer a batch within {patience_s:.0f} s; it is sent again.")
        return self._writing.result()

    def _book(self, batch: Batch, outcome: Outcome) -> None:
        """Set aside what can never be written, and count."""
        for record, reason in outcome.rejected.items():
            self._set_aside(batch.bodies[record], reason)
        self.tally.duplicates += outcome.duplicates
        self.tally.redacted += batch.redacted
        self.tally.last_flush_at = self._clock.now()

    async def _shaped(self, body: bytes) -> Shaped:
        redacting = self._settings.redact_secrets
        if len(body) < _BIG_BYTES:
            return shape(body, redacting=redacting)
        return await asyncio.to_thread(shape, body, redacting=redacting)

    def _abandon(self, writer: Writer) -> None:
        if self._writing is not None and not self._writing.done():
            self._abandoned.add(self._writing)
            writer.cut()
            self._writing.cancel()

    def _forget_task(self, task: asyncio.Task[Outcome]) -> None:
        self._abandoned.discard(task)
        if not task.cancelled():
            task.exception()  # whoever awaited it has seen it; nobody else needs to hear of it

    async def _flush_at_exit(self, writer: Writer) -> None:
        """A last attempt, bounded. What it leaves is in the journal, for the next start."""
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + EXIT_PATIENCE_S
        if self._writing is not None and not self._writing.done():
            await asyncio.wait({self._writing}, timeout=EXIT_PATIENCE_S)
            self._abandon(writer)
        with contextlib.suppress(DatabaseError):
            while (left_s := ends_at - loop.time()) > 0 and await self._flush_own(writer, left_s):
                pass
        self.replay.close()

    def _note_failure(self, state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        self.tally.last_failure, self.tally.last_failure_at = str(error), self._clock.now()
        self._looked_s = -NEVER  # when it returns, others may have died meanwhile
        self._herald.say("database", str(error))

    def _set_aside(self, body: bytes, reason: str) -> None:
        self.tally.rejected += 1
        try:
            where = f"it is kept in {set_aside(self._directory, self._clock, body, reason)}"
        except OSError as error:
            where = f"it is lost, since it could not be set aside ({error})"
        _log.error("A slice can never be written and is set aside: %s; %s.", reason, where)


async def _written(writer: Writer, batch: Batch) -> Outcome:
    """What became of a batch, one transaction a tenant. Raises DatabaseUnavailable; then none of it counts as done."""
    total = Outcome(rejected=dict(batch.unreadable))
    for tenant_id, rows in batch.rows.items():
        total.add(await writer.write(tenant_id, rows))
    return total
