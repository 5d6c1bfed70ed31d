"""A process of ours that runs beside this one: started again when it dies, told to stop with a grace, then killed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Mapping, Sequence
from datetime import timedelta

from thoth_substrate.model.clock import Clock
from thoth_workers.loop import pause

FIRST_WAIT = timedelta(seconds=1)
LONGEST_WAIT = timedelta(minutes=1)
WELL = timedelta(minutes=2)  # a child that lived for so long had started well: its death is a first one again
_log = logging.getLogger("thoth.workers")


class Child:
    """The process `arguments`, kept alive while `run` runs; `pid` is None while none lives.

    It shares our output. Its input is a pipe that says nothing and ends with us: a child that reads it outlives no kill of ours.
    """

    def __init__(
        self, name: str, arguments: Sequence[str], environment: Mapping[str, str], clock: Clock, grace: timedelta
    ) -> None:
        self._name, self._arguments, self._environment = name, list(arguments), dict(environment)
        self._clock, self._grace = clock, grace
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None and self._process.returncode is None else None

    async def run(self, stop: asyncio.Event) -> None:
        """Keep it alive until `stop` is set; cancelling kills it. Never raises for what the child does."""
        deaths = 0
        try:
            while not stop.is_set():
                began = self._clock.monotonic_s()
                code = await self._once(stop)
                if stop.is_set():
                    break
                deaths = 1 if self._clock.monotonic_s() > began + WELL.total_seconds() else deaths + 1
                wait = min(FIRST_WAIT * 2 ** min(deaths - 1, 10), LONGEST_WAIT)
                _log.error("%s has died (exit %s) and is started again in %.0f s.", self._name, code, wait.total_seconds())
                await pause(stop, wait)
        finally:
            self._kill()

    async def _once(self, stop: asyncio.Event) -> int | None:
        """One life: until it dies, or is told to."""
        self._process = await asyncio.create_subprocess_exec(
            *self._arguments, env=self._environment, stdin=asyncio.subprocess.PIPE
        )  # fmt: skip
        living = asyncio.ensure_future(self._process.wait())
        stopping = asyncio.ensure_future(stop.wait())
        try:
            await asyncio.wait({living, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not living.done():
                with contextlib.suppress(ProcessLookupError):
                    self._process.terminate()
                await asyncio.wait({living}, timeout=self._grace.total_seconds())
                self._kill()
            return await living
        finally:
            stopping.cancel()
            living.cancel()

    def _kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
