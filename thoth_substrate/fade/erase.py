"""Forgetting for good: what a purge takes from perception. Within the caller's transaction; the order of the steps is its.

First `bar`: found no more and promoted never, while the words are still there to look for elsewhere. Last `erase`: content,
times, session and hash go, and a tombstone is left that says no more than that there was something.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from thoth_substrate.db.pool import Tx
from thoth_substrate.db.queries import Query, query
from thoth_substrate.fade.unindex import Gone, Unindexed, unindex


@dataclass(frozen=True, slots=True)
class HeldForGood:
    slice_id: UUID


@dataclass(frozen=True, slots=True)
class Beside:
    passage_id: int


@dataclass(frozen=True, slots=True)
class Barred:
    """What left attention and search, as counts. `windows` are neighbours' vectors that were made of these words, too."""

    slices: int
    anchors: int
    index: Unindexed
    windows: int


_HELD = query(__package__, "bar_held", HeldForGood)
_BAR: Query[None] = query(__package__, "bar")
_BESIDE = query(__package__, "windows_beside", Beside)
_WINDOWS = query(__package__, "windows_gone", Gone)
_ANCHORS: Query[None] = query(__package__, "anchors_gone")
_MOVES: Query[None] = query(__package__, "moves_gone")
_EMPTY: Query[None] = query(__package__, "empty")
_UNPROMOTED: Query[None] = query(__package__, "unpromoted")
NO_TOMBSTONE = "none"


async def bar(tx: Tx, tenant_id: str, slice_ids: Sequence[UUID]) -> Barred:
    """Forget slices at once, pinned or released or not. Entries of the diary are left alone. Waits for who holds them."""
    await tx.execute(_HELD, tenant_id, slice_ids)  # takes the locks; what changed while they were waited for is read by the next
    ids = [held.slice_id for held in await tx.fetch(_HELD, tenant_id, slice_ids)]
    await tx.execute(_BAR, tenant_id, ids)
    beside = [row.passage_id for row in await tx.fetch(_BESIDE, tenant_id, ids)]
    index = await unindex(tx, tenant_id, ids)
    windows = await tx.fetch_one(_WINDOWS, tenant_id, beside)
    # Without an anchor the Curator does not come for them: their words are needed until nothing else holds them.
    anchors = await tx.execute(_ANCHORS, tenant_id, ids)
    return Barred(len(ids), anchors, index, windows.n if windows else 0)


async def erase(tx: Tx, tenant_id: str, slice_ids: Sequence[UUID]) -> int:
    """Empty slices that are barred, for good; answers how many moves of their anchors were logged and are gone."""
    await tx.execute(_EMPTY, tenant_id, slice_ids, [NO_TOMBSTONE] * len(slice_ids))
    return await tx.execute(_MOVES, tenant_id, slice_ids)


async def keep_back(tx: Tx, tenant_id: str, slice_ids: Sequence[UUID]) -> None:
    """Let slices that are to be promoted anew not fade away before that."""
    await tx.execute(_UNPROMOTED, tenant_id, slice_ids)
