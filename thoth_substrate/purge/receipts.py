"""Receipts: what was purged, by table and in numbers of rows, without a word of it; and whether that is still so.

A receipt is written before anything goes and grows with each transaction, so that a purge that was killed is found, finished,
and never said to be more than it was.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson

from thoth_substrate.db.plans import POINT_LOOKUPS
from thoth_substrate.db.pool import Database, Tx
from thoth_substrate.db.queries import Query, query
from thoth_substrate.errors import BadInput
from thoth_substrate.purge.rows import Tally

NEWEST = "last"


@dataclass(frozen=True, slots=True)
class Receipt:
    """A purge: how many slices, whether it is `done` or still `begun` or `closing`, rows gone and written anew, by table."""

    purge_id: UUID
    purged_at: datetime
    slices: int
    state: str
    gone: Mapping[str, int]
    anew: Mapping[str, int]
    decision_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Begun:
    purge_id: UUID
    slice_ids: list[UUID]


@dataclass(frozen=True, slots=True)
class PurgeId:
    purge_id: UUID


@dataclass(frozen=True, slots=True)
class ClaimedGone:
    slice_ids: list[UUID]
    row_ids: list[int]
    purged_at: datetime


@dataclass(frozen=True, slots=True)
class Remains:
    """Rows that still hold or name what a receipt says is gone, by table; all are 0 after a purge that is done."""

    substrate_slices: int
    substrate_external_ids: int
    substrate_idempotency_keys: int
    substrate_passages: int
    substrate_salience: int
    substrate_salience_events: int
    substrate_pending: int
    substrate_unindexed: int
    substrate_unconsolidated: int
    substrate_citations: int
    substrate_verdicts: int
    substrate_digests: int
    substrate_dead_letters: int
    substrate_entities: int
    substrate_entity_aliases: int
    substrate_entity_merges: int
    substrate_relationships: int
    substrate_patterns: int
    substrate_observations: int
    substrate_supports: int
    substrate_statements: int
    substrate_associations: int
    substrate_communities: int
    substrate_outcomes: int
    substrate_concepts: int
    substrate_keywords: int
    substrate_sources: int
    substrate_recall_log: int
    diary: int


@dataclass(frozen=True, slots=True)
class Verified:
    """A receipt, counted again. `well`: it is done and nothing is left; `left` are the tables that still hold something."""

    receipt: Receipt
    well: bool
    left: Mapping[str, int]


_UNHURRIED: Query[None] = query(__package__, "unhurried")
_BEGIN: Query[None] = query(__package__, "begin")
_NOTE: Query[None] = query(__package__, "note")
_WIDEN: Query[None] = query(__package__, "widen")
_CLOSING: Query[None] = query(__package__, "closing")
_CLOSED: Query[None] = query(__package__, "closed")
_FINISH: Query[None] = query(__package__, "finish")
_UNFINISHED = query(__package__, "unfinished", Begun)
_RECENT = query(__package__, "recent", Receipt)
_RECEIPT = query(__package__, "receipt", Receipt)
_BY_PREFIX = query(__package__, "receipt_by_prefix", PurgeId)
_NEWEST = query(__package__, "newest_receipt", PurgeId)
_CLAIMED_GONE = query(__package__, "claimed_gone", ClaimedGone)
_REMAINS = query(__package__, "remains", Remains)


async def begin(tx: Tx, tenant_id: str, purge_id: UUID, slice_ids: Sequence[UUID]) -> None:
    """Write an empty receipt."""
    empty = orjson.dumps({"state": "begun", "gone": {}, "anew": {}, "rows": []}).decode()
    await tx.execute(_BEGIN, tenant_id, purge_id, slice_ids, empty)


@asynccontextmanager
async def step(db: Database, tenant_id: str, purge_id: UUID, tally: Tally) -> AsyncIterator[Tx]:
    """A transaction of a purge, which ends with what it counted in the receipt."""
    async with db.tenant(tenant_id) as tx:
        await tx.execute(POINT_LOOKUPS)
        await tx.execute(_UNHURRIED)
        yield tx
        await note(tx, tenant_id, purge_id, tally)


async def note(tx: Tx, tenant_id: str, purge_id: UUID, tally: Tally) -> None:
    """Add what this transaction did, as its last deed."""
    gone, anew = (orjson.dumps({key: n for key, n in counts.items() if n}).decode() for counts in (tally.gone, tally.anew))
    await tx.execute(_NOTE, tenant_id, purge_id, gone, anew, sorted(set(tally.rows)))


async def widen(tx: Tx, tenant_id: str, purge_id: UUID, slice_ids: Sequence[UUID]) -> None:
    """Add slices that turned out to hold what is purged."""
    await tx.execute(_WIDEN, tenant_id, purge_id, slice_ids)


async def close(tx: Tx, tenant_id: str, purge_id: UUID) -> None:
    """Let no agent write any more what it read before this (thoth_workers/purges.py), once those that are writing have done."""
    await tx.execute(_CLOSING, tenant_id)
    await tx.execute(_CLOSED, tenant_id, purge_id)


async def finish(tx: Tx, tenant_id: str, purge_id: UUID, decision_id: UUID) -> None:
    """Say that it is done, and which entry of the diary tells of it."""
    await tx.execute(_FINISH, tenant_id, purge_id, decision_id)


async def unfinished(db: Database, tenant_id: str) -> list[Begun]:
    """Purges that were begun and not finished, the oldest first."""
    async with db.tenant(tenant_id) as tx:
        return await tx.fetch(_UNFINISHED, tenant_id)


async def recent(db: Database, tenant_id: str, *, limit_rows: int) -> list[Receipt]:
    """The newest receipts."""
    async with db.tenant(tenant_id) as tx:
        return await tx.fetch(_RECENT, tenant_id, limit_rows)


async def receipt(db: Database, tenant_id: str, purge_id: UUID) -> Receipt:
    """One receipt. Raises BadInput when there is none."""
    async with db.tenant(tenant_id) as tx:
        found = await tx.fetch_one(_RECEIPT, tenant_id, purge_id)
    if found is None:
        raise BadInput(f"There is no receipt {purge_id} here; `thoth substrate purges` lists those there are.")
    return found


async def verify(db: Database, tenant_id: str, purge_id: UUID) -> Verified:
    """Count again what a receipt says is gone. Raises BadInput when there is no such receipt."""
    found = await receipt(db, tenant_id, purge_id)
    async with db.tenant(tenant_id) as tx:
        await tx.execute(POINT_LOOKUPS)
        await tx.execute(_UNHURRIED)
        gone = await tx.fetch_one(_CLAIMED_GONE, tenant_id, purge_id)
        assert gone is not None, "the receipt was there a moment ago, and none is ever taken away"
        remains = await tx.fetch_one(_REMAINS, tenant_id, gone.slice_ids, gone.row_ids, gone.purged_at)
    assert remains is not None, "the statement always answers one row"
    left = {table: n for table, n in asdict(remains).items() if n}
    return Verified(found, found.state == "done" and not left, left)


async def purge_id(db: Database, tenant_id: str, word: str) -> UUID:
    """The receipt that `word` means: the beginning of its id, or `last`. Raises BadInput unless it is exactly one."""
    text = word.strip()
    bare = text.replace("-", "")
    async with db.tenant(tenant_id) as tx:
        if text == NEWEST:
            rows = await tx.fetch(_NEWEST, tenant_id)
        elif 4 <= len(bare) <= 32 and all(c in "0123456789abcdefABCDEF" for c in bare):
            rows = await tx.fetch(_BY_PREFIX, tenant_id, UUID(bare.ljust(32, "0")), UUID(bare.ljust(32, "f")))
        else:
            raise BadInput(f"{word!r} is not a receipt's id: give its first characters (four or more), or: {NEWEST}.")
    if len(rows) != 1:
        what = "Several receipts begin" if rows else "No receipt begins"
        raise BadInput(f"{what} with {text}; `thoth substrate purges` lists those there are.")
    return rows[0].purge_id


def as_json(counts: Mapping[str, Any]) -> dict[str, Any]:
    """Counts without zeros, for the diary."""
    return {key: n for key, n in counts.items() if n}
