"""A client of the HTTP API: `ThothClient` for asyncio, `SyncThothClient` without. Answers are dataclasses, errors Thoth's own.

async with ThothClient.from_settings() as thoth:
    await thoth.remember("Maya lives in Lisbon.")
    print((await thoth.recall("Where does Maya live?")).block)
"""

from __future__ import annotations

from thoth_substrate.client.client import ThothClient
from thoth_substrate.client.sync import SyncThothClient

__all__ = ["SyncThothClient", "ThothClient"]
