"""Memories in pages: filtered, newest first, each page a bounded piece of work.

Candidates come down one index (the conversation's, the entity's citations, else the primary key) and are looked at until the
page is full. Where hardly any fit, a page ends early and its cursor goes on from there: shorter pages, never longer waits.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from uuid import UUID

import orjson

from thoth_substrate.db.plans import POINT_LOOKUPS
from thoth_substrate.db.pool import Database, Tx
from thoth_substrate.db.queries import query
from thoth_substrate.errors import BadInput
from thoth_substrate.memories.memory import MEMORIES, Memory, as_memory
from thoth_substrate.model.ids import LAST_OF_TIME, ingest_time
from thoth_substrate.model.names import norm

MOST_ROWS = 500  # of one page
MOST_LOOKED_AT = 20_000  # candidates of one page
STEP_ROWS = 2000  # candidates at a time, at most
MOST_ABOUT = 5000  # rows of what is known about one entity
ALIVE: tuple[Literal["pending"], Literal["passed"]] = ("pending", "passed")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LARGEST = 1 << 63


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which memories. What is None or empty does not narrow, but `states`: none of them means no memory.

    `since` and `until` (exclusive) are about when things happened. `entity` is a name or a number. `importance` is the least
    of 0..1. `metadata` is contained in a memory's. `source` begins the external id, or the path or source in the metadata.
    """

    states: Sequence[str] = ALIVE
    streams: Sequence[str] | None = None
    session: str | None = None
    actor: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    entity: str | None = None
    topic: str | None = None
    importance: float | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Memories, newest first, and where to go on; `next_cursor` None: there are no more. A page may be short, even empty."""

    memories: list[Memory]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Candidate:
    slice_id: UUID
    event_time: datetime


@dataclass(frozen=True, slots=True)
class CitedSlice:
    slice_id: UUID


@dataclass(frozen=True, slots=True)
class RowId:
    row_id: int


NEWEST = query(__package__, "newest", Candidate)
OF_SESSION = query(__package__, "of_session", Candidate)
OF_ROWS = query(__package__, "of_rows", CitedSlice)
ROWS_ABOUT = query(__package__, "rows_about", RowId)
_LAST = Candidate(LAST_OF_TIME, datetime(9999, 12, 30, tzinfo=UTC))


async def page(db: Database, tenant_id: str, wanted: Wanted, *, cursor: str | None = None, limit_rows: int = 50) -> Page:
    """The next memories that are wanted, at most `limit_rows`: by when they were perceived, of one session by when they happened.

    Raises BadInput for a cursor that is not one, or is of other filters.
    """
    at = read_cursor(cursor, wanted) if cursor else _LAST
    async with db.tenant(tenant_id) as tx:
        await tx.execute(POINT_LOOKUPS)
        about = await _about(tx, tenant_id, wanted)
        if about == [] or not wanted.states:
            return Page([], None)
        return await _filled(tx, _Search(tenant_id, wanted, about, limit_rows), at)


@dataclass(frozen=True, slots=True)
class _Search:
    """One page that is being filled: for whom, with what, and how long. `about`: the rows that tell of what was asked for."""

    tenant_id: str
    wanted: Wanted
    about: list[int] | None
    limit_rows: int


async def _filled(tx: Tx, search: _Search, at: Candidate) -> Page:
    found: list[Memory] = []
    looked_at, rows = 0, min(search.limit_rows + 1, STEP_ROWS)
    while True:
        seen = await _candidates(tx, search, at, rows)
        looked_at += len(seen)
        found += await _fitting(tx, search, [one.slice_id for one in seen], search.limit_rows + 1 - len(found))
        if len(found) > search.limit_rows:
            last = found[search.limit_rows - 1]
            return Page(found[: search.limit_rows], write_cursor(Candidate(last.id, last.event_time), search.wanted))
        if len(seen) < rows:
            return Page(found, None)
        at = seen[-1]
        if looked_at >= MOST_LOOKED_AT:
            return Page(found, write_cursor(at, search.wanted))
        rows = min(rows * 4, STEP_ROWS)


async def _candidates(tx: Tx, search: _Search, at: Candidate, rows: int) -> list[Candidate]:
    if search.wanted.session is not None:
        return await tx.fetch(OF_SESSION, search.tenant_id, search.wanted.session, at.slice_id, at.event_time, rows)
    if search.about is not None:
        cited = await tx.fetch(OF_ROWS, search.tenant_id, search.about, at.slice_id, rows)
        return [Candidate(one.slice_id, at.event_time) for one in cited]
    return await tx.fetch(NEWEST, search.tenant_id, at.slice_id, ingest_time(at.slice_id), rows)


async def _fitting(tx: Tx, search: _Search, slice_ids: list[UUID], limit_rows: int) -> list[Memory]:
    w = search.wanted
    rows = await tx.fetch(
        MEMORIES, search.tenant_id, slice_ids, list(w.states), list(w.streams) if w.streams is not None else None, w.since,
        w.until, w.actor, w.topic, w.importance, orjson.dumps(w.metadata).decode() if w.metadata else None, w.source,
        search.about, limit_rows,
    )  # fmt: skip
    return [as_memory(row) for row in rows]


async def _about(tx: Tx, tenant_id: str, wanted: Wanted) -> list[int] | None:
    """The rows that tell of the entity; None when none was asked for, empty when there is none of that name."""
    if wanted.entity is None:
        return None
    number = int(wanted.entity) if wanted.entity.isascii() and wanted.entity.isdigit() and len(wanted.entity) < 19 else None
    rows = await tx.fetch(ROWS_ABOUT, tenant_id, norm(wanted.entity), number, MOST_ABOUT)
    return [row.row_id for row in rows]


def write_cursor(at: Candidate, wanted: Wanted) -> str:
    """Where a page ended, for who asks for the next; opaque to them."""
    microseconds = (at.event_time - _EPOCH) // timedelta(microseconds=1)
    return base64.urlsafe_b64encode(orjson.dumps([at.slice_id.hex, microseconds, _digest(wanted)])).decode().rstrip("=")


def read_cursor(cursor: str, wanted: Wanted) -> Candidate:
    """Where to go on. Raises BadInput."""
    not_ours = "The cursor is none of ours: begin without one, and take the next from the answer."
    try:
        read = orjson.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        slice_id, microseconds, digest = read
        at = Candidate(UUID(slice_id), _EPOCH + timedelta(microseconds=microseconds))
    except (ValueError, TypeError, AttributeError, OverflowError, binascii.Error) as error:
        raise BadInput(not_ours) from error
    if at.slice_id > LAST_OF_TIME:
        raise BadInput(not_ours)
    if digest != _digest(wanted):
        raise BadInput("The cursor belongs to other filters: keep them while paging, or begin without a cursor.")
    return at


def _digest(wanted: Wanted) -> str:
    return hashlib.sha256(orjson.dumps(wanted, option=orjson.OPT_SORT_KEYS)).hexdigest()[:8]
