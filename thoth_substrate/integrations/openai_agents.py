"""A session of the OpenAI Agents SDK that Thoth keeps: `ThothSession` gives the items back exactly, and remembers what was said.

    from thoth_substrate.integrations.openai_agents import ThothSession
    with ThothSession.from_settings("chat-1") as session:
        await Runner.run(agent, "Where did we leave off?", session=session)

Each message, reply, tool call and tool result is perceived once, under the session's id; instructions and reasoning are not. What
is popped (the SDK takes back what it could not use) is forgotten; clearing ends the context and keeps the memories, unless
`forget_on_clear` says so. Why: decision 0018.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from agents import TResponseInputItem
from agents.memory import SessionSettings

from thoth_substrate import boot
from thoth_substrate.db.pool import Database
from thoth_substrate.integrations.spoken import said, speak, unsay
from thoth_substrate.items.log import Entry, append, clear, latest, pop
from thoth_substrate.items.read import Store
from thoth_substrate.items.unsay import settled
from thoth_substrate.model.ports import Embedder
from thoth_substrate.model.slice import DEFAULT_TENANT, Event
from thoth_substrate.settings import Settings, load
from thoth_substrate.substrate import Substrate

STORE = "openai-agents"
USER = "thoth.world.user_message.cli"
_ASSISTANT = "thoth.self_action.assistant_response"
_TOOL_CALL = "thoth.self_action.tool_call"
_TOOL_RESULT = "thoth.self_action.tool_result"
_SPEAKERS = {"user": USER, "assistant": _ASSISTANT}


class ThothSession:
    """One conversation, for any number of processes at once. Belongs to no loop; closed by `close` or as a context manager.

    Sessions may share a façade (`substrate`); `from_settings` opens one of its own. Every method raises DatabaseUnavailable
    while the database is away: a conversation without its history would be another conversation.
    """

    def __init__(
        self, session_id: str, substrate: Substrate, *, tenant: str = DEFAULT_TENANT,
        session_settings: SessionSettings | None = None, user_stream: str = USER, perceive: bool = True,
        forget_on_clear: bool = False, owned: bool = False,
    ) -> None:  # fmt: skip
        self.session_id = session_id
        self.session_settings = session_settings
        self._substrate, self._store, self._owned = substrate, Store(tenant, STORE), owned
        self._user_stream, self._perceive, self._forget_on_clear = user_stream, perceive, forget_on_clear

    @classmethod
    def from_settings(cls, session_id: str, settings: Settings | None = None, **options: Any) -> ThothSession:
        """A session on a façade of its own, by the settings of the environment. Blocks until the database is reached.

        In a running loop, call it through `asyncio.to_thread`. Raises what reaching the database raises.
        """
        chosen = settings or load()
        substrate = boot.open_substrate(chosen, loud=True)
        substrate.ready_sync()
        return cls(session_id, substrate, **{"tenant": chosen.tenant, **options}, owned=True)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The latest `limit` items, the oldest of them first; all of them without a limit (or with a negative one)."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        most = None if limit is None or limit < 0 else limit

        async def read(database: Database, _: Embedder | None) -> list[TResponseInputItem]:
            async with database.tenant(self._store.tenant) as tx:
                return await latest(tx, self._store, [self.session_id], most)

        return await self._substrate.lend(read)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items, in their order and together, also when others add at the same time."""
        if not items:
            return
        events = [self._event(item) if self._perceive else None for item in items]
        entries = [Entry(item, said(event.content) if event else None) for item, event in zip(items, events, strict=True)]

        async def add(database: Database, _: Embedder | None) -> None:
            async with database.tenant(self._store.tenant) as tx:
                written = await append(tx, self._store, [self.session_id], entries)
            news = [(one, event) for one, event in zip(written, events, strict=True) if event is not None]
            speak(self._substrate, self._store, [one for one, _ in news], [event for _, event in news])

        await asyncio.shield(self._substrate.lend(add))

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the latest item back, and forget what was perceived of it; None when there is none."""

        async def take(database: Database, _: Embedder | None) -> TResponseInputItem | None:
            async with database.tenant(self._store.tenant) as tx:
                taken = await pop(tx, self._store, [self.session_id])
            await unsay(self._substrate, database, self._store)
            return taken[0] if taken else None

        return await asyncio.shield(self._substrate.lend(take))

    async def clear_session(self) -> None:
        """Take all items away."""

        async def empty(database: Database, _: Embedder | None) -> None:
            async with database.tenant(self._store.tenant) as tx:
                noted = await clear(tx, self._store, [self.session_id])
                if not self._forget_on_clear:
                    await settled(tx, self._store, noted)
            await unsay(self._substrate, database, self._store)

        await asyncio.shield(self._substrate.lend(empty))

    def close(self) -> None:
        """End the façade when it is the session's own."""
        if self._owned:
            self._substrate.close_sync()

    def __enter__(self) -> ThothSession:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _event(self, item: Any) -> Event | None:
        """What is perceived of an item, if anything."""
        if not isinstance(item, Mapping):
            return None
        kind, role = item.get("type", "message"), item.get("role")
        if kind == "message" and role in _SPEAKERS:
            stream = self._user_stream if role == "user" else _ASSISTANT
            content = _words(item.get("content"))
            return Event(stream, content, self.session_id, str(role)) if content else None
        if kind == "function_call":
            called = {"name": item.get("name"), "arguments": item.get("arguments")}
            return Event(_TOOL_CALL, called, self.session_id)
        if kind == "function_call_output":
            return Event(_TOOL_RESULT, item.get("output"), self.session_id) if item.get("output") else None
        return None


def _words(content: Any) -> Any:
    """A message's words; a list of parts as it is where one of them has none."""
    if not isinstance(content, list):
        return content
    texts = [part.get("text", part.get("refusal")) for part in content if isinstance(part, Mapping)]
    told = [text for text in texts if isinstance(text, str)]
    return "\n".join(told) if len(told) == len(content) else [dict(part) for part in content if isinstance(part, Mapping)]
