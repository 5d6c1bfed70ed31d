"""One fact, pattern or insight, wholly: its sentence, when it holds, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query
from thoth_substrate.errors import UnknownSlice


@dataclass(frozen=True, slots=True)
class FactRow:
    """A row of layers 1 to 4. `valid_…` is in the world, `asserted_at` and `retracted_at` are in the mind.

    `subject`, `predicate` and `object` are None of what is no relationship. Confidences are 0..1.
    """

    row_id: int
    kind: str
    statement: str
    subject: str | None
    predicate: str | None
    object: str | None
    negated: bool
    functional: bool
    valid_from: datetime
    valid_to: datetime | None
    asserted_at: datetime
    retracted_at: datetime | None
    retract_reason: str | None
    superseded_by: int | None
    stated_confidence: float
    confidence: float
    agent: str
    model: str
    decision_id: UUID | None


@dataclass(frozen=True, slots=True)
class CitationLine:
    """The words that it rests on. `row_id` is its own, or a fact's that supports it; `gone`: the slice was released."""

    row_id: int
    slice_id: UUID
    passage_no: int
    session: str
    actor: str
    event_time: datetime
    quote: str
    gone: bool


@dataclass(frozen=True, slots=True)
class SupportLine:
    """A row of a lower layer that it rests on."""

    row_id: int
    statement: str
    retracted: bool


@dataclass(frozen=True, slots=True)
class FactPortrait:
    """All that is known of one sentence."""

    fact: FactRow
    citations: list[CitationLine]
    supports: list[SupportLine]


_FACT = query(__package__, "one_fact", FactRow)
_CITATIONS = query(__package__, "citations_of", CitationLine)
_SUPPORTS = query(__package__, "supports_of", SupportLine)


async def fact_portrait(db: Database, tenant_id: str, row_id: int) -> FactPortrait:
    """One sentence, wholly. Raises UnknownSlice when this tenant has none of that number."""
    async with db.tenant(tenant_id) as tx:
        row = await tx.fetch_one(_FACT, tenant_id, row_id)
        if row is None:
            raise UnknownSlice(f"Nothing that tenant {tenant_id} knows has the number {row_id}: it may have been purged.")
        return FactPortrait(row, await tx.fetch(_CITATIONS, tenant_id, row_id), await tx.fetch(_SUPPORTS, tenant_id, row_id))
