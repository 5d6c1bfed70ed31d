"""A perceiver for the length of a command, its flusher running beside it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence

from thoth_substrate import keep
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import DatabaseUnavailable
from thoth_substrate.keep import Kept
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.model.slice import Ack, Event
from thoth_substrate.perceive.perceiver import Perceiver
from thoth_substrate.settings import Settings

DURABLE_TIMEOUT_S = 30.0


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


def intake_of(settings: Settings, perceiver: Perceiver) -> keep.Intake:
    """How memories are kept through a perceiver of this process, for the settings' tenant."""

    async def perceive(event: Event) -> Ack:
        return perceiver.perceive(event, tenant_id=settings.tenant)

    return keep.Intake(perceive, perceiver.durable)


async def stored(settings: Settings, db: Database, events: Sequence[Event]) -> list[Kept]:
    """Perceive these and wait until they are in the database. Raises BadInput for what cannot be kept, DatabaseUnavailable."""
    async with perceiving(settings, db) as perceiver:

        async def database() -> Database:
            return db

        intake = intake_of(settings, perceiver)
        kept = [await keep.remember(database, intake, settings.tenant, event) for event in events]
        if not await perceiver.durable(DURABLE_TIMEOUT_S):
            raise DatabaseUnavailable(
                "It waits in the journal: the database did not take it. It is not lost; `thoth substrate doctor` helps."
            )
    return kept
