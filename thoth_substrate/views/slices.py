"""Slices, newest first: what came in, from whom, when, and how it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query
from thoth_substrate.errors import BadInput

MOST_ROWS = 10_000
_SPAN = re.compile(r"(\d{1,6})\s*(s|min|m|h|d|w)")
_UNITS = {"s": "seconds", "m": "minutes", "min": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True, slots=True)
class SliceLine:
    """A slice in a list. `excerpt` is the beginning of its text (at most 500 characters), empty once released."""

    slice_id: UUID
    stream: str
    session: str
    actor: str
    event_time: datetime
    ingest_time: datetime
    triage_state: str
    consolidation_state: str
    forgotten: bool
    pinned: bool
    salience: float
    excerpt: str


_NEWEST = query(__package__, "newest_slices", SliceLine)
_OF_SESSION = query(__package__, "slices_of_session", SliceLine)


async def slices(
    db: Database,
    tenant_id: str,
    *,
    stream: str | None = None,
    session: str | None = None,
    since: datetime | None = None,
    limit_rows: int = 20,
) -> list[SliceLine]:
    """The newest slices (by when they were perceived; of one session: by when they happened), at most `limit_rows`.

    `since` bounds the ingest time. Unknown streams and sessions simply have none.
    """
    start = since or datetime(1970, 1, 1, tzinfo=UTC)
    async with db.tenant(tenant_id) as tx:
        if session is not None:
            return await tx.fetch(_OF_SESSION, tenant_id, session, stream, start, limit_rows)
        return await tx.fetch(_NEWEST, tenant_id, stream, start, limit_rows)


def since(text: str, now: datetime) -> datetime:
    """`30min`, `2h`, `7d`, `1w` before `now`, or a date or time (ISO 8601; without an offset it is UTC).

    Raises BadInput for anything else.
    """
    found = _SPAN.fullmatch(text.strip().lower())
    try:
        if found:
            return now - timedelta(**{_UNITS[found[2]]: int(found[1])})
        at = datetime.fromisoformat(text.strip())
    except (ValueError, OverflowError) as error:
        raise BadInput(f"{text!r} is neither a span (30min, 2h, 7d, 1w) nor a date (2026-05-15, 2026-05-15T12:00Z).") from error
    return at if at.tzinfo else at.replace(tzinfo=UTC)
