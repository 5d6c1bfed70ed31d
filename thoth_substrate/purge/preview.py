"""What a purge would take, before anything is taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query


@dataclass(frozen=True, slots=True)
class Preview:
    """Counts. `…_said_anew` rest on other slices too and stay, in other words where need be; `resting_on_them` are patterns
    and observations that are judged again."""

    slices: int
    with_content: int
    passages: int
    vectors: int
    quotes: int
    facts: int
    facts_said_anew: int
    entities: int
    entities_said_anew: int
    resting_on_them: int
    digests: int


_PREVIEW = query(__package__, "preview", Preview)


async def preview(db: Database, tenant_id: str, slice_ids: Sequence[UUID]) -> Preview:
    """Count what rests on these slices. Summaries, topics, recalls and decisions that name them are found while purging."""
    async with db.tenant(tenant_id) as tx:
        found = await tx.fetch_one(_PREVIEW, tenant_id, slice_ids)
    assert found is not None, "the statement always answers one row"
    return found
