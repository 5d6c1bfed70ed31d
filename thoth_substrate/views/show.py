"""One slice, wholly: what it says, where it stands, how present it is, and what has been made of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query
from thoth_substrate.errors import UnknownSlice
from thoth_substrate.model.ids import ingest_time


@dataclass(frozen=True, slots=True)
class SliceRow:
    """A slice with its anchor. Of a released one the text is empty and `payload` None; of a forgotten one as well."""

    slice_id: UUID
    stream: str
    session: str
    actor: str
    event_time: datetime
    event_offset_s: int | None
    ingest_time: datetime
    trust: float
    triage_state: str
    triage_reason: str | None
    consolidation_state: str
    consolidation_attempts: int
    forgotten: bool
    released_at: datetime | None
    external_id: str | None
    content_hash: str
    text: str
    payload: Any
    metadata: dict[str, Any]
    profile: str | None
    salience: float | None
    anchor: float | None
    anchored_at: datetime | None
    half_life: timedelta | None
    fades_at: datetime | None
    importance: float | None
    pinned: bool
    releasable: bool
    reinforced_at: datetime | None


@dataclass(frozen=True, slots=True)
class PassageLine:
    """A passage: characters `char_start` to `char_end` of the text, `terms` in it, and the models that have a vector of it."""

    passage_no: int
    seq: int
    char_start: int
    char_end: int
    terms: int
    models: list[str]


@dataclass(frozen=True, slots=True)
class Recalled:
    """How often it came up: shown in the newest 10,000 recalls, and the moves of its anchor (rate-limited) that followed."""

    shown: int
    last_shown: datetime | None
    surfaced: int
    used: int


@dataclass(frozen=True, slots=True)
class Portrait:
    """All that is known of one slice."""

    slice: SliceRow
    passages: list[PassageLine]
    recalled: Recalled


_SLICE = query(__package__, "one_slice", SliceRow)
_PASSAGES = query(__package__, "passages_of_slice", PassageLine)
_RECALLED = query(__package__, "recalled_how_often", Recalled)


async def portrait(db: Database, tenant_id: str, slice_id: UUID) -> Portrait:
    """One slice, wholly. Raises UnknownSlice when this tenant has none of that id."""
    async with db.tenant(tenant_id) as tx:
        row = await tx.fetch_one(_SLICE, tenant_id, slice_id, ingest_time(slice_id))
        if row is None:
            raise UnknownSlice(
                f"No slice of tenant {tenant_id} has the id {slice_id}: `thoth substrate slices` lists the most recent ones."
            )
        passages = await tx.fetch(_PASSAGES, tenant_id, slice_id)
        recalled = await tx.fetch_one(_RECALLED, tenant_id, slice_id, str(slice_id))
    assert recalled is not None
    return Portrait(row, passages, recalled)
