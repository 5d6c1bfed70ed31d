"""Turns: how many recalls are under way at once, and how many of them have their question embedded."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

WHILE_OTHERS_WAIT = 1  # questions embedded at once: one takes as long as two or three recalls by keyword


class Turns:
    """As many at once as there are connections; more would all be late together. Belongs to one event loop."""

    def __init__(self, most: int) -> None:
        self._most, self._free = most, asyncio.Semaphore(most)
        self._waiting = self._embedding = 0

    async def take(self) -> bool:
        """Wait for a turn, which must be given back; True, once there is one."""
        self._waiting += 1
        try:
            return await self._free.acquire()
        finally:
            self._waiting -= 1

    def give_back(self) -> None:
        """End a turn."""
        self._free.release()

    @contextmanager
    def embedding(self) -> Iterator[bool]:
        """Whether a question may be embedded now; and if so, it is. Nobody queues for the model: who may not goes by keyword."""
        may = self._embedding < (WHILE_OTHERS_WAIT if self._waiting else self._most)
        self._embedding += may
        try:
            yield may
        finally:
            self._embedding -= may
