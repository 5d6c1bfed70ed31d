"""The one way by which a slice leaves the index: forgetting and releasing both take it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from thoth_substrate.db.pool import Tx
from thoth_substrate.db.queries import Query, query


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Passages that went, their length in all, how many postings they had, and each one's distinct terms in a row."""

    passage_ids: list[int]
    total_length: int
    postings: int
    terms: list[str]


@dataclass(frozen=True, slots=True)
class Gone:
    n: int


@dataclass(frozen=True, slots=True)
class Unindexed:
    """What left the index, as counts."""

    passages: int = 0
    postings: int = 0
    vectors: int = 0


_DEQUEUE: Query[None] = query(__package__, "dequeue")
_TAKE_BACK = query(__package__, "take_back", TakenBack)
_ONE_AT_A_TIME: Query[None] = query(__package__, "one_at_a_time")
_LOSSES: Query[None] = query(__package__, "term_losses")
_EXTINCT: Query[None] = query(__package__, "terms_extinct")
_TEXT: Query[None] = query(__package__, "text_lessened")
_UNQUEUED: Query[None] = query(__package__, "unqueued")
_VECTORS = query(__package__, "vectors_gone", Gone)


async def unindex(tx: Tx, tenant_id: str, slice_ids: Sequence[UUID]) -> Unindexed:
    """Take slices out of every queue and index within the caller's transaction. Their rows must be locked by it.

    Statements one after another, because their order is the order of the locks: passages, terms, the tenant's numbers.
    """
    await tx.execute(_DEQUEUE, tenant_id, slice_ids)
    await tx.execute(_ONE_AT_A_TIME, tenant_id)
    taken = await tx.fetch_one(_TAKE_BACK, tenant_id, slice_ids)
    if taken is None or not taken.passage_ids:
        return Unindexed()
    await tx.execute(_LOSSES, tenant_id, taken.terms)
    await tx.execute(_EXTINCT, tenant_id, list(set(taken.terms)))
    await tx.execute(_TEXT, tenant_id, len(taken.passage_ids), taken.total_length)
    await tx.execute(_UNQUEUED, tenant_id, taken.passage_ids)
    gone = await tx.fetch_one(_VECTORS, tenant_id, taken.passage_ids)
    return Unindexed(len(taken.passage_ids), taken.postings, gone.n if gone else 0)
