"""A perceiver for the length of a command, its flusher running beside it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.perceive.perceiver import Perceiver
from thoth_substrate.settings import Settings


@contextlib.asynccontextmanager
async def perceiving(settings: Settings, db: Database) -> AsyncIterator[Perceiver]:
    """Perceive for the settings' tenant. What is not flushed when it ends, even by Ctrl-C, waits in the journal."""
    perceiver = Perceiver(settings, SystemClock())
    flusher = asyncio.create_task(perceiver.run(db))
    try:
        yield perceiver
    finally:
        flusher.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await flusher
        perceiver.close()
