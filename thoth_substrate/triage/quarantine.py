"""The operator's word on what triage kept back: list it, release it, reject it, revive what was rejected."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query
from thoth_substrate.errors import BadInput, UnknownSlice
from thoth_substrate.model.ids import ingest_time

KeptState = Literal["quarantined", "rejected"]


@dataclass(frozen=True, slots=True)
class Kept:
    """A slice that triage kept back, newest first. `excerpt` is at most 200 characters of it."""

    slice_id: UUID
    ingest_time: datetime
    event_time: datetime
    stream: str
    session_id: str
    actor: str
    state: str
    reason: str
    trust: float
    excerpt: str


@dataclass(frozen=True, slots=True)
class TriageState:
    """A slice's triage state, and whether content is still there to pass on."""

    state: str
    content: bool


_LIST = query(__package__, "quarantine_list", Kept)
_STATE = query(__package__, "quarantine_state", TriageState)
_PASS = query(__package__, "quarantine_pass", TriageState)
_REJECT = query(__package__, "quarantine_reject", TriageState)


async def list_quarantined(
    db: Database, tenant_id: str, *, states: tuple[KeptState, ...] = ("quarantined",), limit_rows: int = 50
) -> list[Kept]:
    """The newest slices of those states, at most `limit_rows`."""
    async with db.tenant(tenant_id) as tx:
        return await tx.fetch(_LIST, tenant_id, list(states), limit_rows)


async def release(db: Database, tenant_id: str, slice_id: UUID) -> None:
    """Quarantined → passed, with full trust, on to indexing and consolidation. Releasing twice changes nothing.

    Raises UnknownSlice, or BadInput when the slice is in another state or its content is gone.
    """
    await _pass_on(db, tenant_id, slice_id, "quarantined", "released")


async def revive(db: Database, tenant_id: str, slice_id: UUID) -> None:
    """Rejected → passed, as `release` does it. Raises UnknownSlice or BadInput."""
    await _pass_on(db, tenant_id, slice_id, "rejected", "revived")


async def reject(db: Database, tenant_id: str, slice_id: UUID, reason: str) -> None:
    """Quarantined → rejected. Rejecting twice changes nothing. Raises UnknownSlice or BadInput."""
    async with db.tenant(tenant_id) as tx:
        moved = await tx.fetch_one(_REJECT, tenant_id, slice_id, ingest_time(slice_id), reason[:500])
        if moved is None:
            found = await tx.fetch_one(_STATE, tenant_id, slice_id, ingest_time(slice_id))
            _refuse_unless(found, slice_id, "rejected", "rejected")


async def _pass_on(db: Database, tenant_id: str, slice_id: UUID, before: KeptState, what: str) -> None:
    async with db.tenant(tenant_id) as tx:
        moved = await tx.fetch_one(_PASS, tenant_id, slice_id, ingest_time(slice_id), before)
        if moved is None:
            found = await tx.fetch_one(_STATE, tenant_id, slice_id, ingest_time(slice_id))
            _refuse_unless(found, slice_id, "passed", what)


def _refuse_unless(found: TriageState | None, slice_id: UUID, state: str, what: str) -> None:
    if found is None:
        raise UnknownSlice(
            f"There is no slice {slice_id}; nothing was changed. `thoth substrate quarantine list` shows those kept back."
        )
    if not found.content:
        raise BadInput(f"The content of slice {slice_id} is gone, so it cannot be {what}; nothing was changed.")
    if found.state != state:
        raise BadInput(f"Slice {slice_id} is {found.state} and cannot be {what}; nothing was changed.")
