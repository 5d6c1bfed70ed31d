"""Changing a memory: a newer version is perceived and takes the older one's place; both stay in the history."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from thoth_substrate.db.again import again
from thoth_substrate.db.plans import POINT_LOOKUPS
from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.errors import AlreadyReplaced, BadInput, UnknownSlice
from thoth_substrate.memories.memory import Memory, those

MOST_FINISHED = 20  # at a time
MOST_VERSIONS_SHOWN = 1000


@dataclass(frozen=True, slots=True)
class Standing:
    """A memory that is to be changed, locked, as it stands."""

    consolidation_state: str
    forgotten: bool
    released: bool
    version: int | None
    first_id: UUID | None
    replaced_by: UUID | None
    stream: str
    session: str
    actor: str
    event_time: datetime
    text: str
    payload: Any
    metadata: dict[str, Any]
    pinned: bool


@dataclass(frozen=True, slots=True)
class Changed:
    """What changing made: the newer version's id, the older one's, and which version it is."""

    slice_id: UUID
    replaces: UUID
    version: int


@dataclass(frozen=True, slots=True)
class Unretired:
    """A newer version that is stored, the one that it replaces and that is not retired yet, and whether that is pinned."""

    slice_id: UUID
    replaces: UUID
    pinned: bool


@dataclass(frozen=True, slots=True)
class CutOff:
    tenant_id: str


@dataclass(frozen=True, slots=True)
class Link:
    slice_id: UUID
    version: int
    changed_at: datetime | None
    changed_by: str


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a memory: when and by whom it was made of the one before (None of the first), and the memory itself.

    `memory` is None when its slice is gone with its month; its text is empty once it was released.
    """

    id: UUID
    version: int
    changed_at: datetime | None
    changed_by: str
    memory: Memory | None


_HELD = query(__package__, "version_held", Standing)
_MADE: Query[None] = query(__package__, "version_made")
_RETIRED: Query[None] = query(__package__, "version_retired")
_UNRETIRED = query(__package__, "versions_unretired", Unretired)
CUT_OFF = query(__package__, "versions_cut_off", CutOff)
_CHAIN = query(__package__, "version_chain", Link)


async def replace(
    db: Database, tenant_id: str, slice_id: UUID, make: Callable[[Standing], Awaitable[UUID]], *, by: str
) -> Changed:  # fmt: skip
    """Let `make` perceive the newer version, and link it to the older one. That is retired by `finish`, once this is stored.

    Raises UnknownSlice, AlreadyReplaced when somebody came first, BadInput for what is forgotten, released or the diary's.
    """
    made: list[UUID] = []

    async def once() -> Changed:
        async with db.tenant(tenant_id) as tx:
            await tx.execute(POINT_LOOKUPS)
            await tx.execute(_HELD, tenant_id, slice_id)  # takes the lock; what changed meanwhile is read by the next
            held = await tx.fetch_one(_HELD, tenant_id, slice_id)
            standing = _changeable(held, tenant_id, slice_id)
            if not made:
                made.append(await make(standing))
            version = (standing.version or 1) + 1
            await tx.execute(_MADE, tenant_id, made[0], slice_id, standing.first_id or slice_id, version, by)
            return Changed(made[0], slice_id, version)

    return await again(db, once)


async def finish(db: Database, tenant_id: str, retire: Callable[[Unretired], Awaitable[object]]) -> int:
    """Retire what was replaced, also by changes that were cut off before they came to it, the oldest first. Answers how many."""
    for finished in range(MOST_FINISHED):
        async with db.tenant(tenant_id) as tx:
            one = await tx.fetch_one(_UNRETIRED, tenant_id, 1)  # its pin may be the next one's
        if one is None:
            return finished
        await retire(one)
        async with db.tenant(tenant_id) as tx:
            await tx.execute(_RETIRED, tenant_id, one.replaces)
    return MOST_FINISHED


async def cut_off(db: Database) -> list[str]:
    """Tenants with changes that were cut off a minute ago or longer, some of them."""
    async with db.worker() as tx:
        return [one.tenant_id for one in await tx.fetch(CUT_OFF, MOST_FINISHED)]


async def history(db: Database, tenant_id: str, slice_id: UUID) -> list[Version]:
    """Every version of a memory, the first one first. Raises UnknownSlice when this tenant has none of that id."""
    async with db.tenant(tenant_id) as tx:
        chain = await tx.fetch(_CHAIN, tenant_id, slice_id)
    found = {one.id: one for one in await those(db, tenant_id, [link.slice_id for link in chain[-MOST_VERSIONS_SHOWN:]])}
    if not found:
        raise UnknownSlice(f"No memory of tenant {tenant_id} has the id {slice_id}: `thoth memories list` shows those there are.")
    return [
        Version(link.slice_id, link.version, link.changed_at, link.changed_by, found.get(link.slice_id))
        for link in chain[-MOST_VERSIONS_SHOWN:]
    ]


def _changeable(held: Standing | None, tenant_id: str, slice_id: UUID) -> Standing:
    if held is None:
        raise UnknownSlice(f"No memory of tenant {tenant_id} has the id {slice_id}: `thoth memories list` shows those there are.")
    if held.consolidation_state == "exempt":
        raise BadInput(f"Memory {slice_id} is an entry of the diary, which is never changed: it is part of the audit chain.")
    if held.replaced_by is not None:
        raise AlreadyReplaced(f"Memory {slice_id} was replaced by {held.replaced_by}: change that one.")
    if held.forgotten or held.released:
        raise BadInput(f"Memory {slice_id} was forgotten: there is nothing left to change; make a new one.")
    return held
