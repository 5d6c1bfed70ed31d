"""What a surface is given to work with: the settings, the façade, and a database of the loop it runs on.

Opened by whoever serves (`server/run.py`, the MCP server over stdio); a route or a tool takes what it needs from it.
"""

from __future__ import annotations

import asyncio

from thoth_substrate import boot
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import Clock
from thoth_substrate.settings import Settings
from thoth_substrate.substrate import Substrate


class House:
    """One server's view of the substrate. Belongs to the event loop that first asks for its database; ended by `close`."""

    def __init__(self, settings: Settings, substrate: Substrate, dsn: str, clock: Clock) -> None:
        self.settings, self.substrate, self.dsn, self.clock = settings, substrate, dsn, clock
        self._opening = asyncio.Lock()
        self._database: Database | None = None

    async def database(self) -> Database:
        """The pool for reading and for deeds; made at the first call, connected at the first use.

        Raises DatabaseUnavailable when the DSN cannot be read; a server that is away is found out by the statement.
        """
        async with self._opening:
            if self._database is None:
                self._database = await boot.open_database(self.settings, self.dsn, self.clock, pool="hands")
            return self._database

    async def close(self) -> None:
        """Close the pool. The façade is whose it was before."""
        if self._database is not None:
            await self._database.close()
            self._database = None
