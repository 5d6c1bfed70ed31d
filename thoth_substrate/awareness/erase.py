"""When slices are purged: a concept that was met where they are may speak of them in any of its keywords, and goes whole.

Which keyword came from which slice nobody can tell, as the model translates and joins. So what is left of the concept's windows
is handed back, to be read again by the Indexer, which makes of it what it says without the purged.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from thoth_substrate.awareness.keep import take_away
from thoth_substrate.awareness.pointers import CONVERSATION, Pointer, conversation
from thoth_substrate.db.pool import Tx
from thoth_substrate.db.queries import query

INDEXER = "indexer"


@dataclass(frozen=True, slots=True)
class Erased:
    """Concepts that went, by number, how many keywords and sources with them, and the conversations that were left of them."""

    concept_ids: list[int]
    keywords: int
    sources: int
    windows: list[str]


@dataclass(frozen=True, slots=True)
class Touched:
    concept_id: int


@dataclass(frozen=True, slots=True)
class Counted:
    keywords: int
    sources: int


@dataclass(frozen=True, slots=True)
class Window:
    stream: str
    session: str
    from_time: datetime
    to_time: datetime


_TOUCHED = query(__package__, "concepts_touched", Touched)
_SPEAKING = query(__package__, "concepts_speaking", Touched)
_COUNTED = query(__package__, "concepts_counted", Counted)
_WINDOWS = query(__package__, "windows_left", Window)


async def erase_met_at(tx: Tx, tenant_id: str, slice_ids: Sequence[UUID]) -> Erased:
    """Take away the concepts that were met where these slices are; to be asked while those still say when and where."""
    return await _erase(tx, tenant_id, [row.concept_id for row in await tx.fetch(_TOUCHED, tenant_id, slice_ids)])


async def erase_speaking(tx: Tx, tenant_id: str, terms: Collection[str]) -> Erased:
    """Take away the concepts that have one of these terms: words that nobody else has any more."""
    found = await tx.fetch(_SPEAKING, tenant_id, sorted(terms)) if terms else []
    return await _erase(tx, tenant_id, [row.concept_id for row in found])


async def _erase(tx: Tx, tenant_id: str, concept_ids: Sequence[int]) -> Erased:
    if not concept_ids:
        return Erased([], 0, 0, [])
    counted = await tx.fetch_one(_COUNTED, tenant_id, concept_ids)
    assert counted is not None, "counts are always there"
    windows = [
        str(Pointer(CONVERSATION, conversation(row.stream, row.session), row.from_time, row.to_time))
        for row in await tx.fetch(_WINDOWS, tenant_id, concept_ids, CONVERSATION)
    ]
    await take_away(tx, tenant_id, concept_ids)
    return Erased(list(concept_ids), counted.keywords, counted.sources, windows)
