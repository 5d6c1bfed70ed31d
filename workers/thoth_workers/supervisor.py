"""Start many workers, replace what dies, stop on the event with a grace, then cancel."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput
from thoth_substrate.model.clock import Clock
from thoth_substrate.model.intensity import Intensity
from thoth_substrate.model.ports import Embedder
from thoth_substrate.recall.calibration import Calibrator
from thoth_substrate.settings import Settings
from thoth_workers.core import CORE
from thoth_workers.loop import STANDING_BY, Loop, Turn, pause
from thoth_workers.worker import Context, Worker

if TYPE_CHECKING:
    from thoth_substrate.llm.chat import Chat

GRACE = timedelta(seconds=10)
_log = logging.getLogger("thoth.workers")


class Supervisor:
    """The core workers of one process, on the running loop. Any number of processes may run one on the same database."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        embedder: Embedder | None,
        clock: Clock,
        *,
        workers: Sequence[Worker] = CORE,
        calibrate: Callable[[Database], Awaitable[int]] | None = None,
        grace: timedelta = GRACE,
        chat: Chat | None = None,
    ) -> None:
        self._settings, self._database, self._embedder, self._clock = settings, database, embedder, clock
        self._workers = {worker.name: worker for worker in workers}
        self._calibrate = calibrate or Calibrator(embedder).run
        self._grace, self._chat = grace, chat
        self._stop: asyncio.Event | None = None

    async def run(self, stop: asyncio.Event) -> None:
        """Run until `stop` is set; then ticks have the grace to finish, and what has not by then is cancelled."""
        self._stop = stop
        lasting = {
            asyncio.create_task(self._lasting(worker, stop))
            for worker in self._workers.values()
            if worker.enabled(self._settings)
        }
        try:
            await stop.wait()
            if lasting:
                await asyncio.wait(lasting, timeout=self._grace.total_seconds())
        finally:
            for task in lasting:
                task.cancel()
            await asyncio.gather(*lasting, return_exceptions=True)

    async def run_once(self, name: str) -> Turn:
        """One tick of one worker here and now, with all its gates. Raises BadInput when there is no such worker."""
        worker = self._workers.get(name)
        if worker is None:
            raise BadInput(f"There is no worker {name!r}; there are {', '.join(self._workers)}.")
        if not worker.enabled(self._settings):
            return Turn(STANDING_BY, standing=f"THOTH_SUBSTRATE_{name.upper()} is 0")
        return await self._loop(worker).once()

    async def _lasting(self, worker: Worker, stop: asyncio.Event) -> None:
        while not stop.is_set():
            running = asyncio.ensure_future(self._loop(worker).run(stop))
            try:
                await asyncio.wait({running})
            finally:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)
            if not stop.is_set():
                why = "it was cancelled" if running.cancelled() else repr(running.exception())
                _log.error("%s has died (%s) and is started again.", worker.name, why)
                await pause(stop, STANDING_BY)

    def _loop(self, worker: Worker) -> Loop:
        return Loop(worker, self._database, self._settings.tenant, self._context)

    def _context(self, level: Intensity) -> Context:
        return Context(
            self._settings, self._database, self._clock, level, self._embedder, self._calibrate, self._chat, self._stop
        )
