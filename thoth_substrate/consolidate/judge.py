"""The handshake: what became of each passage, and what that makes of its slice.

A passage is extracted when something that is held quotes it, and only then; it holds nothing when an agent says so; else it
failed, and its slice is tried again. A slice whose passages are all settled is consolidated, and may fade away.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from thoth_substrate.consolidate.attempts import HeldSlice, count_failures
from thoth_substrate.consolidate.quotes import Found
from thoth_substrate.db.pool import Tx, as_rows
from thoth_substrate.db.queries import Query, query
from thoth_substrate.model.knowledge import NO_PASSAGE, Maker, Outcome, Source, VerdictProposal

REASON_CHARS = 300
NO_TEXT = "there is no text in it"
NO_VERDICT = "no verdict"
UNCITED = "said to be extracted, and nothing that is held quotes it"
OVERTAKEN = "what it said was put right or superseded by something else"
REFUSED = "the agent said otherwise than a person did"
FAILED = "the model's reply on it could not be used"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one passage."""

    slice_id: UUID
    passage_no: int
    outcome: Outcome
    reason: str = ""

    @property
    def settled(self) -> bool:
        return self.outcome != "failed"


@dataclass(frozen=True, slots=True)
class KnownVerdict:
    slice_id: UUID
    passage_no: int
    outcome: str
    reason: str


@dataclass(frozen=True, slots=True)
class Place:
    slice_id: UUID
    start: int
    length: int
    living: bool
    superseded: bool


@dataclass(frozen=True, slots=True)
class Judged:
    """Slices by what became of them. Those of which nothing was settled are in `failed`, or, after their last attempt, dead."""

    consolidated: tuple[UUID, ...] = ()
    partial: tuple[UUID, ...] = ()
    failed: tuple[UUID, ...] = ()
    dead: tuple[UUID, ...] = ()


_KNOWN = query(__package__, "verdicts_known", KnownVerdict)
_PLACES = query(__package__, "cited_places", Place)
_MADE: Query[None] = query(__package__, "verdicts_made")
_CONSOLIDATED: Query[None] = query(__package__, "consolidated")
_PARTIAL: Query[None] = query(__package__, "partial")
_FREED: Query[None] = query(__package__, "due_again")


async def judge(
    tx: Tx, tenant_id: str, sources: Sequence[Source], held: Sequence[HeldSlice], said: Iterable[VerdictProposal],
    refused: Sequence[Found], maker: Maker, attempts_most: int, unfinished: Collection[UUID] = (),
) -> Judged:  # fmt: skip
    """Store a verdict on every passage of `sources`, and move the slices' states. Their rows are locked by the caller.

    `unfinished` slices were asked about in part only: where that settled something, no attempt is counted.
    """
    ids = [source.slice_id for source in sources]
    places: dict[UUID, list[Place]] = {}
    for place in await tx.fetch(_PLACES, tenant_id, ids):
        places.setdefault(place.slice_id, []).append(place)
    places_refused = [Place(found.slice_id, found.start, len(found.text), False, False) for found in refused]
    known = {(row.slice_id, row.passage_no): row for row in await tx.fetch(_KNOWN, tenant_id, ids)}
    before = {key: row.reason for key, row in known.items() if row.outcome == "nothing"}
    told = {(one.slice_id, one.passage_no): one for one in said}
    verdicts = [v for source in sources for v in _verdicts(source, places.get(source.slice_id, ()), places_refused, told, before)]
    rows = [(v.slice_id, v.passage_no, v.outcome, v.reason) for v in verdicts]
    await tx.execute(_MADE, tenant_id, *as_rows(rows), maker.agent, maker.decision_id)
    settled = {key for key, row in known.items() if row.outcome != "failed"}
    fresh = {v.slice_id for v in verdicts if v.settled and (v.slice_id, v.passage_no) not in settled}
    return await _move(tx, tenant_id, verdicts, held, fresh & set(unfinished), attempts_most, maker.agent)


async def settle(tx: Tx, tenant_id: str, slice_id: UUID, reason: str, maker: Maker) -> None:
    """Say of a slice that was born consolidated why there is nothing to promote from it."""
    await tx.execute(_MADE, tenant_id, [slice_id], [NO_PASSAGE], ["nothing"], [clean(reason)], maker.agent, maker.decision_id)


async def _move(
    tx: Tx, tenant_id: str, verdicts: Sequence[Verdict], held: Sequence[HeldSlice], going_on: set[UUID], attempts_most: int,
    agent: str,
) -> Judged:  # fmt: skip
    by_slice: dict[UUID, list[Verdict]] = {}
    for verdict in verdicts:
        by_slice.setdefault(verdict.slice_id, []).append(verdict)
    done = [i for i, ones in by_slice.items() if all(one.settled for one in ones)]
    some = [i for i, ones in by_slice.items() if i not in done and any(one.settled for one in ones)]
    if done:
        await tx.execute(_CONSOLIDATED, tenant_id, done)
    if some:
        await tx.execute(_PARTIAL, tenant_id, some)
    if free := [i for i in some if i in going_on]:
        await tx.execute(_FREED, tenant_id, free)
    unsettled = {i: ones for i, ones in by_slice.items() if i not in done and i not in going_on}
    failures = {i: _kind(next(one for one in ones if not one.settled)) for i, ones in unsettled.items()}
    failed = await count_failures(tx, tenant_id, held, failures, attempts_most, agent)
    return Judged(tuple(done), tuple(some), tuple(i for i in failed.retried if i not in some), failed.dead)


def _verdicts(
    source: Source, places: Sequence[Place], refused: Sequence[Place], told: Mapping[tuple[UUID, int], VerdictProposal],
    before: Mapping[tuple[UUID, int], str],
) -> list[Verdict]:  # fmt: skip
    """A verdict on each passage of a slice. Pure."""
    if not source.passages:
        return [Verdict(source.slice_id, NO_PASSAGE, "nothing", NO_TEXT)]
    found = []
    for span in source.passages:
        within = [p for p in places if span.char_start <= p.start and p.start + p.length <= span.char_end]
        if any(p.living for p in within):
            found.append(Verdict(source.slice_id, span.passage_no, "extracted"))
        elif any(p.superseded for p in within):
            found.append(Verdict(source.slice_id, span.passage_no, "nothing", OVERTAKEN))
        elif any(p.slice_id == source.slice_id and span.char_start <= p.start < span.char_end for p in refused):
            found.append(Verdict(source.slice_id, span.passage_no, "nothing", REFUSED))
        else:
            found.append(_as_told(source.slice_id, span.passage_no, told, before))
    return found


def _as_told(
    slice_id: UUID, number: int, told: Mapping[tuple[UUID, int], VerdictProposal], before: Mapping[tuple[UUID, int], str]
) -> Verdict:
    """An uncited passage holds nothing if an agent says so now or said so before; else it failed."""
    key = slice_id, number
    said = told.get(key)
    if said is not None and said.outcome == "nothing":
        return Verdict(slice_id, number, "nothing", clean(said.reason) or "no reason was given")
    if key in before:
        return Verdict(slice_id, number, "nothing", before[key])
    if said is None:
        return Verdict(slice_id, number, "failed", NO_VERDICT)
    return Verdict(slice_id, number, "failed", UNCITED if said.outcome == "extracted" else clean(said.reason) or NO_VERDICT)


def _kind(failed: Verdict) -> str:
    """What kind of failure it was: a model's own words may hold content, and the queue is seen by the workers of all tenants."""
    return failed.reason if failed.reason in (NO_VERDICT, UNCITED) else FAILED


def clean(text: str) -> str:
    """A sentence as it is stored: without NULs, one line, bounded."""
    return " ".join(text.replace("\x00", " ").split())[:REASON_CHARS]
