"""From a pointer to what was said there: the slices of its window, in order; of released ones what remains, and where to look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from thoth_substrate.awareness.pointers import Pointer, pointer
from thoth_substrate.db.pool import Database, Tx
from thoth_substrate.db.queries import query

MOST_FACTS = 20  # of one released slice


@dataclass(frozen=True, slots=True)
class Read:
    """A slice of a window. `text` is empty unless it is `kept`; `facts` are what is still known of a released one.

    `external_id` is its id in the system it was imported from (`origin`), which may still have it.
    """

    slice_id: UUID
    stream: str
    actor: str
    event_time: datetime
    state: Literal["kept", "released", "forgotten"]
    text: str
    facts: list[str]
    external_id: str | None
    origin: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What a pointer leads to. `outside`: its source is not one of ours; `where` says where to look for what is not here.

    `more`: the window holds more slices than were asked for.
    """

    pointer: str
    type: str
    ref: str
    from_time: datetime
    to_time: datetime
    outside: bool
    slices: list[Read]
    more: bool
    where: str


@dataclass(frozen=True, slots=True)
class Row:
    slice_id: UUID
    stream: str
    actor: str
    event_time: datetime
    state: Literal["kept", "released", "forgotten"]
    text: str
    external_id: str | None
    origin: str


@dataclass(frozen=True, slots=True)
class Left:
    slice_id: UUID
    statement: str


_WINDOW = query(__package__, "window", Row)
_IMPORTED = query(__package__, "imported", Row)
_LEFT = query(__package__, "facts_left", Left)


async def read(db: Database, tenant_id: str, text: str, *, limit_rows: int = 200) -> Reading:
    """What a pointer leads to, at most `limit_rows` slices. Raises BadInput for what is no pointer.

    A window in which nothing is here (any more), and a source outside that was never imported, are readings without slices.
    """
    pointed = pointer(text)
    here = pointed.conversation
    async with db.tenant(tenant_id) as tx:
        if here is not None:
            rows = await tx.fetch(_WINDOW, tenant_id, *here, pointed.from_time, pointed.to_time, limit_rows + 1)
        else:
            rows = await tx.fetch(_IMPORTED, tenant_id, pointed.type, pointed.ref)
        facts = await _facts(tx, tenant_id, [row.slice_id for row in rows if row.state == "released"])
    slices = [
        Read(row.slice_id, row.stream, row.actor, row.event_time, row.state, row.text, facts.get(row.slice_id, [])[:MOST_FACTS],
             row.external_id, row.origin)
        for row in rows[:limit_rows]
    ]  # fmt: skip
    return Reading(
        str(pointed), pointed.type, pointed.ref, pointed.from_time, pointed.to_time, here is None, slices,
        len(rows) > limit_rows, _where(pointed, slices),
    )  # fmt: skip


async def _facts(tx: Tx, tenant_id: str, slice_ids: Sequence[UUID]) -> dict[UUID, list[str]]:
    """What is known from released slices, by slice."""
    found: dict[UUID, list[str]] = {}
    for row in await tx.fetch(_LEFT, tenant_id, slice_ids) if slice_ids else []:
        found.setdefault(row.slice_id, []).append(row.statement)
    return found


def _where(pointed: Pointer, slices: Sequence[Read]) -> str:
    """Where to look for what is not here; empty when all of it is. Pure."""
    here = pointed.conversation
    if here is None:
        return (
            ""
            if any(one.state == "kept" for one in slices)
            else f"It is outside, in {pointed.type}: look there for {pointed.ref}."
        )
    gone = [one for one in slices if one.state == "released"]
    if not slices:
        return f"Nothing of this window is here any more; if anybody has it, it is where session {here[1]} took place."
    if not gone:
        return ""
    imported = [f"{one.origin} {one.external_id}" for one in gone if one.external_id]
    if imported:
        return f"What was released may still be where it was imported from: {', '.join(imported[:5])}."
    return f"What was released may still be where it took place: {gone[0].origin}, session {here[1]}."
