"""The flusher: brings what was perceived to the database, on one event loop, for as long as the process lives."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_random_exponential

from thoth_substrate.db.pool import Database
from thoth_substrate.errors import DatabaseError, DatabaseUnavailable
from thoth_substrate.model.clock import Clock
from thoth_substrate.perceive import redact
from thoth_substrate.perceive.buffer import NEVER, Buffer
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
        """Write one batch of this process's slices; answers how many there were. Raises DatabaseUnavailable."""
        taken = self._buffer.take(self._settings.flush_batch_rows, BATCH_BYTES)
        if not taken:
            return 0
        outcome: Outcome | None = None
        try:
            outcome = await self._store(writer, [held.body for held in taken], patience_s)
        finally:
            if outcome is None:
                self._buffer.put_back(taken)
        self._buffer.settle(taken)
        self.tally.flushed += len(taken) - outcome.duplicates - len(outcome.rejected)
        self.tally.last_flush_at = self._clock.now()
        return len(taken)

    async def _flush_dead(self, writer: Writer) -> None:
        """Write one batch that another process, now gone, has left. Raises DatabaseUnavailable."""
        if self.replay.pending:
            bodies = await asyncio.to_thread(self.replay.batch, self._settings.flush_batch_rows, BATCH_BYTES)
            if bodies:
                outcome = await self._store(writer, bodies, WRITE_PATIENCE_S)
                self.replay.done()
                self.tally.replayed += outcome.written
                self.tally.last_flush_at = self._clock.now()

    async def _store(self, writer: Writer, bodies: Sequence[bytes], patience_s: float) -> Outcome:
        """Bring records to the database or set them aside. Raises DatabaseUnavailable; then none of it counts as done."""
        by_tenant: dict[str, list[Row]] = {}
        by_id: dict[str, bytes] = {}
        total, redacted = Outcome(), 0
        for number, body in enumerate(bodies, start=1):
            try:
                shaped = await self._shaped(body)
            except UNREADABLE as error:
                total.rejected[f"record {number}"] = f"the record cannot be read: {error}"
                by_id[f"record {number}"] = body
                continue
            by_tenant.setdefault(shaped.tenant_id, []).append(shaped.row)
            by_id[shaped.row.slice_id] = body
            redacted += shaped.redacted
            if number % _BREATH_ROWS == 0:
                await asyncio.sleep(0)
        for tenant_id, rows in by_tenant.items():
            total.add(await self._patiently(writer, tenant_id, rows, patience_s))
        for record, reason in total.rejected.items():
            self._set_aside(by_id[record], reason)
        self.tally.duplicates += total.duplicates
        self.tally.redacted += redacted
        return total

    async def _shaped(self, body: bytes) -> Shaped:
        redacting = self._settings.redact_secrets
        if len(body) < _BIG_BYTES:
            return shape(body, redacting=redacting)
        return await asyncio.to_thread(shape, body, redacting=redacting)

    async def _patiently(self, writer: Writer, tenant_id: str, rows: Sequence[Row], patience_s: float) -> Outcome:
        """Write, but wait no longer than `patience_s`: a frozen server is left behind, not waited for."""
        task = self._writing = asyncio.create_task(writer.write(tenant_id, rows))
        task.add_done_callback(self._forget_task)
        done, _ = await asyncio.wait({task}, timeout=patience_s)
        if not done:
            self._abandon(writer)
            raise DatabaseUnavailable(
                f"PostgreSQL took {len(rows)} slices and did not answer within {patience_s:.0f} s; they are sent again."
            )
        return task.result()

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
