"""Make passed slices searchable by keyword: passages, postings, document frequencies, and places in the embedder's queue.

Tenant by tenant: gather what waits, split and count it outside any transaction, then store it in one transaction that
re-checks each slice under lock. A batch is bounded by rows and by characters; a slice longer than that is indexed over
several ticks, each going on where the passages so far end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from thoth_substrate.db.plans import POINT_LOOKUPS
from thoth_substrate.db.pool import Database, Tx, as_rows
from thoth_substrate.db.queries import Query, query
from thoth_substrate.model.passages import LONGEST_PASSAGE_CHARS, Span, flags, split
from thoth_substrate.model.terms import Counted, counted

MOST_TENANTS = 64  # served in one tick; the next tick goes on with those whose slices are then the oldest
LEAST_CHARS = 4 * LONGEST_PASSAGE_CHARS  # below this a long slice would not move on
BATCH_CHARS = 200_000  # of text split in one transaction: some 200 full passages


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one tick did, as counts. `skipped` left the queue unindexed: forgotten, released or not passed.

    `more`: a limit was reached, so that the next tick need not wait.
    """

    tenants: int = 0
    slices: int = 0
    passages: int = 0
    skipped: int = 0
    more: bool = False

    def __add__(self, other: IndexReport) -> IndexReport:
        return IndexReport(
            self.tenants + other.tenants, self.slices + other.slices, self.passages + other.passages,
            self.skipped + other.skipped, self.more or other.more,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class WaitingTenant:
    tenant_id: str


@dataclass(frozen=True, slots=True)
class Gathered:
    """A waiting slice with the text from `char_start` on, at most as long as was asked for."""

    slice_id: UUID
    wanted: bool
    session_id: str
    actor: str
    stream_id: int
    event_time: datetime
    trust: float
    text: str
    char_start: int
    next_no: int


@dataclass(frozen=True, slots=True)
class ClaimedSlice:
    slice_id: UUID


@dataclass(frozen=True, slots=True)
class NumberedSession:
    """A session's short number and the sequence number of its newest passage, this batch's included."""

    session_id: str
    session_no: int
    last_seq: int


@dataclass(frozen=True, slots=True)
class Stored:
    passages: int
    total_length: int


@dataclass(frozen=True, slots=True)
class Prepared:
    """A slice's next passages: spans in the whole text, their terms and flags; `whole` when its end was reached."""

    slice: Gathered
    spans: list[Span]
    terms: list[Counted]
    flags: list[int]
    whole: bool


_WAITING = query(__package__, "index_waiting", WaitingTenant)
_GATHER = query(__package__, "index_gather", Gathered)
_CLAIM = query(__package__, "index_claim", ClaimedSlice)
_SESSIONS = query(__package__, "index_sessions", NumberedSession)
_ONE_AT_A_TIME: Query[None] = query(__package__, "one_at_a_time")
_STORE = query(__package__, "index_store", Stored)
_FINISH: Query[None] = query(__package__, "index_finish")
_SKIP: Query[None] = query(__package__, "index_skip")


async def index(db: Database, *, limit_rows: int, limit_chars: int = BATCH_CHARS) -> IndexReport:
    """Index at most `limit_rows` waiting slices, shared evenly among the tenants that wait.

    `limit_chars` bounds the text of one transaction. Idempotent; two hosts may run it at once.
    """
    async with db.worker() as tx:
        waiting = await tx.fetch(_WAITING, min(MOST_TENANTS, limit_rows))
    report = IndexReport()
    for tenant in waiting:
        report += await _index_tenant(
            db, tenant.tenant_id, -(-limit_rows // len(waiting)), max(limit_chars // len(waiting), 4096)
        )
    return report


async def _index_tenant(db: Database, tenant_id: str, limit_rows: int, limit_chars: int) -> IndexReport:
    async with db.tenant(tenant_id) as tx:
        await tx.execute(POINT_LOOKUPS)
        gathered = await tx.fetch(_GATHER, tenant_id, limit_rows, limit_chars)
    wanted = [found for found in gathered if found.wanted]
    unwanted = [found.slice_id for found in gathered if not found.wanted]
    prepared = await asyncio.to_thread(lambda: [prepare(found, limit_chars) for found in wanted])
    async with db.tenant(tenant_id) as tx:
        await tx.execute(POINT_LOOKUPS)
        skipped = await tx.execute(_SKIP, tenant_id, unwanted) if unwanted else 0
        claimed = {row.slice_id for row in await tx.fetch(_CLAIM, tenant_id, [p.slice.slice_id for p in prepared])}
        held = [p for p in prepared if p.slice.slice_id in claimed]
        stored = await _store(tx, tenant_id, held)
    slices = sum(p.whole for p in held)
    return IndexReport(1, slices, stored.passages, skipped, more=len(gathered) == limit_rows or slices < len(held))


def prepare(found: Gathered, limit_chars: int) -> Prepared:
    """Split and count a slice's text from where its passages so far end. Pure.

    The text begins with the last passage there is, because the next one overlaps it. When it was cut at `limit_chars`,
    passages that end near the cut might end elsewhere in the whole text, so those are left for the next tick.
    """
    whole = len(found.text) < limit_chars
    sure = len(found.text) if whole else len(found.text) - LONGEST_PASSAGE_CHARS
    text = found.text if whole or found.text.strip() else "·" + found.text[1:]  # a blank bite still has to be got over
    spans = [span for span in split(text)[1 if found.next_no else 0 :] if span.end <= sure]
    blank = [not found.text[span.start : span.end].strip() for span in spans]
    if blank and not whole:
        blank[-1] = False  # kept all the same: it is where the next tick goes on
    spans = [span for span, skip in zip(spans, blank, strict=True) if not skip]
    pieces = [found.text[span.start : span.end] for span in spans]
    return Prepared(
        found,
        [Span(found.char_start + span.start, found.char_start + span.end) for span in spans],
        [counted(f"{found.actor}: {piece}") for piece in pieces],
        [int(flags(piece)) for piece in pieces],
        whole,
    )


async def _store(tx: Tx, tenant_id: str, held: Sequence[Prepared]) -> Stored:
    ordered = sorted(held, key=lambda p: (p.slice.event_time, p.slice.slice_id))
    stored = Stored(0, 0)
    if any(p.spans for p in ordered):
        await tx.execute(_ONE_AT_A_TIME, tenant_id)
        following = await _reserve(tx, tenant_id, ordered)
        rows = list(_passage_rows(ordered, following))
        terms = [term for p in ordered for c in p.terms for term in c.terms]
        counts = [n for p in ordered for c in p.terms for n in c.counts]
        found = await tx.fetch_one(_STORE, tenant_id, *as_rows(rows), terms, counts)
        assert found is not None
        stored = found
    done = [p.slice.slice_id for p in held if p.whole]
    if done or stored.passages:
        await tx.execute(_FINISH, tenant_id, done, stored.passages, stored.total_length)
    return stored


async def _reserve(tx: Tx, tenant_id: str, ordered: Sequence[Prepared]) -> dict[str, tuple[int, int]]:
    """The number of each session and the sequence number before its first new passage."""
    wanted: dict[str, int] = {}
    for p in ordered:
        if p.spans:
            wanted[p.slice.session_id] = wanted.get(p.slice.session_id, 0) + len(p.spans)
    rows = await tx.fetch(_SESSIONS, tenant_id, list(wanted), list(wanted.values()))
    return {row.session_id: (row.session_no, row.last_seq - wanted[row.session_id]) for row in rows}


def _passage_rows(ordered: Sequence[Prepared], following: dict[str, tuple[int, int]]) -> Iterator[tuple[object, ...]]:
    """One row a passage, as `index_store.sql` takes them; the last column is where its terms end in the list of all."""
    term_end = 0
    for p in ordered:
        found = p.slice
        for number, (span, terms, bits) in enumerate(zip(p.spans, p.terms, p.flags, strict=True), found.next_no):
            session_no, seq = following[found.session_id]
            following[found.session_id] = session_no, seq + 1
            term_end += len(terms.terms)
            yield (found.slice_id, number, found.stream_id, session_no, seq + 1, found.event_time, span.start, span.end,
                   terms.length, bits, found.trust, found.actor, term_end)  # fmt: skip
