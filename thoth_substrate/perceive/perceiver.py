"""The perceiver: takes events within the turn, in microseconds, and has them flushed beside it."""

from __future__ import annotations

import os
import re
import weakref
from dataclasses import dataclass
from datetime import datetime

from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput, JournalFull, UnknownStream
from thoth_substrate.model.clock import Clock
from thoth_substrate.model.ids import SliceIds
from thoth_substrate.model.slice import Ack, Event
from thoth_substrate.perceive import record
from thoth_substrate.perceive.buffer import Buffer
from thoth_substrate.perceive.flusher import Flusher, Herald
from thoth_substrate.perceive.journal import Journal
from thoth_substrate.settings import Settings

JOURNAL_FOLDER = "journal"
_TENANT = re.compile(r"[\w.:@-]{1,64}", re.ASCII)
_living: weakref.WeakSet[Perceiver] = weakref.WeakSet()


@dataclass(frozen=True, slots=True)
class PerceiveStats:
    """How perceiving stands. Counts are slices since this process began, unless the name says bytes.

    `waiting` are accepted and not yet in the database, of which `buffered` are in memory; `unjournaled` were kept in memory
    only because the disk took none (`journal_failure` says why, while it lasts); `refused` were turned away for want of room;
    `dropped` held nothing to keep; `replayed` came from journals of processes that are gone, and `replaying` says whether more
    may come; `rejected` can never be written and are set aside; `lost_bytes` of journals could not be read back.
    """

    accepted: int
    waiting: int
    buffered: int
    journal_bytes: int
    journal_failure: str | None
    unjournaled: int
    refused: int
    dropped: int
    flushed: int
    duplicates: int
    replayed: int
    replaying: bool
    rejected: int
    redacted: int
    lost_bytes: int
    last_flush_at: datetime | None
    last_failure: str | None
    last_failure_at: datetime | None


class Perceiver:
    """One a process. `perceive` may be called from any thread; `run` is the flusher and belongs to one event loop.

    What is perceived while no flusher runs waits in the journal, also for another process. The child of a fork begins with a
    journal of its own.
    """

    def __init__(self, settings: Settings, clock: Clock, tenant_id: str | None = None) -> None:
        self._clock = clock
        self._tenant_id = tenant_id or settings.tenant
        self._max_bytes = settings.slice_max_bytes
        self._ids = SliceIds()
        self._herald = Herald(clock)
        journal = Journal(settings.home_dir / JOURNAL_FOLDER, settings.journal_max_bytes, clock)
        self._buffer = Buffer(journal, settings.buffer_rows)
        self._flusher = Flusher(settings, clock, self._buffer, self._herald)
        _living.add(self)

    def perceive(self, event: Event, *, tenant_id: str | None = None) -> Ack:
        """Keep an event. Acknowledged means that it survives the death of this process.

        Takes microseconds and never waits for the database. Raises BadInput or UnknownStream for what cannot be kept,
        JournalFull when there is no room left.
        """
        tenant = self._tenant_id if tenant_id is None else tenant_id
        if event.stream not in self._flusher.streams:
            raise UnknownStream(f"There is no stream {event.stream!r}; nothing was stored. `thoth substrate streams` lists them.")
        if not _TENANT.fullmatch(tenant):
            raise BadInput(f"{tenant!r} cannot name a tenant: 1 to 64 letters, digits or _.:@- are needed; nothing was stored.")
        now = self._clock.now()
        slice_id = self._ids.next(now)
        body = record.write(event, tenant, slice_id, now, self._max_bytes)
        if isinstance(body, record.Dropped):
            self._buffer.count_dropped()
            return Ack(None, dropped=body.reason)
        try:
            self._buffer.put(body)
        except JournalFull as full:
            self._herald.say("full", str(full))
            raise
        return Ack(slice_id)

    async def run(self, database: Database) -> None:
        """Flush until cancelled; a last flush is then tried for at most 2 s, and what it leaves waits in the journal.

        Waits for a database that is away with growing pauses (at most 5 s), makes missing months, and reads back the
        journals of processes that are gone: at the start, each minute, and when the database returns.
        """
        await self._flusher.run(database)

    async def durable(self, timeout_s: float) -> bool:
        """True when everything perceived before this call is in the database; False when that took too long. Any loop."""
        return await self._buffer.until_settled(timeout_s)

    def stats(self) -> PerceiveStats:
        """How perceiving stands now. Safe from any thread."""
        buffer, counts, tally = self._buffer, self._buffer.counts, self._flusher.tally
        return PerceiveStats(
            accepted=counts.accepted,
            waiting=buffer.waiting,
            buffered=buffer.in_memory,
            journal_bytes=buffer.journal_bytes,
            journal_failure=buffer.failure,
            unjournaled=counts.unjournaled,
            refused=counts.refused,
            dropped=counts.dropped,
            flushed=tally.flushed,
            duplicates=tally.duplicates,
            replayed=tally.replayed,
            replaying=self._flusher.replaying,
            rejected=tally.rejected,
            redacted=tally.redacted,
            lost_bytes=self._flusher.replay.lost_bytes,
            last_flush_at=tally.last_flush_at,
            last_failure=tally.last_failure,
            last_failure_at=tally.last_failure_at,
        )

    def close(self) -> None:
        """Let go of the journal, once `run` has ended. What is not flushed waits there for the next start."""
        self._buffer.close()

    def _start_anew(self) -> None:
        """In the child of a fork, where no flusher runs: the parent's slices and files stay the parent's."""
        self._ids = SliceIds()
        self._buffer.start_anew()
        self._flusher.replay.close()


def _in_the_child() -> None:
    for perceiver in list(_living):
        perceiver._start_anew()


os.register_at_fork(after_in_child=_in_the_child)
