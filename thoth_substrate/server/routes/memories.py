"""`/v1/memories`: made, listed, read, changed with their history, deleted. `/ingest` is a short name for making one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal
from uuid import UUID

import orjson
from fastapi import APIRouter, Header, Query, Request
from pydantic import Field, model_validator
from starlette.responses import Response

from thoth_substrate import keep
from thoth_substrate.access.caller import Caller, Scope, may, require
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import AlreadyReplaced
from thoth_substrate.house import House
from thoth_substrate.memories import listing, versions
from thoth_substrate.memories.keys import LONGEST_KEY_CHARS
from thoth_substrate.memories.listing import ALIVE, Page, Wanted
from thoth_substrate.memories.memory import Memory, memory
from thoth_substrate.memories.versions import Version
from thoth_substrate.model.slice import Event
from thoth_substrate.purge.receipts import Receipt
from thoth_substrate.server import examples
from thoth_substrate.server.access import Reading, Writing
from thoth_substrate.server.shapes import (
    Content,
    Cursor,
    Limit,
    Metadata,
    MetadataFilter,
    Name,
    Shape,
    SliceId,
    Text,
    Time,
    answer,
    problems,
    says,
)

State = Literal["pending", "passed", "quarantined", "rejected", "replaced", "retired", "forgotten", "released", "diary"]
StreamName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$", max_length=200)]
WAIT_MS, LONGEST_WAIT_MS = 10_000, 50_000


class NewMemory(Shape):
    """A memory to make. `text` is another name for `content`; one of them is needed."""

    model_config = Shape.model_config | {"json_schema_extra": {"examples": [examples.NEW_MEMORY]}}

    content: Content = Field(None, description="What to remember: text, or a JSON object or array whose text is found")
    text: Text | None = Field(None, description="The same, where it is text")
    stream: StreamName = Field(keep.NOTE, description="The stream it comes by")
    session: Name | None = Field(None, description="The conversation it belongs to; else X-Thoth-Session")
    actor: Name | None = Field(None, description="Who says it; else the stream's own")
    event_time: Time | None = Field(None, description="When it happened; without an offset: UTC; now when left out")
    external_id: Name | None = Field(None, description="Its id in the system it comes from: stored once, however often it comes")
    source: Name | None = Field(None, description="That system")
    metadata: Metadata = Field(default_factory=dict, description="Free keys, by which memories can be listed")

    @model_validator(mode="after")
    def _one_content(self) -> NewMemory:
        given = [one for one in (self.content, self.text) if one is not None]
        if len(given) != 1 or not isinstance(given[0], str | dict | list):
            raise ValueError("give either content (text, an object or an array) or text")
        self.content = given[0]
        return self


class ChangedMemory(Shape):
    """What a newer version of a memory has of its own: at least one of these."""

    model_config = Shape.model_config | {"json_schema_extra": {"examples": [examples.CHANGE]}}

    content: Content = Field(None, description="What it says now; as before when left out")
    text: Text | None = Field(None, description="The same, where it is text")
    metadata: Metadata | None = Field(None, description="Laid over the older one's, key by key; null takes a key out")
    event_time: Time | None = Field(None, description="When it happened; as before when left out")

    @model_validator(mode="after")
    def _something(self) -> ChangedMemory:
        given = [one for one in (self.content, self.text) if one is not None]
        if len(given) > 1 or any(not isinstance(one, str | dict | list) for one in given):
            raise ValueError("give either content (text, an object or an array) or text")
        if not given and self.metadata is None and self.event_time is None:
            raise ValueError("give content, metadata or event_time: there is nothing to change")
        self.content = given[0] if given else None
        return self


class Asked(Shape):
    """Which memories to list. Filters narrow; one that names nothing known lists nothing."""

    limit: Limit = Field(50, description="At most so many")
    cursor: Cursor | None = Field(None, description="`next_cursor` of the page before, with the same filters")
    state: list[State] = Field(list(ALIVE), description="Only in these states", min_length=1)
    stream: list[StreamName] | None = Field(None, description="Only of these streams", min_length=1)
    session: Name | None = Field(None, description="Only of this conversation, by when things happened")
    actor: Name | None = Field(None, description="Only of this speaker")
    since: Time | None = Field(None, description="Only what happened then or later")
    until: Time | None = Field(None, description="Only what happened before")
    entity: Name | None = Field(None, description="Only what tells of this entity: its name or number")
    topic: Name | None = Field(None, description="Only of this topic")
    importance: float | None = Field(None, description="At least so important", ge=0, le=1, allow_inf_nan=False)
    metadata: MetadataFilter | None = Field(None, description="Only with these keys and values, as a JSON object")
    source: Name | None = Field(None, description="Only whose external id, path or source begins so: a folder, a system")


class Waiting(Shape):
    """Whether to wait until what was made is understood."""

    wait: bool = Field(False, description="Wait until it can be recalled and, with a model, was read by the Parser")
    wait_ms: int = Field(WAIT_MS, description="At most so long, ms", ge=1, le=LONGEST_WAIT_MS)


@dataclass(frozen=True, slots=True)
class Made:
    """A memory that is safe: its id, its state, whether the same request had made it before.

    `memory` is there when it was waited for, and the token may read.
    """

    id: UUID
    state: str
    repeated: bool
    memory: Memory | None = None


@dataclass(frozen=True, slots=True)
class Changed:
    """The newer version's id, the older one's, which version it is; `memory` when the token may read."""

    id: UUID
    replaces: UUID
    version: int
    memory: Memory | None = None


@dataclass(frozen=True, slots=True)
class Deleted:
    """The memory, whether anything was there to be forgotten, and a purge's receipt."""

    id: UUID
    changed: bool
    receipt: Receipt | None = None


@dataclass(frozen=True, slots=True)
class History:
    """Every version of a memory, the first one first."""

    versions: list[Version]


class Deleting(Shape):
    """How to delete."""

    purge: bool = Field(False, description="Gone now and for good, with every version and all that was made of it: admin only")


Key = Annotated[
    str | None, Header(alias="Idempotency-Key", max_length=LONGEST_KEY_CHARS, description="The same key makes one memory")
]


class _Memories:
    """The deeds behind the routes."""

    def __init__(self, house: House) -> None:
        self._house = house
        self.intake = keep.intake_of(house.substrate)

    async def make(self, caller: Caller, scope: Scope, new: NewMemory, key: str | None, waiting: Waiting) -> Response:
        intake = keep.intake_of(self._house.substrate, scope.tenant)
        said = {"agent": scope.agent, "user": scope.user}
        metadata = {name: value for name, value in said.items() if value is not None} | new.metadata
        event = Event(
            new.stream, new.content, new.session or scope.session, new.actor, new.event_time, new.external_id, new.source,
            metadata,
        )  # fmt: skip
        request = orjson.dumps([new.model_dump(), scope.session, said], option=orjson.OPT_SORT_KEYS)
        kept = await keep.remember(self._house.database, intake, scope.tenant, event, key=key, request=request)
        one = None
        if waiting.wait:
            parsed, timeout_s = self._house.settings.aux_model is not None, waiting.wait_ms / 1000
            db = await self._house.database()
            one = await keep.settled(db, intake, scope.tenant, kept.id, parsed=parsed, timeout_s=timeout_s)
        made = Made(kept.id, one.state if one else "pending", kept.repeated, one if may(caller, "read") else None)
        return answer(made, 200 if kept.repeated else 201, {"location": f"/v1/memories/{kept.id}"})

    async def page(self, scope: Scope, asked: Asked) -> Response:
        wanted = Wanted(
            asked.state, asked.stream, asked.session, asked.actor, asked.since, asked.until, asked.entity, asked.topic,
            asked.importance, asked.metadata or {}, asked.source,
        )  # fmt: skip
        await self.intake.durable(keep.GLANCE_S)
        db = await self._house.database()
        return answer(await listing.page(db, scope.tenant, wanted, cursor=asked.cursor, limit_rows=asked.limit))

    async def one(self, db: Database, scope: Scope, slice_id: UUID) -> Memory:
        return await keep.found(self.intake, slice_id, lambda: memory(db, scope.tenant, slice_id))

    async def change(self, caller: Caller, scope: Scope, slice_id: UUID, changed: ChangedMemory) -> Response:
        db, intake = await self._house.database(), keep.intake_of(self._house.substrate, scope.tenant)
        event = {"event_time": changed.event_time} if changed.event_time else {}
        wanted = keep.Change(changed.content, changed.metadata or {}, event)
        made = await keep.change(db, intake, scope.tenant, slice_id, wanted, by=caller.name)
        one = await self.one(db, scope, made.slice_id) if may(caller, "read") else None
        return answer(Changed(made.slice_id, made.replaces, made.version, one))

    async def delete(self, scope: Scope, slice_id: UUID, *, purge: bool) -> Response:
        db = await self._house.database()
        one = await self.one(db, scope, slice_id)
        if not purge:
            if one.replaced_by is not None:
                raise AlreadyReplaced(f"Memory {slice_id} was replaced by {one.replaced_by}: forget that one.")
            return answer(Deleted(slice_id, await self._house.substrate.forget(slice_id, tenant=scope.tenant)))
        chain = [version.id for version in await versions.history(db, scope.tenant, slice_id) if version.memory is not None]
        receipt = await self._house.substrate.purge(chain, tenant=scope.tenant)
        return answer(Deleted(slice_id, bool(receipt.gone), receipt))


def routes(house: House) -> APIRouter:
    """Reading needs the scope `read`, everything else `write`, and purging `admin`."""
    deeds = _Memories(house)
    router = APIRouter(tags=["memories"])

    async def make(
        request: Request, scope: Writing, new: NewMemory, waiting: Annotated[Waiting, Query()], key: Key = None
    ) -> Response:  # fmt: skip
        return await deeds.make(request.state.caller, scope, new, key, waiting)

    made = {201: says(Made, "Safe; in the database soon", examples.MADE), 200: says(Made, "It had been made before")}
    for path, summary in (("/v1/memories", "Remember something"), ("/ingest", "Remember something (a short name)")):
        router.post(path, summary=summary, status_code=201, responses=made | problems(404))(make)

    @router.get("/v1/memories", summary="List memories", responses={200: says(Page, "A page, newest first")} | problems())
    async def page(scope: Reading, asked: Annotated[Asked, Query()]) -> Response:
        return await deeds.page(scope, asked)

    changed_memory = {200: says(Changed, "The newer version, stored")} | problems(404, 409)
    one_memory = {200: says(Memory, "The memory", examples.MEMORY)} | problems(404)

    @router.get("/v1/memories/{id}", summary="Read a memory", responses=one_memory)
    async def one(scope: Reading, id: SliceId) -> Response:
        return answer(await deeds.one(await house.database(), scope, id))

    @router.patch("/v1/memories/{id}", summary="Change a memory", responses=changed_memory)
    async def change(request: Request, scope: Writing, id: SliceId, changed: ChangedMemory) -> Response:
        return await deeds.change(request.state.caller, scope, id, changed)

    @router.delete("/v1/memories/{id}", summary="Forget a memory", responses={200: says(Deleted, "Done")} | problems(404, 409))
    async def delete(request: Request, scope: Writing, id: SliceId, how: Annotated[Deleting, Query()]) -> Response:
        if how.purge:
            require(request.state.caller, "admin")
        return await deeds.delete(scope, id, purge=how.purge)

    history_of = {200: says(History, "Every version, the first one first")} | problems(404)

    @router.get("/v1/memories/{id}/history", summary="How a memory was changed", responses=history_of)
    async def history(scope: Reading, id: SliceId) -> Response:
        db = await house.database()
        found = await keep.found(deeds.intake, id, lambda: versions.history(db, scope.tenant, id))
        return answer(History(found))

    return router
