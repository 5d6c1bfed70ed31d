"""Claims: which slices of a tenant one worker promotes next, for how long they are its own, and what becomes of failures.

A session is taken when it fills a batch, when it has been quiet, or when its oldest slice has waited for as long as its
profile allows. A claim is a token on rows of the queue; it ends by itself, and what comes under an old token is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from itertools import groupby
from operator import attrgetter
from uuid import UUID, uuid4

from thoth_substrate.consolidate.attempts import ATTEMPTS_MOST, PARSER, Failed, count_failures, hold
from thoth_substrate.db.again import again
from thoth_substrate.db.plans import POINT_LOOKUPS
from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.model.knowledge import Source, Span

LOOKED_AT_ROWS = 1000  # of the queue in one claim: sessions that are still filling stand before others, but not for long
BATCH_BYTES = 400_000  # of text in one claim; a longer slice is taken alone


@dataclass(frozen=True, slots=True)
class SessionBatch:
    """Slices of one session in the order of their events. `late`: taken because one of them had waited too long."""

    session_id: str
    sources: tuple[Source, ...]
    late: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """What a worker may promote, under which token, and until when unless it renews."""

    token: UUID
    sessions: tuple[SessionBatch, ...]
    until: datetime

    @property
    def sources(self) -> tuple[Source, ...]:
        """All slices of all sessions."""
        return tuple(source for batch in self.sessions for source in batch.sources)


@dataclass(frozen=True, slots=True)
class TenantWithWork:
    tenant_id: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A due slice without its content. `wanted` is False when nothing is left to promote; `indexed`: it has its passages."""

    slice_id: UUID
    session_id: str
    event_time: datetime
    queued_at: datetime
    bytes: int
    wanted: bool
    indexed: bool
    late: bool


@dataclass(frozen=True, slots=True)
class ClaimedSlice:
    slice_id: UUID


@dataclass(frozen=True, slots=True)
class SourceRow:
    slice_id: UUID
    stream: str
    session_id: str
    actor: str
    event_time: datetime
    event_offset_s: int | None
    trust: float
    content_hash: str
    text: str
    numbers: list[int]
    starts: list[int]
    ends: list[int]


@dataclass(frozen=True, slots=True)
class Revived:
    revived: int


_TENANTS = query(__package__, "tenants_with_work", TenantWithWork)
_CANDIDATES = query(__package__, "claim_candidates", Candidate)
_UNWANTED: Query[None] = query(__package__, "unwanted")
_LOCKED = query(__package__, "claim_locked", ClaimedSlice)
_TAKEN: Query[None] = query(__package__, "claim_taken")
_SOURCES = query(__package__, "claim_sources", SourceRow)
_UNCLAIMED: Query[None] = query(__package__, "unclaimed")
_RENEWED: Query[None] = query(__package__, "renewed")
_REVIVED = query(__package__, "revived", Revived)


async def tenants_with_work(db: Database) -> list[str]:
    """Tenants with a slice that is due and free. Whether a session of theirs is ready is for `claim` to say."""
    async with db.worker() as tx:
        return [row.tenant_id for row in await tx.fetch(_TENANTS)]


async def claim(db: Database, tenant_id: str, *, limit_rows: int, lease: timedelta, quiet: timedelta) -> Claim | None:
    """Take at most `limit_rows` slices of sessions that are ready, for `lease`; None when no session is.

    Waits for nobody: what another holds is passed over. What was forgotten or released meanwhile leaves the queue.
    """

    async def once() -> Claim | None:
        async with db.tenant(tenant_id) as tx:
            await tx.execute(POINT_LOOKUPS)
            found = await tx.fetch(_CANDIDATES, tenant_id, LOOKED_AT_ROWS)
            if unwanted := [one.slice_id for one in found if not one.wanted]:
                await tx.execute(_UNWANTED, tenant_id, unwanted)
            chosen = choose(found, limit_rows, quiet, db.clock.now())
            if not chosen:
                return None
            locked = [row.slice_id for row in await tx.fetch(_LOCKED, tenant_id, sorted(one.slice_id for one in chosen))]
            if not locked:
                return None
            token = uuid4()
            await tx.execute(_TAKEN, tenant_id, locked, token, lease)
            sources = [source_of(row) for row in await tx.fetch(_SOURCES, tenant_id, locked)]
            return Claim(token, _sessions(sources, {one.session_id for one in chosen if one.late}), db.clock.now() + lease)

    return await again(db, once)


def choose(found: Sequence[Candidate], limit_rows: int, quiet: timedelta, now: datetime) -> list[Candidate]:
    """Which candidates to take: whole sessions, the longest waiting first, within the limits. Pure.

    The first session that is ready may be cut at the limit; another joins it only if what is ready of it fits.
    """
    by_session: dict[str, list[Candidate]] = {}
    for one in found:
        if one.wanted:
            by_session.setdefault(one.session_id, []).append(one)
    chosen: list[Candidate] = []
    size = 0
    for rows in by_session.values():
        ready = [row for row in rows if row.indexed]
        still = max(row.queued_at for row in rows) + quiet <= now
        if not ready or not (still or len(ready) >= limit_rows or any(row.late for row in ready)):
            continue
        part = _bounded(ready[:limit_rows])
        if chosen and (len(chosen) + len(ready) > limit_rows or size + sum(row.bytes for row in ready) > BATCH_BYTES):
            continue
        chosen += part
        size += sum(row.bytes for row in part)
        if len(chosen) >= limit_rows or size >= BATCH_BYTES:
            break
    return chosen


async def release_claim(db: Database, tenant_id: str, token: UUID, slice_ids: Sequence[UUID] | None = None) -> int:
    """Give a claim back, or some of it, without counting an attempt: nobody could be asked. Answers how many slices."""
    async with db.tenant(tenant_id) as tx:
        return await tx.execute(_UNCLAIMED, tenant_id, token, slice_ids)


async def renew(db: Database, tenant_id: str, token: UUID, slice_ids: Sequence[UUID], lease: timedelta) -> int:
    """Keep a claim for `lease` from now; answers how many slices are still ours."""
    async with db.tenant(tenant_id) as tx:
        return await tx.execute(_RENEWED, tenant_id, token, slice_ids, lease)


async def fail(
    db: Database, tenant_id: str, token: UUID, slice_ids: Sequence[UUID], failure: str,
    *, attempts_most: int = ATTEMPTS_MOST, agent: str = PARSER,
) -> Failed:  # fmt: skip
    """Say that slices of a claim could not be promoted. `failure` says what kind of failure it was, never content.

    Each is due again after a growing wait; after `attempts_most` attempts it leaves the queue for the dead letters.
    """

    async def once() -> Failed:
        async with db.tenant(tenant_id) as tx:
            await tx.execute(POINT_LOOKUPS)
            held = await hold(tx, tenant_id, token, slice_ids)
            failed = await count_failures(tx, tenant_id, held, dict.fromkeys(slice_ids, failure), attempts_most, agent)
            ours = {row.slice_id for row in held}
            return Failed(failed.retried, failed.dead, tuple(i for i in slice_ids if i not in ours))

    return await again(db, once)


async def retry(db: Database, tenant_id: str, agent: str = PARSER) -> int:
    """Try an agent's dead letters anew, from the first attempt. Answers how many can still be promoted."""

    async def once() -> int:
        async with db.tenant(tenant_id) as tx:
            await tx.execute(POINT_LOOKUPS)
            revived = await tx.fetch_one(_REVIVED, tenant_id, agent, agent == PARSER)
            return revived.revived if revived else 0

    return await again(db, once)


def source_of(row: SourceRow) -> Source:
    """A slice as an agent reads it, its event time in the offset in which it was told."""
    at = row.event_time
    if row.event_offset_s is not None:
        at = at.astimezone(timezone(timedelta(seconds=row.event_offset_s)))
    spans = tuple(Span(number, start, end) for number, start, end in zip(row.numbers, row.starts, row.ends, strict=True))
    return Source(row.slice_id, row.stream, row.session_id, row.actor, at, row.trust, row.content_hash, row.text, spans)


def _bounded(ready: Sequence[Candidate]) -> list[Candidate]:
    """The first rows whose text stays within the bound, and one at least."""
    kept: list[Candidate] = []
    size = 0
    for row in ready:
        size += row.bytes
        if kept and size > BATCH_BYTES:
            break
        kept.append(row)
    return kept


def _sessions(sources: Sequence[Source], late: set[str]) -> tuple[SessionBatch, ...]:
    session = attrgetter("session_id")
    ordered = sorted(sources, key=lambda source: (source.session_id, source.event_time, source.slice_id))
    return tuple(SessionBatch(name, tuple(rows), name in late) for name, rows in groupby(ordered, session))
