"""Where no citation leads: words that nobody else has, looked for in knowledge, in what was asked, and in the diary.

Page by page, each in a transaction of its own. An agent may have had the purged words before it when it wrote of something
else; a question may quote them; a decision keeps what a model replied.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import anyio.to_thread
import orjson

from thoth_substrate.awareness.erase import erase_speaking
from thoth_substrate.consolidate.free import alone
from thoth_substrate.db.again import again
from thoth_substrate.db.pool import Database, as_rows
from thoth_substrate.db.queries import Query, query
from thoth_substrate.model.ids import ingest_time
from thoth_substrate.purge.concepts import forgotten
from thoth_substrate.purge.knowledge import cascade
from thoth_substrate.purge.receipts import step
from thoth_substrate.purge.rows import Tally, stated_with
from thoth_substrate.purge.words import Purged, beginning, words, words_in

PAGE_ROWS = 500
PAGE_DECISIONS = 50  # each may hold a model's whole reply
BATCH_ROWS = 100
BEFORE = timedelta(hours=1)  # a question may be asked before its own words were perceived
FIRST = UUID(int=0)
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Described:
    row_id: int
    text: str


@dataclass(frozen=True, slots=True)
class Noted:
    row_id: int
    statement: str
    detail: Any
    retract_reason: str | None


@dataclass(frozen=True, slots=True)
class MergeReason:
    row_id: int
    reason: str


@dataclass(frozen=True, slots=True)
class Judged:
    """What a digest or the verdicts on its passages say of a slice. `row_id` is its place in the walk."""

    row_id: UUID
    text: str


@dataclass(frozen=True, slots=True)
class Recalled:
    recall_id: UUID
    asked_at: datetime
    session_id: str | None
    query_excerpt: str
    detail: Any
    named: list[UUID]


@dataclass(frozen=True, slots=True)
class Decided:
    slice_id: UUID
    payload: Any


@dataclass(frozen=True, slots=True)
class Whole:
    session_id: str


_ENTITIES = query(__package__, "entities_after", Described)
_OBSERVATIONS = query(__package__, "observations_after", Noted)
_MERGES = query(__package__, "merges_after", MergeReason)
_MERGE_REASONS: Query[None] = query(__package__, "merge_reasons_gone")
_SENTENCES = query(__package__, "sentences_after", Described)
_DIGESTS_AFTER = query(__package__, "digests_after", Judged)
_VERDICTS_AFTER = query(__package__, "verdicts_after", Judged)
_DIGESTS: Query[None] = query(__package__, "digests_hushed")
_VERDICTS: Query[None] = query(__package__, "verdicts_hushed")
_WHOLE = query(__package__, "sessions_whole", Whole)
_RECALLS = query(__package__, "recalls_after", Recalled)
_RECALLS_CLEARED: Query[None] = query(__package__, "recalls_cleared")
_DECISIONS = query(__package__, "decisions_after", Decided)
_DECISIONS_EMPTIED: Query[None] = query(__package__, "decisions_emptied")


async def search(
    db: Database, tenant_id: str, purge_id: UUID, slice_ids: Sequence[UUID], decision_ids: Collection[UUID], purged: Purged
) -> None:
    """Take purged words out of whatever no citation led to. `decision_ids` are those that made what was cited."""
    if slice_ids:
        await _Search(db, tenant_id, purge_id, slice_ids, set(decision_ids), purged).run()


class _Search:
    """One search under way."""

    def __init__(
        self, db: Database, tenant_id: str, purge_id: UUID, slice_ids: Sequence[UUID], decision_ids: set[UUID], purged: Purged
    ) -> None:  # fmt: skip
        self._db, self._tenant_id, self._purge_id = db, tenant_id, purge_id
        self._slice_ids, self._decision_ids, self._purged = frozenset(slice_ids), decision_ids, purged
        self._since = ingest_time(min(slice_ids)) - BEFORE

    async def run(self) -> None:
        """All of it; without a word of their own only what names the slices."""
        await self._decisions()
        await self._beside()
        await self._knowledge(await self._suspected())
        await self._merges()
        await again(self._db, self._concepts)
        await self._recalls()

    # ── the diary, and what was said of other slices ────────────────────────────────────────────────────────────────

    async def _decisions(self) -> None:
        last = FIRST
        while True:
            async with self._db.tenant(self._tenant_id) as tx:
                page = await tx.fetch(_DECISIONS, self._tenant_id, self._since, last, PAGE_DECISIONS)
            # In a thread: a model's replies are long, and who calls this from a host's voice has recalls to answer meanwhile.
            holding = await anyio.to_thread.run_sync(self._holding, page)
            if holding:
                await again(self._db, partial(self._empty_decisions, holding))
            if len(page) < PAGE_DECISIONS:
                return
            last = page[-1].slice_id

    def _holding(self, page: Sequence[Decided]) -> list[UUID]:
        return [row.slice_id for row in page if row.slice_id in self._decision_ids or self._holds(row.payload)]

    def _holds(self, payload: Any) -> bool:
        """Whether a decision names a purged slice, or has a word that only the purged had."""
        named = {UUID(found) for found in _ID.findall(orjson.dumps(payload).decode())}
        return bool(named & self._slice_ids) or bool(words_in(payload) & self._purged.own)

    async def _empty_decisions(self, slice_ids: Sequence[UUID]) -> None:
        tally = Tally()
        async with step(self._db, self._tenant_id, self._purge_id, tally) as tx:
            tally.gone["diary"] += await tx.execute(_DECISIONS_EMPTIED, self._tenant_id, slice_ids)

    async def _beside(self) -> None:
        """What digests and verdicts say of other slices: whoever wrote it may have had the purged words before it."""
        own = self._purged.own
        digests = [row.row_id async for row in self._pages(_DIGESTS_AFTER, FIRST, self._since) if words(row.text) & own]
        verdicts = [row.row_id async for row in self._pages(_VERDICTS_AFTER, FIRST, self._since) if words(row.text) & own]
        if digests or verdicts:
            await again(self._db, partial(self._hush, digests, verdicts))

    async def _hush(self, digests: Sequence[UUID], verdicts: Sequence[UUID]) -> None:
        tally = Tally()
        async with step(self._db, self._tenant_id, self._purge_id, tally) as tx:
            tally.anew["substrate_digests"] += await tx.execute(_DIGESTS, self._tenant_id, digests)
            tally.anew["substrate_verdicts"] += await tx.execute(_VERDICTS, self._tenant_id, verdicts)

    # ── knowledge ───────────────────────────────────────────────────────────────────────────────────────────────────

    async def _suspected(self) -> list[int]:
        """Rows that have a word which only the purged had."""
        own = self._purged.own
        if not own:
            return []
        async with self._db.tenant(self._tenant_id) as tx:
            found = await stated_with(tx, self._tenant_id, own)
        found |= {row.row_id async for row in self._pages(_ENTITIES, 0) if words(row.text) & own}
        found |= {row.row_id async for row in self._pages(_SENTENCES, 0) if words(row.text) & own}
        async for row in self._pages(_OBSERVATIONS, 0, self._since):
            if (words(row.statement, row.retract_reason or "") | words_in(row.detail)) & own:
                found.add(row.row_id)
        return sorted(found)

    async def _knowledge(self, row_ids: Sequence[int]) -> None:
        for start in range(0, len(row_ids), BATCH_ROWS):
            await again(self._db, partial(self._judge, row_ids[start : start + BATCH_ROWS]))

    async def _judge(self, row_ids: Sequence[int]) -> None:
        tally = Tally()
        async with step(self._db, self._tenant_id, self._purge_id, tally) as tx:
            await alone(tx, self._tenant_id)
            await cascade(tx, self._tenant_id, row_ids, self._purged, tally)

    async def _merges(self) -> None:
        speaking = [row.row_id async for row in self._pages(_MERGES, 0) if words(row.reason) & self._purged.own]
        if speaking:
            await again(self._db, partial(self._hush_merges, speaking))

    async def _hush_merges(self, merge_ids: Sequence[int]) -> None:
        tally = Tally()
        async with step(self._db, self._tenant_id, self._purge_id, tally) as tx:
            tally.anew["substrate_entity_merges"] += await tx.execute(_MERGE_REASONS, self._tenant_id, merge_ids)

    async def _concepts(self) -> None:
        """Whoever named a topic may have had the purged words before it."""
        tally = Tally()
        async with step(self._db, self._tenant_id, self._purge_id, tally) as tx:
            await forgotten(tx, self._tenant_id, await erase_speaking(tx, self._tenant_id, self._purged.own), tally)

    async def _pages(self, asked: Query[Any], last: Any, *between: Any) -> AsyncIterator[Any]:
        """Every row of a query that answers by page, after `last`, which is then the last row's number or id."""
        while True:
            async with self._db.tenant(self._tenant_id) as tx:
                page = await tx.fetch(asked, self._tenant_id, last, *between, PAGE_ROWS)
            for row in page:
                yield row
            if len(page) < PAGE_ROWS:
                return
            last = page[-1].row_id

    # ── what was asked ──────────────────────────────────────────────────────────────────────────────────────────────

    async def _recalls(self) -> None:
        async with self._db.tenant(self._tenant_id) as tx:
            whole = {row.session_id for row in await tx.fetch(_WHOLE, self._tenant_id, sorted(self._slice_ids))}
        last = FIRST
        while True:
            async with self._db.tenant(self._tenant_id) as tx:
                page = await tx.fetch(_RECALLS, self._tenant_id, self._since, last, PAGE_ROWS)
            speaking = [(row.recall_id, row.asked_at) for row in page if self._quotes(row, whole)]
            if speaking:
                await again(self._db, partial(self._clear, speaking))
            if len(page) < PAGE_ROWS:
                return
            last = page[-1].recall_id

    def _quotes(self, recalled: Recalled, whole: Collection[str]) -> bool:
        """Whether a recall was asked in a purged session, in purged words, or named a purged slice."""
        return (
            recalled.session_id in whole
            or not self._slice_ids.isdisjoint(recalled.named)
            or beginning(recalled.query_excerpt) in self._purged.beginnings
            or bool((words(recalled.query_excerpt) | words_in(recalled.detail)) & self._purged.own)
        )

    async def _clear(self, recalls: Sequence[tuple[UUID, datetime]]) -> None:
        tally = Tally()
        async with step(self._db, self._tenant_id, self._purge_id, tally) as tx:
            tally.anew["substrate_recall_log"] += await tx.execute(_RECALLS_CLEARED, self._tenant_id, *as_rows(recalls))
