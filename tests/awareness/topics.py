"""Topics noted as the Indexer would note them, without it."""

from __future__ import annotations

from datetime import datetime, timedelta

from thoth_substrate.awareness.note import Noted, Place, Topic, note
from thoth_substrate.awareness.pointers import CONVERSATION
from thoth_substrate.db.pool import Database

STREAM = "thoth.world.user_message.whatsapp"


def topic(
    now: datetime, *keywords: str, ago: timedelta = timedelta(0), days: float = 10, sessions: tuple[str, ...] = ("s1",)
) -> Topic:
    """A topic that was last spoken of `ago`, for an hour, in each of the sessions; it lasts `days` from now."""
    at = now - ago
    places = tuple(Place(CONVERSATION, f"{STREAM}/{session}", at - timedelta(hours=1), at) for session in sessions)
    return Topic(keywords, places, at, now + timedelta(days=days))


async def noted(db: Database, *topics: Topic, tenant: str = "default") -> Noted:
    """Note them now."""
    async with db.tenant(tenant) as tx:
        return await note(tx, tenant, topics, db.clock.now())
