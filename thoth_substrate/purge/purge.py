"""Forgetting for good: slices, and all that was made of them in any layer, in any log.

    begin      a receipt is written
    bar        the slices are found no more and promoted never; their words are still there to look for
    uncite     quotes go, and the layers are judged from what is left (knowledge.py)
    close      agents that are writing what they read before are waited for; those that come later write nothing of it
    search     words that nobody else has are looked for where no citation leads: knowledge, recalls, the diary (traces.py)
    erase      the slices' own words go, last; then the receipt is done

Each step is a row of bounded transactions and may be run again: killed anywhere, the purge is found by its receipt and
finished from the start, which finds nothing to do where it had been before.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from thoth_substrate.awareness.erase import erase_met_at
from thoth_substrate.consolidate.free import alone
from thoth_substrate.db.again import again
from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.errors import BadInput, UnknownSlice
from thoth_substrate.fade.erase import bar, erase
from thoth_substrate.model.ids import next_id
from thoth_substrate.model.streams import SUMMARY
from thoth_substrate.perceive.diary import append
from thoth_substrate.purge.concepts import forgotten
from thoth_substrate.purge.knowledge import cascade
from thoth_substrate.purge.receipts import Receipt, as_json, begin, close, finish, receipt, step, unfinished, widen
from thoth_substrate.purge.rows import Tally
from thoth_substrate.purge.traces import search
from thoth_substrate.purge.words import OF_THE_CREW, Purged, beginning, unescaped, words

BATCH_SLICES = 32  # in one transaction; what fade does with their terms grows with the square of it
AGENT = "purge"


@dataclass(frozen=True, slots=True)
class KnownSlice:
    slice_id: UUID
    diary: bool


@dataclass(frozen=True, slots=True)
class SliceId:
    slice_id: UUID


@dataclass(frozen=True, slots=True)
class Texts:
    """What was said, and what was kept beside it or quoted of it."""

    said: list[str]
    beside: list[str]


@dataclass(frozen=True, slots=True)
class Term:
    term: str


@dataclass(frozen=True, slots=True)
class Cited:
    row_id: int
    decision_ids: list[UUID]


@dataclass(frozen=True, slots=True)
class SlicesGone:
    """What the handshake and the crew had noted of slices, as counts, and the decisions that did."""

    verdicts: int
    digests: int
    dead_letters: int
    unconsolidated: int
    decision_ids: list[UUID]


@dataclass(frozen=True, slots=True)
class NamesGone:
    """External ids that went, the systems they were of, and how many of the slices were not erased before."""

    ids: int
    sources: list[str]
    slices: int


@dataclass(frozen=True, slots=True)
class Session:
    session_id: str


_KNOWN = query(__package__, "known", KnownSlice)
_OF_SESSION = query(__package__, "of_session", SliceId)
_SUMMARIES_OF = query(__package__, "summaries_of", SliceId)
_TEXTS = query(__package__, "texts", Texts)
_STILL_USED = query(__package__, "still_used", Term)
_CITED = query(__package__, "cited", Cited)
_UNCITE: Query[None] = query(__package__, "uncite")
_SLICES_GONE = query(__package__, "slices_gone", SlicesGone)
_NAMES_GONE = query(__package__, "names_gone", NamesGone)
_IMPORTS_GONE: Query[None] = query(__package__, "imports_gone")
_KEYS_GONE: Query[None] = query(__package__, "keys_gone")
_SESSIONS_OF = query(__package__, "sessions_of", Session)
_SESSIONS_GONE: Query[None] = query(__package__, "sessions_gone")
_FLOORS_GONE: Query[None] = query(__package__, "floors_gone")


async def purge(db: Database, tenant_id: str, slice_ids: Sequence[UUID]) -> Receipt:
    """Purge slices, pinned or released or not, and finish what an earlier purge of the tenant left unfinished.

    Not undone. Raises UnknownSlice, or BadInput for an entry of the diary, before anything is changed. Killed in the middle,
    it is finished by `resume`, or by the next purge.
    """
    wanted = sorted(set(slice_ids))
    await _refuse_unpurgeable(db, tenant_id, wanted)
    purge_id = next_id(db.clock)
    async with db.tenant(tenant_id) as tx:
        await begin(tx, tenant_id, purge_id, wanted)
    await resume(db, tenant_id)
    return await receipt(db, tenant_id, purge_id)


async def resume(db: Database, tenant_id: str) -> list[Receipt]:
    """Finish purges that were begun and not finished; answers their receipts."""
    begun = await unfinished(db, tenant_id)
    for one in begun:
        await _Purge(db, tenant_id, one.purge_id, one.slice_ids).run()
    return [await receipt(db, tenant_id, one.purge_id) for one in begun]


async def of_session(db: Database, tenant_id: str, session_id: str) -> list[UUID]:
    """The slices of a session, all of them. Raises BadInput when there are none."""
    async with db.tenant(tenant_id) as tx:
        found = [row.slice_id for row in await tx.fetch(_OF_SESSION, tenant_id, session_id)]
    if not found:
        raise BadInput(f"Tenant {tenant_id} has no slice of a session {session_id}; nothing was purged.")
    return found


async def _refuse_unpurgeable(db: Database, tenant_id: str, slice_ids: Sequence[UUID]) -> None:
    async with db.tenant(tenant_id) as tx:
        known = {row.slice_id: row for row in await tx.fetch(_KNOWN, tenant_id, slice_ids)}
    for slice_id in slice_ids:
        if slice_id not in known:
            raise UnknownSlice(f"There is no slice {slice_id} here, so nothing was purged; `thoth substrate slices` lists them.")
        if known[slice_id].diary:
            raise BadInput(
                f"Slice {slice_id} is an entry of the diary and is not purged by itself: what it holds of a memory goes with"
                " the purge of that memory. Nothing was purged."
            )


class _Purge:
    """One purge under way."""

    def __init__(self, db: Database, tenant_id: str, purge_id: UUID, slice_ids: Sequence[UUID]) -> None:
        self._db, self._tenant_id, self._purge_id = db, tenant_id, purge_id
        self._slice_ids = sorted(set(slice_ids))
        self._decision_ids: set[UUID] = set()

    async def run(self) -> None:
        """All steps, in order."""
        await self._each(self._bar, self._slice_ids)
        await self._each(self._bar, await self._summaries())
        purged = await self._words()
        await self._each(partial(self._uncite, purged), self._slice_ids)
        async with self._db.tenant(self._tenant_id) as tx:
            await close(tx, self._tenant_id, self._purge_id)
        await search(self._db, self._tenant_id, self._purge_id, self._slice_ids, self._decision_ids, purged)
        await self._each(self._erase, self._slice_ids)
        await again(self._db, self._finish)

    async def _each(self, deed: Callable[[Sequence[UUID]], Awaitable[None]], slice_ids: Sequence[UUID]) -> None:
        """Batch by batch, each a transaction that is done again after a deadlock."""
        for start in range(0, len(slice_ids), BATCH_SLICES):
            await again(self._db, partial(deed, slice_ids[start : start + BATCH_SLICES]))

    async def _summaries(self) -> list[UUID]:
        """Summaries that rest on what is purged, now that no new one can: they are purged with it, and made again of the rest."""
        async with self._db.tenant(self._tenant_id) as tx:
            found = [row.slice_id for row in await tx.fetch(_SUMMARIES_OF, self._tenant_id, self._slice_ids, SUMMARY)]
            if found:
                await widen(tx, self._tenant_id, self._purge_id, found)
        self._slice_ids = sorted({*self._slice_ids, *found})
        return found

    async def _bar(self, batch: Sequence[UUID]) -> None:
        tally = Tally()
        async with step(self._db, self._tenant_id, self._purge_id, tally) as tx:
            barred = await bar(tx, self._tenant_id, batch)
            tally.gone.update(
                substrate_salience=barred.anchors, substrate_passages=barred.index.passages,
                substrate_postings=barred.index.postings, substrate_passage_vectors=barred.index.vectors + barred.windows,
            )  # fmt: skip

    async def _words(self) -> Purged:
        """What is said in the slices, and which words of it nobody else uses, now that they are out of the index."""
        said: set[str] = set()
        beside: set[str] = set()
        beginnings: set[str] = set()
        for start in range(0, len(self._slice_ids), BATCH_SLICES):
            batch = self._slice_ids[start : start + BATCH_SLICES]
            async with self._db.tenant(self._tenant_id) as tx:
                row = await tx.fetch_one(_TEXTS, self._tenant_id, batch)
            assert row is not None, "the statement always answers one row"
            said |= words(*row.said)
            beside |= words(*map(unescaped, row.beside))
            beginnings |= {beginning(text) for text in row.said if text.strip()}
        async with self._db.tenant(self._tenant_id) as tx:
            used = await tx.fetch(_STILL_USED, self._tenant_id, sorted(said))
        # Only what was said: no index knows what stands beside it, so that any word there might be everybody's.
        own = said - {row.term for row in used} - OF_THE_CREW
        return Purged(frozenset(said | beside), frozenset(own), frozenset(beginnings))

    async def _uncite(self, purged: Purged, batch: Sequence[UUID]) -> None:
        tally = Tally()
        async with step(self._db, self._tenant_id, self._purge_id, tally) as tx:
            await alone(tx, self._tenant_id)
            await forgotten(tx, self._tenant_id, await erase_met_at(tx, self._tenant_id, batch), tally)
            cited = await tx.fetch(_CITED, self._tenant_id, batch)
            noted = await tx.fetch_one(_SLICES_GONE, self._tenant_id, batch)
            assert noted is not None, "the statement always answers one row"
            self._decision_ids |= {d for row in cited for d in row.decision_ids} | set(noted.decision_ids)
            tally.gone.update(
                substrate_verdicts=noted.verdicts, substrate_digests=noted.digests,
                substrate_dead_letters=noted.dead_letters, substrate_unconsolidated=noted.unconsolidated,
            )  # fmt: skip
            tally.gone["substrate_citations"] += await tx.execute(_UNCITE, self._tenant_id, batch)
            await cascade(tx, self._tenant_id, [row.row_id for row in cited], purged, tally)

    async def _erase(self, batch: Sequence[UUID]) -> None:
        tally = Tally()
        async with step(self._db, self._tenant_id, self._purge_id, tally) as tx:
            sessions = [row.session_id for row in await tx.fetch(_SESSIONS_OF, self._tenant_id, batch)]
            names = await tx.fetch_one(_NAMES_GONE, self._tenant_id, batch)
            assert names is not None, "the statement always answers one row"
            moves = await erase(tx, self._tenant_id, batch)
            tally.gone.update(
                substrate_slices=names.slices, substrate_salience_events=moves, substrate_external_ids=names.ids,
                substrate_imports=await tx.execute(_IMPORTS_GONE, self._tenant_id, names.sources),
                substrate_idempotency_keys=await tx.execute(_KEYS_GONE, self._tenant_id, batch),
                substrate_sessions=await tx.execute(_SESSIONS_GONE, self._tenant_id, sessions),
            )  # fmt: skip

    async def _finish(self) -> None:
        tally = Tally()
        async with step(self._db, self._tenant_id, self._purge_id, tally) as tx:
            tally.gone["substrate_floors"] = await tx.execute(_FLOORS_GONE, self._tenant_id)
        told_of = await receipt(self._db, self._tenant_id, self._purge_id)
        told = {
            "purge": str(self._purge_id),
            "slices": len(self._slice_ids),
            "gone": as_json(told_of.gone),
            "anew": as_json(told_of.anew),
        }
        async with self._db.tenant(self._tenant_id) as tx:
            decision_id = next_id(self._db.clock)
            await finish(tx, self._tenant_id, self._purge_id, decision_id)
            await append(tx, self._tenant_id, AGENT, told, decision_id)
