"""Make what a host's tests perceived ready to be recalled."""

from __future__ import annotations

import asyncio

from thoth_substrate.boot import open_database
from thoth_substrate.settings import Settings
from thoth_substrate.substrate import Substrate
from thoth_substrate.triage.index import index
from thoth_substrate.triage.pass_pending import triage


async def settle(substrate: Substrate, settings: Settings) -> None:
    """Wait until all is durable, then triage and index it, as the workers would."""
    assert await substrate.durable(60)
    assert settings.dsn is not None
    database = await open_database(settings, settings.dsn, pool="hands")
    try:
        await triage(database, limit_rows=1000, defence=False)
        while (await index(database, limit_rows=1000)).slices:
            pass
    finally:
        await database.close()


def settled(substrate: Substrate, settings: Settings) -> None:
    """`settle`, for a test without a loop."""
    asyncio.run(settle(substrate, settings))
