"""Who asks: tokens recognised and remembered for seconds, so that a request costs no query and an outage stops no turn."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from thoth_substrate.access import tokens
from thoth_substrate.access.caller import RIGHTS, Caller
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import DatabaseError, DatabaseUnavailable
from thoth_substrate.house import House

FRESH_S = 5.0  # a revoked token is refused after at most this long
STALE_S = 600.0  # while the database is away, who was known stays known for so long
PATIENCE_S = 0.5  # for the database to say who it is; a hook must answer within two seconds, whatever happens
AWAY_S = 2.0  # how long a silent database is not asked again
MOST_KNOWN = 10_000
_SILENT = "The database did not say in time whose the token is; nothing was done. Try again."
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Seen:
    caller: Caller | None
    at_s: float


class Doorkeeper:
    """Knows callers by their tokens. `loopback`: the server listens on this machine only, so that no token may be needed."""

    def __init__(self, house: House, *, loopback: bool) -> None:
        self._house, self._loopback = house, loopback
        self._seen: dict[str, _Seen] = {}
        self._tokens_exist: tuple[bool, float] | None = None
        self._away_until_s = 0.0
        self._asking: set[asyncio.Future[Any]] = set()

    async def caller(self, presented: str | None) -> Caller | None:
        """Who presents this token, or nothing; None when nobody is known by it and somebody must be.

        Raises DatabaseError when the database must be asked and does not answer in time.
        """
        if presented is None:
            return None if await self._token_is_needed() else self._everybody()
        return await self._recognised(presented)

    async def _recognised(self, presented: str) -> Caller | None:
        now, seen = _now(), self._seen.get(presented)
        if seen and now - seen.at_s < FRESH_S:
            return seen.caller
        try:
            caller = await self._within(lambda db: tokens.recognise(db, presented))
        except DatabaseError:
            if seen and seen.caller and now - seen.at_s < STALE_S:
                return seen.caller
            raise
        if len(self._seen) >= MOST_KNOWN:
            self._seen.clear()
        self._seen[presented] = _Seen(caller, now)
        return caller

    async def _token_is_needed(self) -> bool:
        """Beyond this machine always; on it, once there is a token. What is not known while the database is away is no."""
        if not self._loopback:
            return True
        now, known = _now(), self._tokens_exist
        if known and now - known[1] < FRESH_S:
            return known[0]
        try:
            exist = await self._within(tokens.any_live)
        except DatabaseError:
            exist = known[0] if known else False
        self._tokens_exist = (exist, now)
        return exist

    async def _within(self, question: Callable[[Database], Awaitable[T]]) -> T:
        """Ask the database, but not for long, and for a while not again when it was silent.

        A question to a frozen server is left behind: even taking it back could hang. Raises DatabaseError.
        """
        if _now() < self._away_until_s:
            raise DatabaseUnavailable(_SILENT)
        asking = asyncio.ensure_future(self._ask(question))
        self._asking.add(asking)
        asking.add_done_callback(self._ended)
        done, _ = await asyncio.wait({asking}, timeout=PATIENCE_S)
        if not done:
            self._away_until_s = _now() + AWAY_S
            raise DatabaseUnavailable(_SILENT)
        return asking.result()

    async def _ask(self, question: Callable[[Database], Awaitable[T]]) -> T:
        return await question(await self._house.database())

    def _ended(self, asking: asyncio.Future[Any]) -> None:
        self._asking.discard(asking)
        if not asking.cancelled():
            asking.exception()  # looked at, so that nobody warns of one that was left behind

    def _everybody(self) -> Caller:
        return Caller(self._house.settings.tenant, RIGHTS, any_tenant=True)


def _now() -> float:
    return asyncio.get_running_loop().time()
