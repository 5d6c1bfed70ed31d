"""Where sources come from: the newest memories, what recall finds, what was said at a time or with somebody, the insights.

Every statement is short, and no connection is held when it is done.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from thoth_substrate.ask.meant import MEETING_TERMS, last_met, whole_words
from thoth_substrate.ask.sources import FAR_OFF, LONG_AGO, Filters, Source, SourceKind
from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query
from thoth_substrate.model.ids import ingest_time
from thoth_substrate.model.names import norm
from thoth_substrate.model.projection import Kind, Line, Projection
from thoth_substrate.model.terms import terms

Spans = Callable[[str, datetime, datetime | None, datetime | None], Sequence[tuple[datetime, datetime]]]
Recall = Callable[..., Awaitable[Projection]]
MEMORY_CHARS = 2000  # of one memory that are shown
INSIGHT_ROWS = 500
TIMED_ROWS = 60  # of a span or a conversation
WEIGHED_AMONG = 5  # times as many of the newest, from which the more important are taken
DAY = timedelta(days=1)
RECALL_MS = 3000  # a person waits longer than a turn may


@dataclass(frozen=True, slots=True)
class Memory:
    slice_id: UUID
    stream: str
    session: str
    actor: str
    event_time: datetime
    trust: float
    importance: float
    text: str
    summary: str


@dataclass(frozen=True, slots=True)
class Told:
    slice_id: UUID
    event_time: datetime


@dataclass(frozen=True, slots=True)
class Met:
    how: str
    session_no: int
    event_time: datetime


@dataclass(frozen=True, slots=True)
class Insight:
    row_id: int
    kind: str
    statement: str
    confidence: float
    at: datetime
    slice_ids: list[UUID]


@dataclass(frozen=True, slots=True)
class Held:
    slice_id: UUID | None
    row_id: int | None


@dataclass(frozen=True, slots=True)
class Bounds:
    earliest: datetime | None
    latest: datetime | None


@dataclass(frozen=True, slots=True)
class Named:
    entity_id: int


_RECENT = query(__package__, "asked_recent", Memory)
_MEMORIES = query(__package__, "asked_memories", Memory)
_SPANS = query(__package__, "asked_spans", Told)
_MET = query(__package__, "asked_met", Met)
_SESSION = query(__package__, "asked_session", Told)
_INSIGHTS = query(__package__, "asked_insights", Insight)
_HELD = query(__package__, "asked_held", Held)
_BOUNDS = query(__package__, "asked_bounds", Bounds)
_NAMED = query(__package__, "asked_named", Named)


class Looking:
    """One question's look into one tenant's memory, as of `at`, through its filters. `session` is the one that asks."""

    def __init__(self, db: Database, tenant_id: str, filters: Filters, at: datetime, session: str | None = None) -> None:
        self._db, self._tenant_id, self._filters, self._at, self._session = db, tenant_id, filters, at, session
        self._entities: list[int] | None = None

    async def recent(self, limit_rows: int, *, weighted: bool = False) -> tuple[list[Source], bool]:
        """The newest memories, newest first, and whether there are more; `weighted`: of some more those that matter more."""
        rows = limit_rows * WEIGHED_AMONG if weighted else limit_rows + 1
        given = await self._given()
        async with self._db.tenant(self._tenant_id) as tx:
            found = await tx.fetch(_RECENT, *given, rows)
        best = sorted(found, key=lambda one: -one.importance) if weighted else found
        kept = {one.slice_id for one in best[:limit_rows]}
        return [_memory(one, one.text) for one in found if one.slice_id in kept], len(found) > limit_rows

    async def insights(self) -> list[Source]:
        """Every insight, the surest first."""
        async with self._db.tenant(self._tenant_id) as tx:
            found = await tx.fetch(_INSIGHTS, self._tenant_id, self._at, INSIGHT_ROWS)
        return [
            Source(SourceKind.INSIGHT, str(one.row_id), one.statement, one.at, confidence=one.confidence, note=one.kind,
                   sources=tuple(one.slice_ids))
            for one in found
        ]  # fmt: skip

    async def at_the_time(self, question: str, now: datetime, spans: Spans) -> list[Source]:
        """What was said in the periods that the question names, in order."""
        async with self._db.tenant(self._tenant_id) as tx:
            bounds = await tx.fetch_one(_BOUNDS, self._tenant_id)
            assert bounds is not None, "bounds are always there"
            begun = bounds.earliest is not None and bounds.earliest <= now  # before that there is nothing to name
            named = spans(question, now, bounds.earliest, bounds.latest) if begun else ()
            if not named:
                return []
            starts, ends = [span[0] for span in named], [span[1] for span in named]
            told = await tx.fetch(_SPANS, self._tenant_id, starts, ends, self._at, TIMED_ROWS)
        return await self.of([one.slice_id for one in sorted(told, key=lambda one: (one.event_time, one.slice_id))])

    async def last_meeting(self, question: str) -> list[Source]:
        """The last conversation with the person whom the question names, in order; empty when it names none.

        The later of when they spoke themselves and when a meeting with them was told of; else when they were last named.
        """
        person = last_met(question)
        pattern = whole_words(person) if person else None
        if person is None or pattern is None:
            return []
        async with self._db.tenant(self._tenant_id) as tx:
            found = await tx.fetch(
                _MET, self._tenant_id, pattern, list(dict.fromkeys(terms(person))), list(MEETING_TERMS), self._session, self._at
            )
            met = max(
                (one for one in found if one.how != "named"),
                key=lambda one: one.event_time,
                default=found[0] if found else None,
            )
            if met is None:
                return []
            told = await tx.fetch(
                _SESSION, self._tenant_id, met.session_no, met.event_time - DAY / 2, met.event_time + DAY / 2, TIMED_ROWS
            )
        return await self.of([one.slice_id for one in sorted(told, key=lambda one: (one.event_time, one.slice_id))])

    async def recalled(self, recall: Recall, question: str, budget_tokens: int, as_of: datetime | None) -> list[Source]:
        """What recall and knowledge have to say, best first, as far as it passes the filters."""
        projection = await recall(
            question, session=self._session, tenant=self._tenant_id, budget_tokens=budget_tokens, deadline_ms=RECALL_MS,
            forced=True, as_of=as_of,
        )  # fmt: skip
        lines = sorted(projection.lines, key=lambda line: -line.score)
        passing = await self._passing([slice_id for line in lines for slice_id in line.slice_ids])
        spoken: dict[UUID, list[Line]] = {}
        for line in lines:
            if line.kind is Kind.QUOTE:
                spoken.setdefault(line.slice_id, []).append(line)
        quotes = [_memory(passing[slice_id], _joined(said)) for slice_id, said in spoken.items() if slice_id in passing]
        rows = [line for line in lines if line.kind is not Kind.QUOTE]
        if self._filters.narrow:
            rows = [line for line in rows if any(slice_id in passing for slice_id in line.slice_ids)]
        return quotes + [_row(line) for line in rows]

    async def of(self, slice_ids: Sequence[UUID]) -> list[Source]:
        """These memories, in this order, as far as they pass the filters."""
        passing = await self._passing(slice_ids)
        return [_memory(passing[one], passing[one].text) for one in slice_ids if one in passing]

    async def held(self, sources: Iterable[Source]) -> set[tuple[SourceKind, str]]:
        """Which of these are still there."""
        wanted = list(sources)
        slices = [UUID(one.id) for one in wanted if one.kind is SourceKind.MEMORY]
        rows = [int(one.id) for one in wanted if one.kind is not SourceKind.MEMORY]
        async with self._db.tenant(self._tenant_id) as tx:
            found = await tx.fetch(_HELD, self._tenant_id, slices, rows, *_months(slices))
        there = {str(one.slice_id or one.row_id) for one in found}
        return {(one.kind, one.id) for one in wanted if one.id in there}

    async def _passing(self, slice_ids: Sequence[UUID]) -> dict[UUID, Memory]:
        if not slice_ids:
            return {}
        given = await self._given()
        distinct = list(dict.fromkeys(slice_ids))
        async with self._db.tenant(self._tenant_id) as tx:
            found = await tx.fetch(_MEMORIES, *given, distinct, *_months(distinct))
        return {one.slice_id: one for one in found}

    async def _given(self) -> list[Any]:
        """The filters as the statements take them."""
        f = self._filters
        if self._entities is None:
            self._entities = []
            if f.person:
                async with self._db.tenant(self._tenant_id) as tx:
                    self._entities = [one.entity_id for one in await tx.fetch(_NAMED, self._tenant_id, norm(f.person))]
        return [
            self._tenant_id, f.stream, f.since or LONG_AGO, f.until or FAR_OFF, whole_words(f.person or ""), self._entities,
            whole_words(f.topic or ""), f.source, f.importance, self._at, MEMORY_CHARS,
        ]  # fmt: skip


def distinct(sources: Iterable[Source]) -> list[Source]:
    """Each source once, where it comes first."""
    return list({(one.kind, one.id): one for one in reversed(list(sources))}.values())[::-1]


def _memory(one: Memory, text: str) -> Source:
    return Source(
        SourceKind.MEMORY, str(one.slice_id), text, one.event_time, one.actor, one.session, one.stream, one.importance, one.trust,
        one.summary if len(one.text) >= MEMORY_CHARS else "",
    )  # fmt: skip


def _row(line: Line) -> Source:
    kind = SourceKind.FACT if line.kind is Kind.FACT else SourceKind.INSIGHT
    return Source(
        kind, str(line.row_id), line.text, line.event_time, confidence=line.confidence, note=line.note,
        sources=tuple(dict.fromkeys(line.slice_ids)),
    )  # fmt: skip


def _joined(lines: Sequence[Line]) -> str:
    """The passages of one slice that were found, in order."""
    return " … ".join(line.text for line in sorted(lines, key=lambda line: line.passage_no))


def _months(slice_ids: Sequence[UUID]) -> tuple[datetime, datetime]:
    """The ingest times between which these ids lie."""
    if not slice_ids:
        return FAR_OFF, LONG_AGO
    return ingest_time(min(slice_ids)), ingest_time(max(slice_ids)) + timedelta(milliseconds=1)
