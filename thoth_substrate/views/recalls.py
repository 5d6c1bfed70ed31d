"""Recalls that were made: what was asked, what was shown, why, and why sometimes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query
from thoth_substrate.errors import UnknownRecall


@dataclass(frozen=True, slots=True)
class RecallLine:
    """One recall. `lines` is how many were shown, `tokens` of the whole block; `empty_reason` None when something was."""

    recall_id: UUID
    asked_at: datetime
    session: str | None
    query: str
    lines: int
    tokens: int
    took_ms: float
    deadline_ms: int
    empty_reason: str | None


@dataclass(frozen=True, slots=True)
class RecallRow:
    """One recall with everything that was logged of it; `legs`, `candidates`, `shown`, `detail` as recall wrote them."""

    recall_id: UUID
    asked_at: datetime
    session: str | None
    query: str
    config_hash: str
    deadline_ms: int
    took_ms: float
    tokens: int
    empty_reason: str | None
    legs: Any
    candidates: Any
    shown: list[dict[str, Any]]
    detail: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line that was injected, read anew. `text` is the passage, empty once the slice was released or forgotten.

    Of a fact, pattern or insight it is the sentence, named by `row_id`; the slice is None then.
    """

    handle: str
    slice_id: UUID | None
    passage_no: int | None
    row_id: int | None
    kind: str
    stream: str | None
    session: str | None
    actor: str | None
    event_time: datetime | None
    gone: bool
    text: str


@dataclass(frozen=True, slots=True)
class Explained:
    """A logged recall, its lines read anew."""

    recall: RecallRow
    lines: list[ShownLine]


@dataclass(frozen=True, slots=True)
class FloorLine:
    """A tenant's calibrated floor, by the model whose vectors it was calibrated with (empty: keyword only)."""

    model: str
    calibrated_at: datetime
    passages: int
    floor: Any


_RECENT = query(__package__, "recent_recalls", RecallLine)
_SAMPLE = query(__package__, "sampled_recalls", RecallLine)
_ONE = query(__package__, "one_recall", RecallRow)
_SHOWN = query(__package__, "shown_lines", ShownLine)
_FLOORS = query(__package__, "floors", FloorLine)


async def recent(db: Database, tenant_id: str, *, limit_rows: int = 20) -> list[RecallLine]:
    """The newest recalls, at most `limit_rows`."""
    async with db.tenant(tenant_id) as tx:
        return await tx.fetch(_RECENT, tenant_id, limit_rows)


async def sample(db: Database, tenant_id: str, *, seed: str, limit_rows: int = 5) -> list[RecallLine]:
    """Some of the newest thousand recalls, drawn by `seed`: the same seed draws the same while nothing is added."""
    async with db.tenant(tenant_id) as tx:
        return await tx.fetch(_SAMPLE, tenant_id, seed, limit_rows)


async def explained(db: Database, tenant_id: str, recall_id: UUID) -> Explained:
    """One recall with its lines read anew. Raises UnknownRecall when it is not in the log (any more)."""
    async with db.tenant(tenant_id) as tx:
        row = await tx.fetch_one(_ONE, tenant_id, recall_id)
        if row is None:
            raise UnknownRecall(
                f"No recall {recall_id} is logged for tenant {tenant_id}: `thoth substrate recall recent` lists them."
            )
        lines = await tx.fetch(_SHOWN, tenant_id, recall_id)
    return Explained(row, lines)


async def floors(db: Database, tenant_id: str) -> list[FloorLine]:
    """The floors calibrated for this tenant, one a model; none before there was enough to calibrate on."""
    async with db.tenant(tenant_id) as tx:
        return await tx.fetch(_FLOORS, tenant_id)
