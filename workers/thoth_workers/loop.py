"""The only loop: gates → lease → tick under its limit → report → diary → heartbeat → sleep. The second net hangs here.

A worker's loop never dies of what a tick raises: the failure is recorded, and the next tick comes later and later.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import orjson

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.errors import DatabaseUnavailable, LeaseLost, ThothError, TickTooLong
from thoth_substrate.model.intensity import Intensity
from thoth_substrate.perceive.diary import storable
from thoth_workers.decisions import Decisions
from thoth_workers.lease import Lease
from thoth_workers.worker import Context, Report, Worker

STANDING_BY = timedelta(seconds=1)  # between two looks whether a lease or a switch has become free
FIRST_WAIT = timedelta(seconds=1)
LONGEST_WAIT = timedelta(minutes=1)
FAREWELL = timedelta(seconds=2)  # for what is to be said at the end, and for a cancelled tick to let go
FAILURE_CHARS = 500
_FAILED: Query[None] = query(__package__, "failed")
_log = logging.getLogger("thoth.workers")


@dataclass(frozen=True, slots=True)
class Turn:
    """One time round: what was reported, or why there was no tick (`standing`), or what went wrong (`failure`)."""

    wait: timedelta
    report: Report | None = None
    standing: str | None = None
    failure: str | None = None


class Loop:
    """One worker on one host. `context` makes what a tick is given, at the level it may work."""

    def __init__(self, worker: Worker, database: Database, tenant_id: str, context: Callable[[Intensity], Context]) -> None:
        self._worker, self._database, self._context = worker, database, context
        self._lease = Lease(database, worker.name, worker.every, singleton=worker.singleton)
        self._decisions = Decisions(database, worker, tenant_id)
        self._failures = 0
        self._ticks = 0
        self._last_report: str | None = None
        self._beaten_at = float("-inf")

    async def run(self, stop: asyncio.Event) -> None:
        """Turn until `stop` is set; a tick that runs then is finished. Cancelling stops it in the tick."""
        try:
            while not stop.is_set():
                turn = await self.turn()
                await pause(stop, turn.wait * random.uniform(0.9, 1.1))  # noqa: S311 - spreads hosts, guards nothing
        finally:
            await self._farewell()

    async def once(self) -> Turn:
        """One turn, told to the diary at once, and the lease given back."""
        try:
            return await self.turn()
        finally:
            await self._farewell()

    async def turn(self) -> Turn:
        """One time round. Never raises but what stops the process, or a cancellation."""
        try:
            return await self._turn()
        except LeaseLost as lost:
            _log.info("%s stands by. %s", self._worker.name, lost)
            return Turn(STANDING_BY, standing=str(lost))
        except Exception as error:
            return await self._failed(error)

    async def _turn(self) -> Turn:
        level = await self._lease.permit()
        if level is None:
            return Turn(max(STANDING_BY, min(self._worker.every, LONGEST_WAIT)), standing=await self._lease.why_not())
        report = await self._tick(self._context(level))
        if report.did:
            self._ticks += 1
            self._last_report = orjson.dumps(
                storable({"did": report.did, **report.detail}), default=str, option=orjson.OPT_NON_STR_KEYS
            ).decode()
            if not report.told:
                self._decisions.gather(report)
        await self._beat()
        await self._decisions.tell()
        if self._failures:
            _log.info("%s works again.", self._worker.name)
            self._failures = 0
        return Turn(self._worker.every if report.next_in is None else report.next_in, report)

    async def _tick(self, context: Context) -> Report:
        """The tick under its limit, its lease renewed while it runs. Raises what it raises, TickTooLong or LeaseLost."""
        running_loop = asyncio.get_running_loop()
        ends = running_loop.time() + self._worker.limit.total_seconds()
        ticking = asyncio.ensure_future(self._worker.tick(context))
        try:
            while True:
                left = ends - running_loop.time()
                done, _ = await asyncio.wait({ticking}, timeout=max(min(left, self._lease.renewed_every.total_seconds()), 0.0))
                if done:
                    return ticking.result()
                if running_loop.time() >= ends:
                    raise TickTooLong(f"A tick of {self._worker.name} took longer than {self._worker.limit} and was stopped.")
                await self._lease.renew()
        finally:
            if not ticking.done():
                ticking.cancel()
                # A cancelled query's release can hang with a frozen server: leave it behind rather than wait for it.
                await asyncio.wait({ticking}, timeout=FAREWELL.total_seconds())

    async def _beat(self) -> None:
        now = self._database.clock.monotonic_s()
        if self._failures or now >= self._beaten_at + self._lease.renewed_every.total_seconds():
            await self._lease.beat(self._ticks, self._last_report)
            self._ticks, self._last_report, self._beaten_at = 0, None, now

    async def _failed(self, error: Exception) -> Turn:
        self._failures += 1
        said = f"{type(error).__name__}: {error}"[:FAILURE_CHARS]
        wait = min(FIRST_WAIT * 2 ** min(self._failures - 1, 10), LONGEST_WAIT) * random.uniform(0.5, 1.0)  # noqa: S311
        if isinstance(error, DatabaseUnavailable):
            # Expected, and the same for every worker: said once, and not to a database that is away.
            _log.log(logging.WARNING if self._failures == 1 else logging.DEBUG, "%s waits. %s", self._worker.name, error)
            return Turn(wait, failure=said)
        _log.warning("%s failed, and tries again in %.0f s. %s", self._worker.name, wait.total_seconds(), said,
                     exc_info=None if isinstance(error, ThothError) else error)  # fmt: skip
        try:
            async with self._database.worker() as tx:
                await tx.execute(_FAILED, self._worker.name, storable(said))
        except ThothError as worse:
            _log.warning("That could not be recorded. %s", worse)
        return Turn(wait, failure=said)

    async def _farewell(self) -> None:
        """Say what is untold and give the lease back, within a bound: the lease ends by itself in any case."""
        leaving = asyncio.ensure_future(self._leave())
        await asyncio.wait({leaving}, timeout=FAREWELL.total_seconds())
        if not leaving.done():
            leaving.cancel()

    async def _leave(self) -> None:
        try:
            await self._decisions.tell(now=True)
            await self._lease.leave()
        except ThothError as error:
            _log.debug("%s left without a word. %s", self._worker.name, error)


async def pause(stop: asyncio.Event, span: timedelta) -> None:
    """Wait for `span`, or less when told to stop."""
    waiting = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({waiting}, timeout=span.total_seconds())
    finally:
        waiting.cancel()
