"""What a recall leaves to do once its answer has gone: the log and the reinforcement. Bounded; a full queue drops and counts."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from thoth_substrate.errors import DatabaseError

log = logging.getLogger("thoth.recall")
AFTER_S = 0.05  # the answer, and what it is for, go first: they would wait for the interpreter, 1 to 3 ms [measured]
Work = Callable[[], Awaitable[object]]


@dataclass(slots=True)
class Lost:
    """How much could not be done, and why the last of it could not."""

    count: int = 0
    why: str = ""


class Aftermath:
    """A queue of small deeds, done one after another on the voice's loop. A deed that fails is counted, not repeated."""

    def __init__(self, most: int = 1000) -> None:
        self._queue: asyncio.Queue[Work] = asyncio.Queue(most)
        self.lost = Lost()

    def add(self, work: Work) -> None:
        """Put a deed in the queue; dropped and counted when it is full."""
        if not self.offer(work):
            self._lose("too many recalls wait to be logged")

    def offer(self, work: Work) -> bool:
        """Put in the queue what can as well be done another time; False when it is full."""
        if self._queue.full():
            return False
        self._queue.put_nowait(work)
        return True

    async def run(self) -> None:
        """Do what is added, until cancelled."""
        while True:
            resting = self._queue.empty()
            work = await self._queue.get()
            if resting:
                await asyncio.sleep(AFTER_S)
            try:
                await work()
            except DatabaseError as error:
                self._lose(str(error))
            finally:
                self._queue.task_done()

    async def done(self) -> None:
        """Wait until everything added so far has been done."""
        await self._queue.join()

    def _lose(self, why: str) -> None:
        self.lost.count += 1
        if why != self.lost.why:
            log.warning("A recall was answered but not logged: %s", why)
        self.lost.why = why
