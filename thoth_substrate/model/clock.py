"""The one clock that Python code asks, and a pinned one for tests and simulations."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Tells the time. `now()` is aware and in UTC; `monotonic_s()` measures spans and never goes back."""

    def now(self) -> datetime: ...

    def monotonic_s(self) -> float: ...

    @property
    def pinned_at(self) -> datetime | None:
        """The instant that SQL is told to take for now, or None when the server's own clock holds."""
        ...


class SystemClock:
    """The machine's clock."""

    pinned_at: datetime | None = None

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic_s(self) -> float:
        return time.monotonic()


class PinnedClock:
    """A clock that stands still until it is moved. SQL is pinned to the same instant."""

    def __init__(self, at: datetime) -> None:
        self._at = at.astimezone(UTC)

    @property
    def pinned_at(self) -> datetime | None:
        return self._at

    def now(self) -> datetime:
        return self._at

    def monotonic_s(self) -> float:
        return self._at.timestamp()

    def advance(self, by: timedelta) -> None:
        """Move forward by `by`; a negative span moves back, as a host's clock may."""
        self._at += by
