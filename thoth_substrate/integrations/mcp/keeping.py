"""The tools that change something: remember, update_memory, delete_memory, forget, pin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from mcp_types import CallToolResult
from pydantic import Field

from thoth_substrate import keep
from thoth_substrate.errors import BadInput
from thoth_substrate.fade.pin import pin
from thoth_substrate.integrations.mcp import shapes
from thoth_substrate.integrations.mcp.recalling import Id, instant
from thoth_substrate.integrations.mcp.shapes import Deleted, Forgotten, Pinned, Remembered, Updated
from thoth_substrate.integrations.mcp.visit import Call, Door
from thoth_substrate.memories.memory import memory
from thoth_substrate.model.slice import Event

MOST_AT_ONCE = 100
Text = Annotated[str, Field(description="What to remember, as a sentence that stands alone", min_length=1, max_length=1_000_000)]
Session = Annotated[str | None, Field(description="The conversation it belongs to", max_length=200)]
When = Annotated[str | None, Field(description="When it happened: 2024-05-31, or 2024-05-31T18:00Z; now when left out")]
Tags = Annotated[list[str] | None, Field(description="Words to list it by", max_length=50)]
Metadata = Annotated[dict[str, Any] | None, Field(description="Free keys, by which memories can be listed")]


class Keeping:
    """The tools, as methods: their signatures are the tools' inputs, their first lines the descriptions."""

    def __init__(self, door: Door) -> None:
        self._door = door

    async def remember(
        self,
        call: Call,
        text: Text,
        session: Session = None,
        event_time: When = None,
        tags: Tags = None,
        metadata: Metadata = None,
        external_id: Annotated[
            str | None, Field(description="Its id in the system it comes from: remembered once, however often", max_length=200)
        ] = None,
    ) -> Annotated[CallToolResult, Remembered]:
        """Remember something for later conversations: a preference, a decision, a fact about the user or the work."""
        visit = await self._door.enter(call, "write")
        said = {"agent": visit.scope.agent, "user": visit.scope.user, "tags": tags}
        laid = {name: value for name, value in said.items() if value} | (metadata or {})
        event = Event(
            keep.NOTE, text, session or visit.scope.session, None, instant(event_time), external_id, "mcp", laid
        )  # fmt: skip
        kept = await keep.remember(visit.database, visit.intake, visit.tenant, event)
        stored = await visit.kept()
        where = "It is in memory." if stored else "It waits in the journal, as the database is away; it is not lost."
        before = " (it had been before)" if kept.repeated else ""
        return shapes.result(f"Remembered as {kept.id}{before}. {where}", Remembered(kept.id, kept.repeated, stored))

    async def update_memory(
        self,
        call: Call,
        id: Id,
        text: Annotated[str | None, Field(description="What it says now; as before when left out", max_length=1_000_000)] = None,
        event_time: When = None,
        metadata: Annotated[
            dict[str, Any] | None, Field(description="Laid over the older one's, key by key; null takes a key out")
        ] = None,
    ) -> Annotated[CallToolResult, Updated]:
        """Correct a memory: a newer version takes its place, and the older one stays in its history."""
        visit = await self._door.enter(call, "write")
        happened = instant(event_time)
        if text is None and metadata is None and happened is None:
            raise BadInput("There is nothing to change: give text, event_time or metadata.")
        database, slice_id = await visit.database(), await visit.memory_meant(id)
        pinned = (await memory(database, visit.tenant, slice_id)).pinned
        event: Mapping[str, Any] = {"event_time": happened} if happened else {}
        wanted = keep.Change(text, metadata or {}, event)
        made = await keep.change(database, visit.intake, visit.tenant, slice_id, wanted, by=visit.by)
        if pinned:
            await pin(database, visit.tenant, made.slice_id)
        await visit.kept()
        answer = Updated(made.slice_id, made.replaces, made.version)
        return shapes.result(f"Changed: it is {made.slice_id} now, version {made.version}.", answer)

    async def delete_memory(self, call: Call, id: Id) -> Annotated[CallToolResult, Deleted]:
        """Delete one memory: nothing finds it any more, and its content is gone with the next cycle. Not undone."""
        visit = await self._door.enter(call, "write")
        slice_id = await visit.memory_meant(id)
        deleted = await visit.house.substrate.forget(slice_id, tenant=visit.tenant)
        return shapes.result(f"{slice_id} {'is deleted' if deleted else 'was deleted before'}.", Deleted(slice_id, deleted))

    async def forget(
        self,
        call: Call,
        ids: Annotated[
            list[str] | str,
            Field(description="Ids, or the numbers of lines that recall showed; several as a list", max_length=4000),
        ],
    ) -> Annotated[CallToolResult, Forgotten]:
        """Forget memories because the user wishes it: nothing finds them any more, and their content goes. Not undone."""
        words = [ids] if isinstance(ids, str) else ids
        if not 0 < len(words) <= MOST_AT_ONCE:
            raise BadInput(f"Say which: between 1 and {MOST_AT_ONCE} ids; nothing was forgotten.")
        visit = await self._door.enter(call, "write")
        meant = list(dict.fromkeys([await visit.memory_meant(word) for word in words]))
        done = {one: await visit.house.substrate.forget(one, tenant=visit.tenant) for one in meant}
        answer = Forgotten([one for one, now in done.items() if now], [one for one, now in done.items() if not now])
        before = f" Forgotten before: {', '.join(map(str, answer.already))}." if answer.already else ""
        return shapes.result(f"Forgotten: {', '.join(map(str, answer.forgotten)) or 'nothing'}.{before}", answer)

    async def pin(
        self,
        call: Call,
        id: Id,
        pinned: Annotated[bool, Field(description="False lets it fade again")] = True,
    ) -> Annotated[CallToolResult, Pinned]:
        """Keep a memory from ever fading, or let it fade again."""
        visit = await self._door.enter(call, "write")
        slice_id, facade = await visit.memory_meant(id), visit.house.substrate
        changed = await (facade.pin if pinned else facade.unpin)(slice_id, tenant=visit.tenant)
        state = "is pinned: it does not fade" if pinned else "fades again"
        return shapes.result(f"{slice_id} {state}{'' if changed else ', as before'}.", Pinned(slice_id, pinned, changed))
