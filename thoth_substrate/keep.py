"""Memories kept on somebody's word, for every surface alike: made, changed, forgotten. Rooms are joined here and nowhere else.

A memory goes in through the façade, so that it is safe when the call returns and in the database soon after. What is read
right after it was made may still be on its way: `found` waits for it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol, TypeVar
from uuid import UUID

from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput, DatabaseUnavailable, JournalFull, UnknownSlice
from thoth_substrate.fade.pin import pin
from thoth_substrate.fade.retire import retire_alone
from thoth_substrate.memories import keys, versions
from thoth_substrate.memories.memory import Memory, memory
from thoth_substrate.memories.versions import Changed, Standing, Unretired
from thoth_substrate.model.slice import Ack, Event

NOTE = "thoth.world.note"
REPLACED = "replaced by a newer version"
RETIRED = "retired"  # the key under which a retired slice says why
FLUSH_S = 5.0  # for what was perceived to be in the database
GLANCE_S = 0.5  # the same, where a list without it is better than none
LOOK_S = 0.1  # between two looks at a memory that is waited for
PARSED_BY = frozenset({"triage", "index"})  # what is waited for where no model reads
T = TypeVar("T")


class Facade(Protocol):
    """What is needed of a façade."""

    async def perceive(self, event: Event, *, tenant: str | None = None) -> Ack:
        """Record an event."""

    async def durable(self, timeout_s: float = 30.0) -> bool:
        """Wait until everything is committed."""


@dataclass(frozen=True, slots=True)
class Intake:
    """How a surface perceives: one event, at once; and waits until all of them are in the database."""

    perceive: Callable[[Event], Awaitable[Ack]]
    durable: Callable[[float], Awaitable[bool]]


def intake_of(substrate: Facade, tenant_id: str | None = None) -> Intake:
    """The intake of a façade, for one tenant."""
    return Intake(partial(substrate.perceive, tenant=tenant_id), substrate.durable)


@dataclass(frozen=True, slots=True)
class Change:
    """What a newer version of a memory has of its own. `metadata` is laid over the older one's; a None in it takes a key out."""

    content: Any = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    event: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Kept:
    """A memory that was made, or had been made before by the same request."""

    id: UUID
    repeated: bool


async def remember(
    db: Callable[[], Awaitable[Database]], intake: Intake, tenant_id: str, event: Event, *, key: str | None = None,
    request: bytes = b"",
) -> Kept:  # fmt: skip
    """Make a memory. With `key`, or an external id, the same request makes one memory however often it comes.

    Without either the database is not asked, and may be away. Raises BadInput for what cannot be kept, JournalFull for want
    of room, and DatabaseUnavailable.
    """
    make = partial(_perceived, intake, event)
    if key is not None:
        keyed = await keys.once(await db(), tenant_id, key, request, make)
        return Kept(keyed.slice_id, keyed.repeated)
    if event.external_id is not None:
        known = await keys.of_external(await db(), tenant_id, event.source or event.stream, event.external_id)
        if known is not None:
            return Kept(known, repeated=True)
    return Kept(await make(), repeated=False)


async def change(db: Database, intake: Intake, tenant_id: str, slice_id: UUID, wanted: Change, *, by: str) -> Changed:
    """Let a newer version take a memory's place: it is stored before the older one is retired, which stays in the history.

    A pin goes over to the newer one.

    Raises UnknownSlice, AlreadyReplaced, BadInput, JournalFull, DatabaseUnavailable. Cut off in the middle, both are there
    until the tenant's next change finishes this one, or the Curator does.
    """

    async def make(standing: Standing) -> UUID:
        return await _perceived(intake, _newer(standing, wanted))

    changed = await found(intake, slice_id, lambda: versions.replace(db, tenant_id, slice_id, make, by=by))
    if not await intake.durable(FLUSH_S):
        raise DatabaseUnavailable(
            f"The newer version {changed.slice_id} waits in the journal: the database did not take it yet. It is not lost, and"
            " takes the older one's place as soon as it is there."
        )
    await versions.finish(db, tenant_id, partial(_take_over, db, tenant_id))
    return changed


async def finish_cut_off(db: Database) -> int:
    """Finish changes that were cut off before the older version was retired, some tenants' at a time. Answers how many.

    May be cut off anywhere and run twice. Raises DatabaseUnavailable.
    """
    return sum([await versions.finish(db, tenant, partial(_take_over, db, tenant)) for tenant in await versions.cut_off(db)])


async def _take_over(db: Database, tenant_id: str, one: Unretired) -> None:
    if one.pinned:
        with contextlib.suppress(BadInput, UnknownSlice):  # forgotten since: there is nothing to keep present
            await pin(db, tenant_id, one.slice_id)
    await retire_alone(db, tenant_id, [one.replaces], REPLACED)


async def found(intake: Intake, slice_id: UUID, look: Callable[[], Awaitable[T]]) -> T:
    """What `look` finds of a slice, also of one that was perceived a moment ago. Raises UnknownSlice, and what `look` raises."""
    try:
        return await look()
    except UnknownSlice:
        if not await intake.durable(FLUSH_S):
            raise
    return await look()


async def settled(db: Database, intake: Intake, tenant_id: str, slice_id: UUID, *, parsed: bool, timeout_s: float) -> Memory:
    """A memory once it can be recalled (and, with `parsed`, was read by the Parser), or as it is when the time is over."""
    end = asyncio.get_running_loop().time() + timeout_s
    one = await found(intake, slice_id, lambda: memory(db, tenant_id, slice_id))
    while not _is_settled(one, parsed=parsed) and (left := end - asyncio.get_running_loop().time()) > 0:
        await asyncio.sleep(min(LOOK_S, left))
        one = await memory(db, tenant_id, slice_id)
    return one


def _is_settled(one: Memory, *, parsed: bool) -> bool:
    if one.state not in ("pending", "passed"):
        return True
    return not PARSED_BY & set(one.waits_for) and (one.parsed or "consolidate" not in one.waits_for or not parsed)


async def _perceived(intake: Intake, event: Event) -> UUID:
    ack = await intake.perceive(event)
    if ack.slice_id is not None:
        return ack.slice_id
    if ack.full:
        raise JournalFull(str(ack.dropped))
    reasons = {"empty": "there is nothing in it", "own context": "it is only a context of ours, which is never perceived again"}
    raise BadInput(f"Nothing was remembered: {reasons.get(str(ack.dropped), ack.dropped)}.")


def _newer(standing: Standing, wanted: Change) -> Event:
    content = wanted.content if wanted.content is not None else standing.payload or standing.text
    laid_over = {**standing.metadata, **wanted.metadata}
    metadata = {key: value for key, value in laid_over.items() if value is not None and key != RETIRED}
    event = Event(standing.stream, content, standing.session, standing.actor, standing.event_time, metadata=metadata)
    return replace(event, **wanted.event)
