"""What of a host's items is perceived, so that recall finds it, and forgotten again with the item: of stores and sessions."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from thoth_substrate.db.pool import Database
from thoth_substrate.errors import UnknownSlice
from thoth_substrate.fade.forget import forget
from thoth_substrate.items.item import Written
from thoth_substrate.items.read import Store
from thoth_substrate.items.unsay import Unsaid, settled, source_of, unsaid
from thoth_substrate.model.slice import Event
from thoth_substrate.substrate import Substrate

PATIENCE_S = 5.0  # for words that are not in the database yet; what takes longer is forgotten after the next change


def said(content: Any) -> str | None:
    """The mark by which words are known again; None when there are none."""
    if content in (None, "", [], {}):
        return None
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()


def speak(
    substrate: Substrate,
    store: Store,
    written: Sequence[Written],
    events: Mapping[tuple[tuple[str, ...], str], Event] | Sequence[Event],
) -> None:
    """Perceive the words of what is news: once, whatever happens, since the change's number is their external id."""
    for place, one in enumerate(written):
        if not one.is_news:
            continue
        event = events[place] if isinstance(events, Sequence) else events[tuple(one.namespace), one.key]
        marked = Event(
            event.stream, event.content, event.session, event.actor, event.event_time, str(one.number), source_of(store),
            event.metadata,
        )  # fmt: skip
        substrate.perceive_sync(marked, tenant=store.tenant)


async def unsay(substrate: Substrate, database: Database, store: Store) -> None:
    """Forget the slices of what was replaced, deleted or swept. What is still on its way is waited for, at most `PATIENCE_S`."""
    waiting = await _waiting(database, store)
    if any(one.slice_id is None for one in waiting):
        await substrate.durable(PATIENCE_S)
        waiting = await _waiting(database, store)
    for one in waiting:
        if one.slice_id is not None:
            with contextlib.suppress(UnknownSlice):  # its month is gone, and it with it
                await forget(database, store.tenant, one.slice_id)
    if done := [one.number for one in waiting if one.overdue or one.slice_id is not None]:
        async with database.tenant(store.tenant) as tx:
            await settled(tx, store, done)


async def _waiting(database: Database, store: Store) -> list[Unsaid]:
    async with database.tenant(store.tenant) as tx:
        return await unsaid(tx, store)
