"""Retiring: what has been replaced, or whose source is gone, is found no more, and neither is what rested on it alone.

Unlike what is forgotten, its words stay and fade in their own time: what was so before can still be read by its id. A fact
that somebody else told of as well stays; one that nothing tells of any more is closed, with the reason, and so is what stood
above it. For files that changed and memories that were updated: call it in the transaction that makes the new version live.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import orjson

from thoth_substrate.db.again import again
from thoth_substrate.db.plans import POINT_LOOKUPS
from thoth_substrate.db.pool import Database, Tx
from thoth_substrate.db.queries import Query, query
from thoth_substrate.fade.unindex import Unindexed, unindex
from thoth_substrate.model.streams import SUMMARY


@dataclass(frozen=True, slots=True)
class Retirable:
    slice_id: UUID


@dataclass(frozen=True, slots=True)
class ClosedFact:
    row_id: int
    subject_id: int
    object_id: int | None


@dataclass(frozen=True, slots=True)
class ClosedRow:
    row_id: int


@dataclass(frozen=True, slots=True)
class Retired:
    """What retiring did, as counts. `slices` were not retired or forgotten before; summaries of them alone are among them."""

    slices: int = 0
    index: Unindexed = field(default_factory=Unindexed)
    facts: int = 0
    higher: int = 0


_ALONE: Query[None] = query(__package__, "knowledge_alone")
_RETIRABLE = query(__package__, "retirable", Retirable)
_SUMMARIES = query(__package__, "summaries_alone", Retirable)
_RETIRED: Query[None] = query(__package__, "retired")
_WITHDRAWN: Query[None] = query(__package__, "citations_withdrawn")
_FACTS = query(__package__, "facts_closed", ClosedFact)
_PATTERNS = query(__package__, "patterns_closed", ClosedRow)
_OBSERVATIONS = query(__package__, "observations_closed", ClosedRow)
_STATEMENTS: Query[None] = query(__package__, "statements_closed")
_ENDS: Query[None] = query(__package__, "ends_unassociated")
_RELABELLED: Query[None] = query(__package__, "relabelled")


async def retire(tx: Tx, tenant_id: str, slice_ids: Sequence[UUID], reason: str) -> Retired:
    """Retire slices within the caller's transaction; `reason` is a phrase for people ("replaced by a newer version").

    Safe to repeat. Slices of the diary, unknown, forgotten and released ones are passed over. Takes the lock of the tenant's
    knowledge first: a caller that holds rows of slices or queues before may have to do its transaction again (`db.again`).
    """
    wanted = sorted(set(slice_ids))
    if not wanted:
        return Retired()
    await tx.execute(POINT_LOOKUPS)
    await tx.execute(_ALONE, tenant_id)
    await tx.execute(_RETIRABLE, tenant_id, wanted)  # takes the locks; what changed meanwhile is read by the next
    going = [row.slice_id for row in await tx.fetch(_RETIRABLE, tenant_id, wanted)]
    if not going:
        return Retired()
    going += [row.slice_id for row in await tx.fetch(_SUMMARIES, tenant_id, going, SUMMARY)]
    await tx.execute(_RETIRED, tenant_id, going, reason)
    index = await unindex(tx, tenant_id, going)
    await tx.execute(_WITHDRAWN, tenant_id, going)
    facts = await tx.fetch(_FACTS, tenant_id, going, f"its source was retired: {reason}")
    higher = await _close_above(tx, tenant_id, [fact.row_id for fact in facts])
    ends = sorted({end for fact in facts for end in (fact.subject_id, fact.object_id) if end is not None})
    if ends:
        await tx.execute(_ENDS, tenant_id, ends)
    return Retired(len(going), index, len(facts), higher)


async def retire_alone(db: Database, tenant_id: str, slice_ids: Sequence[UUID], reason: str) -> Retired:
    """`retire` in a transaction of its own, done again after a deadlock."""

    async def once() -> Retired:
        async with db.tenant(tenant_id) as tx:
            return await retire(tx, tenant_id, slice_ids, reason)

    return await again(db, once)


async def relabel(tx: Tx, tenant_id: str, slice_ids: Sequence[UUID], labels: Mapping[str, Any]) -> None:
    """Write `labels` over the metadata of slices, within the caller's transaction: a file was moved, its words are the same."""
    if slice_ids:
        await tx.execute(_RELABELLED, tenant_id, sorted(slice_ids), orjson.dumps(dict(labels)).decode())


async def _close_above(tx: Tx, tenant_id: str, closed: list[int]) -> int:
    """Close what stood on closed rows, however far up; answers how many rows of the higher layers that were."""
    count, below = 0, closed
    reason = "what it rested on was retired"
    while below:
        await tx.execute(_STATEMENTS, tenant_id, below)
        patterns = await tx.fetch(_PATTERNS, tenant_id, below, reason)
        observations = await tx.fetch(_OBSERVATIONS, tenant_id, below, reason)
        below = [row.row_id for row in (*patterns, *observations)]
        count += len(below)
    return count
