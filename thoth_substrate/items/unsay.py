"""Whose words are to be forgotten: items that were replaced, deleted or swept, and of which a slice was made.

A trigger queues them with the change itself, so nothing is missed when a process dies in between; the queue is worked off
after each change, and what could not be done waits there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from thoth_substrate.db.pool import Tx
from thoth_substrate.db.queries import Query, query
from thoth_substrate.items.read import Store

MOST_ROWS = 1000


@dataclass(frozen=True, slots=True)
class Unsaid:
    """A change, and the slice that its words became; None while that is not there, and `overdue` when it never will be."""

    number: int
    slice_id: UUID | None
    overdue: bool


_UNSAID = query(__package__, "unsaid", Unsaid)
_SETTLED: Query[None] = query(__package__, "unsaid_settled")


def source_of(store: Store) -> str:
    """The source under which a store's words are perceived, with the change's number as external id."""
    return f"thoth.items.{store.name}"


async def unsaid(tx: Tx, store: Store) -> list[Unsaid]:
    """What waits to be forgotten, the oldest first."""
    return await tx.fetch(_UNSAID, store.tenant, store.name, source_of(store), MOST_ROWS)


async def settled(tx: Tx, store: Store, numbers: Sequence[int]) -> None:
    """They are forgotten, or are to stay."""
    await tx.execute(_SETTLED, store.tenant, store.name, list(numbers))
