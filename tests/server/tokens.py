"""Tokens for tests, made as the command makes them."""

from __future__ import annotations

import asyncio

from thoth_substrate.access import tokens
from thoth_substrate.boot import open_database
from thoth_substrate.settings import load


def token(dsn: str, *scopes: str, tenant: str = "default") -> dict[str, str]:
    """The header that presents a new token of these scopes."""

    async def make() -> str:
        db = await open_database(load(THOTH_PG_DSN=dsn), dsn, pool="hands")
        try:
            return (await tokens.create(db, tenant, scopes)).token
        finally:
            await db.close()

    return {"authorization": f"Bearer {asyncio.run(make())}"}
