"""What tests of hosts do to a server that runs: settle what it perceived, give it a token."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from tests.integrations.settling import settled
from tests.server.serving import Served
from thoth_substrate.access import tokens
from thoth_substrate.awareness.note import Topic, note
from thoth_substrate.boot import open_database
from thoth_substrate.settings import load


def settle(served: Served) -> None:
    """Make all that was perceived ready to be recalled."""
    settled(served.substrate, served.settings)


def a_token(dsn: str, *scopes: str, tenant: str = "default") -> str:
    """A token, made as the command makes it."""

    async def make() -> str:
        db = await open_database(load(THOTH_PG_DSN=dsn), dsn, pool="hands")
        try:
            return (await tokens.create(db, tenant, scopes)).token
        finally:
            await db.close()

    return asyncio.run(make())


def going_on(served: Served, *keywords: str) -> None:
    """Note that something is going on, as the Indexer does."""

    async def work() -> None:
        db = await open_database(served.settings, served.house.dsn, pool="hands")
        try:
            now = db.clock.now()
            async with db.tenant(served.settings.tenant) as tx:
                await note(tx, served.settings.tenant, [Topic(keywords, (), now, now + timedelta(days=3))], now)
        finally:
            await db.close()

    asyncio.run(work())
