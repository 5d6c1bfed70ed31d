"""Who runs: a row with a fencing token, trusted here for less time than it lasts in the database."""

from __future__ import annotations

import os
import secrets
import socket
from dataclasses import dataclass
from datetime import timedelta

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.errors import LeaseLost
from thoth_substrate.model.intensity import Intensity

SHORTEST = timedelta(seconds=5)  # how long others wait, at the least, for a holder that has died
LONGEST = timedelta(minutes=1)
TRUSTED = 0.6  # of that time, from before it was asked for: a late answer or a slow clock is then still in time
RENEWED = 0.3
ALIVE_GAP = timedelta(
    seconds=10
)  # a longer silence between two heartbeats was an absence (of two periods, when those are longer)


@dataclass(frozen=True, slots=True)
class Permit:
    """The right to tick: the fencing token and the level's name."""

    token: int
    level: str


@dataclass(frozen=True, slots=True)
class Standing:
    level: str
    holder: str | None


_ENTER = query(__package__, "enter", Permit)
_BEAT = query(__package__, "beat", Permit)
_STANDING = query(__package__, "standing", Standing)
_LEAVE: Query[None] = query(__package__, "leave")


def lasts(every: timedelta) -> timedelta:
    """How long a lease lasts in the database: over the worker's period, so that one host keeps it, but never for long."""
    return min(SHORTEST + 1.5 * every, LONGEST)


def holder_name() -> str:
    """Host, process and a part by chance, since process numbers come again: the name under which leases are held."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"


class Lease:
    """One worker's gate as one host sees it. Asks the database only when its own trust has run out."""

    def __init__(self, database: Database, agent: str, every: timedelta, *, singleton: bool) -> None:
        self._database, self._agent, self._singleton = database, agent, singleton
        self._holder = holder_name()
        self._span, self._gap = lasts(every), max(ALIVE_GAP, 2 * every)
        self._permit: Permit | None = None
        self._trusted_until = float("-inf")

    @property
    def renewed_every(self) -> timedelta:
        """How often to renew it while it is held."""
        return self._span * RENEWED

    async def permit(self) -> Intensity | None:
        """The level at which to tick now, or None: switched off, or held by another host."""
        if self._permit is None or self._now() >= self._trusted_until:
            asked = self._now()
            async with self._database.worker() as tx:
                permit = await tx.fetch_one(_ENTER, self._agent, self._holder, self._singleton, self._span)
            self._take(permit, asked)
        if self._permit is None:
            return None
        level = Intensity[self._permit.level]
        if level is Intensity.OFF:
            await self.leave()
            return None
        return level

    async def renew(self) -> None:
        """Keep the lease while a tick takes long. Raises LeaseLost."""
        await self._beat(well=False)

    async def beat(self, ticks: int, report: str | None) -> None:
        """A sign of life after a tick that went well, with how many did something and the last one's report (JSON).

        Raises LeaseLost: the token is refused, and nothing of it is recorded.
        """
        await self._beat(well=True, ticks=ticks, report=report)

    async def leave(self) -> None:
        """Give the lease back, if it is held."""
        permit, self._permit = self._permit, None
        if permit is not None and self._singleton:
            async with self._database.worker() as tx:
                await tx.execute(_LEAVE, self._agent, self._holder, permit.token)

    async def why_not(self) -> str:
        """Why there is no permit, for the operator."""
        async with self._database.worker() as tx:
            standing = await tx.fetch_one(_STANDING, self._agent)
        if standing is not None and standing.level == "OFF":
            return "its level is OFF"
        return f"held by {standing.holder}" if standing is not None and standing.holder else "held by another host until just now"

    async def _beat(self, *, well: bool, ticks: int = 0, report: str | None = None) -> None:
        asked, held = self._now(), self._permit
        assert held is not None, "a tick runs only with a permit"
        async with self._database.worker() as tx:
            permit = await tx.fetch_one(
                _BEAT, self._agent, self._holder, self._singleton, held.token, self._span, well, self._gap, ticks, report
            )
        self._take(permit, asked)
        if permit is None:
            raise LeaseLost(f"Another host runs {self._agent} now.")

    def _take(self, permit: Permit | None, asked: float) -> None:
        self._permit = permit
        self._trusted_until = asked + self._span.total_seconds() * TRUSTED

    def _now(self) -> float:
        return self._database.clock.monotonic_s()
