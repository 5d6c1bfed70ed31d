"""Between the turn and the flusher: records in memory up to a bound, and beyond it in the journal only, in order."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from thoth_substrate.errors import JournalFull
from thoth_substrate.perceive.journal import BEGINNING, Journal, Position, Segment, bytes_in

BUFFER_BYTES = 64 << 20
REOPEN_AFTER_S = 5.0
NEVER = float("inf")


@dataclass(frozen=True, slots=True)
class Held:
    """A record that waits. `position` is its end in the journal, None when the disk would not take it."""

    body: bytes
    position: Position | None


@dataclass(slots=True)
class Counts:
    """What has gone through since the process began, in slices. `refused` found the journal or the memory full."""

    accepted: int = 0
    settled: int = 0
    dropped: int = 0
    refused: int = 0
    unjournaled: int = 0


@dataclass(eq=False, slots=True)
class _Waiter:
    """Somebody who waits until so many slices are settled, on a loop of their own."""

    target: int
    loop: asyncio.AbstractEventLoop
    settled: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self) -> None:
        with contextlib.suppress(RuntimeError):  # its loop has been closed meanwhile
            self.loop.call_soon_threadsafe(self.settled.set)


@dataclass(slots=True)
class Buffer:
    """Takes records from any thread in microseconds and hands them to the one flusher in the order they came.

    At most `limit_rows` records and BUFFER_BYTES are held in memory. What comes while it is full waits in the journal and is
    read back when the memory has been emptied; what the journal does not take either is refused (JournalFull).
    """

    journal: Journal
    limit_rows: int
    counts: Counts = field(default_factory=Counts)
    failure: str | None = None
    # Called once, from whatever thread, when so many slices wait; then `wake_at_rows` must be set again.
    wake_at_rows: float = NEVER
    wake: Callable[[], None] | None = None
    # A signal handler may perceive while its own thread does.
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _held: deque[Held] = field(default_factory=deque)
    _bytes: int = 0
    _spilled: bool = False
    _late: deque[Held] = field(default_factory=deque)
    _last: Position = BEGINNING
    _broken_until_s: float = -NEVER
    _waiters: set[_Waiter] = field(default_factory=set)

    def put(self, body: bytes) -> None:
        """Keep a record. Raises JournalFull when there is no room left on disk, or neither disk nor memory."""
        with self._lock:
            position = self._journaled(body)
            if position is not None and (self._spilled or self._is_full(len(body))):
                self._spilled = True
            else:
                self._remember(Held(body, position))
            self.counts.accepted += 1
            if self.waiting >= self.wake_at_rows:
                self._wake_flusher()

    def count_dropped(self) -> None:
        """One more event of which nothing was kept."""
        with self._lock:
            self.counts.dropped += 1

    def take(self, limit_rows: int, limit_bytes: int) -> list[Held]:
        """The oldest records, for the flusher; empty when all are settled or in hand."""
        if not self._held:
            self._refill()
        taken: list[Held] = []
        size = 0
        with self._lock:
            while self._held and len(taken) < limit_rows and (not taken or size + len(self._held[0].body) <= limit_bytes):
                held = self._held.popleft()
                size += len(held.body)
                taken.append(held)
            self._bytes -= size
        return taken

    def holds(self, rows: int) -> bool:
        """Whether so many could be taken at once."""
        return self._spilled or len(self._held) >= rows

    def put_back(self, taken: Sequence[Held]) -> None:
        """Return what could not be written; it comes first again."""
        with self._lock:
            self._held.extendleft(reversed(taken))
            self._bytes += sum(len(held.body) for held in taken)

    def settle(self, taken: Sequence[Held]) -> None:
        """These are in the database (or set aside): the journal needs them no longer."""
        with self._lock:
            self.counts.settled += len(taken)
            upto = max((held.position for held in taken if held.position), default=None)
            spent = self._checkpoint(upto) if upto else []
            for waiter in self._waiters:
                if waiter.target <= self.counts.settled:
                    waiter.tell()
        for segment in spent:
            with contextlib.suppress(OSError):  # what stays is read back at the next start, and is known by its ids
                segment.remove()

    async def until_settled(self, timeout_s: float) -> bool:
        """Wait until everything accepted before this call is settled; False when that took too long. On any loop."""
        waiter = _Waiter(self.counts.accepted, asyncio.get_running_loop())
        with self._lock:
            if self.counts.settled >= waiter.target:
                return True
            self._waiters.add(waiter)
            self._wake_flusher()
        try:
            async with asyncio.timeout(timeout_s):
                await waiter.settled.wait()
        except TimeoutError:
            return False
        else:
            return True
        finally:
            with self._lock:
                self._waiters.discard(waiter)

    @property
    def in_haste(self) -> bool:
        """Whether somebody waits for what is here to be settled."""
        return bool(self._waiters)

    @property
    def waiting(self) -> int:
        """Slices accepted and not yet settled, wherever they wait."""
        return self.counts.accepted - self.counts.settled

    def count_others(self) -> None:
        """Count anew what journals of other processes take of the bound."""
        others = bytes_in(self.journal.directory) - self.journal_bytes
        with self._lock:
            self.journal.others_bytes = others

    @property
    def in_memory(self) -> int:
        return len(self._held) + len(self._late)

    @property
    def journal_bytes(self) -> int:
        with self._lock:
            return self.journal.size

    def close(self) -> None:
        """Let go of the journal's files. What is not flushed waits in them for the next start."""
        with self._lock:
            self.journal.close()

    def start_anew(self) -> None:
        """In the child of a fork: the parent keeps its records and files, the child begins with none."""
        self._lock = threading.RLock()
        for segment in self.journal.segments:
            segment.close()
        self.journal.segments = []
        self.counts, self.failure, self.wake, self._waiters = Counts(), None, None, set()
        self._held, self._late, self._bytes, self._spilled = deque(), deque(), 0, False
        self._last = BEGINNING

    def _checkpoint(self, upto: Position) -> list[Segment]:
        try:
            return self.journal.flushed(upto)
        except OSError as error:
            self.failure = f"{type(error).__name__}: {error}"
            return []

    def _wake_flusher(self) -> None:
        self.wake_at_rows = NEVER
        if self.wake is not None:
            self.wake()

    def _journaled(self, body: bytes) -> Position | None:
        """Where the journal keeps it; None when the disk does not take it, which must not harm the turn."""
        now_s = self.journal.clock.monotonic_s()
        if now_s < self._broken_until_s and not self.journal.segments:
            return None
        try:
            position = self.journal.append(body)
        except JournalFull:
            self.counts.refused += 1
            raise
        except OSError as error:
            self._broken_until_s = now_s + REOPEN_AFTER_S
            self.failure = f"{type(error).__name__}: {error}"
            return None
        self.failure = None
        return position

    def _remember(self, held: Held) -> None:
        # While older records wait in the journal only, one that is not in it must wait behind them.
        queue = self._late if self._spilled else self._held
        if held.position is None:
            if len(queue) >= self.limit_rows or self._bytes + len(held.body) > BUFFER_BYTES:
                self.counts.refused += 1
                raise JournalFull(
                    f"The journal cannot be written ({self.failure}) and the memory for {self.limit_rows:,} slices is full:"
                    " the newest are refused until the database takes some; make the journal's folder writable."
                )
            self.counts.unjournaled += 1
        else:
            self._last = held.position
        self._bytes += len(held.body)
        queue.append(held)

    def _is_full(self, more: int) -> bool:
        return len(self._held) >= self.limit_rows or (self._bytes + more > BUFFER_BYTES and bool(self._held))

    def _refill(self) -> None:
        """Read spilled records back. Only the flusher calls this; the turn may go on appending meanwhile."""
        with self._lock:
            if not self._spilled:
                return
            end = self.journal.end
        found = self.journal.read(self._last, end)[: self.limit_rows]
        with self._lock:
            if found:
                self._held.extend(Held(body, position) for body, position in found)
                self._bytes += sum(len(body) for body, _ in found)
                self._last = found[-1][1]
            elif end == self.journal.end:
                self._spilled, self._last = False, end
                self._held, self._late = self._late, self._held
