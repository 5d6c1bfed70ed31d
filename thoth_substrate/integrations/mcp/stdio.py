"""The MCP server over stdio: a host starts it, and talks to it through its input and output.

It answers at once and opens its house beside: a database that must first be started, or is away, delays no handshake.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable

from thoth_substrate import boot
from thoth_substrate.db.embedded import EmbeddedServer
from thoth_substrate.errors import DatabaseUnavailable, ThothError
from thoth_substrate.house import House
from thoth_substrate.integrations.mcp.server import make_server
from thoth_substrate.integrations.mcp.visit import Door
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.settings import Settings
from thoth_substrate.substrate import Substrate
from thoth_substrate.triage.index import index
from thoth_substrate.triage.pass_pending import triage

OPENING_S = 20.0  # a call waits so long for the house; the embedded server's first start takes longer
AWAKE_LOOKS, LOOK_S = 50, 0.2
MOST_ROUNDS = 20  # of triage and index after something was kept


async def serve(settings: Settings) -> None:
    """Serve until the input ends, or a signal does. Raises nothing for a database that is away: the tools say so."""
    stop, house = boot.stop_on_signals(), _LateHouse(settings)
    door = Door(house.opened, after_keeping=make_searchable)
    house.begin()
    serving = asyncio.ensure_future(make_server(door).run_stdio_async())
    stopping = asyncio.ensure_future(stop.wait())
    await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    await door.close()
    await house.close()
    if not serving.done():
        os._exit(0)  # the thread that reads our input waits for a line, and nothing but a line ends that
    stopping.cancel()
    await serving


async def make_searchable(house: House) -> None:
    """Triage and index what was kept, as the workers do: perhaps none runs beside a server that a host started."""
    database, settings = await house.database(), house.settings
    for _ in range(MOST_ROUNDS):
        passed = await triage(database, limit_rows=settings.triage_batch_rows, defence=settings.sentinel_defense)
        indexed = await index(database, limit_rows=settings.index_batch_rows)
        if not (passed.passed or passed.quarantined or indexed.slices or indexed.skipped):
            return


class _LateHouse:
    """A house that is being opened; opened anew when that failed. Belongs to the loop on which it begins."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._embedded: EmbeddedServer | None = None
        self._opening: asyncio.Task[House] | None = None

    def begin(self) -> Awaitable[House]:
        """Begin to open it, unless that is under way or done."""
        if self._opening is None or (self._opening.done() and self._opening.exception() is not None):
            self._opening = asyncio.create_task(self._open())
        return self._opening

    async def opened(self) -> House:
        """The house. Raises what opening it raises, DatabaseUnavailable when that takes long."""
        try:
            return await asyncio.wait_for(asyncio.shield(self.begin()), OPENING_S)
        except TimeoutError:
            raise DatabaseUnavailable("The memory is still starting (the first time takes a minute); call again.") from None

    async def close(self) -> None:
        """Flush and close what was opened."""
        if self._opening is None:
            return
        with contextlib.suppress(ThothError):
            house = await self._opening
            await house.close()
            await house.substrate.close()
        if self._embedded is not None:
            await asyncio.to_thread(self._embedded.release)

    async def _open(self) -> House:
        dsn = self._settings.dsn
        if dsn is None:
            self._embedded = self._embedded or EmbeddedServer(self._settings.home_dir)
            await asyncio.to_thread(self._embedded.acquire)
            dsn = self._embedded.dsn
        substrate = await asyncio.to_thread(boot.open_substrate, self._settings, dsn)
        await _awake(substrate)
        return House(self._settings, substrate, dsn, SystemClock())


async def _awake(substrate: Substrate) -> None:
    """Wait until it is awake, or known to be dormant."""
    for _ in range(AWAKE_LOOKS):
        if await substrate.wait_until_awake(LOOK_S) or substrate.health()["failure"]:
            return
