"""Slice ids: UUIDv7 (RFC 9562), whose first 48 bits are the slice's ingest time in milliseconds."""

from __future__ import annotations

import os
import threading
from datetime import UTC, datetime, timedelta
from uuid import UUID
from weakref import WeakKeyDictionary

from thoth_substrate.model.clock import Clock

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_COUNTER_BITS = 12
LAST_OF_TIME = UUID("e677ccf9-8000-7000-8000-000000000000")  # the last day of the year 9999


class SliceIds:
    """Makes ids that grow strictly within this process, whatever the clock does.

    No library at hand takes both an injected clock and a monotonic counter. When more than 4096 ids fall into one
    millisecond, or the clock steps back, the id's time runs ahead of the clock by as many milliseconds as are needed.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a signal handler may perceive while its own thread is in here
        self._last = 0  # milliseconds << 12 | counter

    def next(self, now: datetime) -> UUID:
        """The next id at or after `now`. Safe from any thread."""
        ms = (now - _EPOCH) // timedelta(milliseconds=1)
        with self._lock:
            self._last = max(self._last + 1, ms << _COUNTER_BITS)
            tick = self._last
        high = (tick >> _COUNTER_BITS) << 16 | 0x7000 | tick & 0xFFF
        low = int.from_bytes(os.urandom(8)) >> 2 | 1 << 63
        return UUID(int=high << 64 | low)


_makers: WeakKeyDictionary[Clock, SliceIds] = WeakKeyDictionary()


def next_id(clock: Clock) -> UUID:
    """The next id by this clock: one maker for each, since a maker never goes back and another clock may be behind."""
    return _makers.setdefault(clock, SliceIds()).next(clock.now())


def ingest_time(slice_id: UUID) -> datetime:
    """The instant (millisecond precision, UTC) that a slice id carries: its month is the slice's partition.

    Anybody may ask for any id: one whose time lies beyond the calendar stands for its end, where no slice is.
    """
    return _EPOCH + timedelta(milliseconds=min(slice_id, LAST_OF_TIME).int >> 80)
