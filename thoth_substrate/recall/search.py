"""The legs: what the database is asked, in order of worth, each within what is left of the time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import numpy as np

from thoth_substrate.db.pool import Tx
from thoth_substrate.db.queries import query
from thoth_substrate.db.vectors import HalfVector, halfvecs
from thoth_substrate.model.embedding import code
from thoth_substrate.model.ports import Vector
from thoth_substrate.model.projection import LegState
from thoth_substrate.recall.candidate import CandidateColumns, Candidates, microseconds
from thoth_substrate.recall.deadline import Legs, Reading
from thoth_substrate.recall.near import FEWEST_SAMPLED, Likeness, Near, NearSampled, with_background
from thoth_substrate.recall.question import Question, understand
from thoth_substrate.recall.rank import Background

CENTRING = 0.5
RECENT_ROWS = 20
GATHERED_ROWS = 2_000  # vectors that are all gathered by passage; of more only the nearest
NEAR_FACTOR = 2  # rows fetched from the index for one that is wanted: two kinds of vector a passage
LONGEST_AGO = datetime(1, 1, 2, tzinfo=UTC)
LAST_ID = UUID(int=2**128 - 1)
SPELLING_DISTANCE = 0.6
SPELLING_LETTERS = 4
MOST_SPELLINGS = 4


@dataclass(frozen=True, slots=True)
class TenantState:
    """What the tenant has: passages, the active model with its vectors, its floor, the span of its memories.

    `worldly` are the streams of the outer world. `knows`: anything was made of its slices yet; `coherence` (0..1) is the
    latest measure of how that hangs together, None before the first. `vectors_version` is another after each change of vectors.
    """

    passages: int
    total_length: int
    model: str | None
    centre: list[float] | None
    vectors: int
    turns: int
    vector_sum: list[float] | None
    floor: dict[str, Any] | None
    earliest: datetime | None
    latest: datetime | None
    worldly: list[int]
    knows: bool = False
    coherence: float | None = None
    vectors_version: str | None = None

    @property
    def average_length(self) -> float:
        """Words of a passage."""
        return max(self.total_length / max(self.passages, 1), 1.0)


@dataclass(frozen=True, slots=True)
class TermFrequency:
    term: str
    passages: int


@dataclass(frozen=True, slots=True)
class NearSpelling:
    term: str
    passages: int
    distance: float


@dataclass(frozen=True, slots=True)
class Meant:
    """What the question's vector led to: the nearest passages, and what stands around them. Nothing at all without one."""

    near: Sequence[Near] = ()
    around: CandidateColumns | None = None

    def __len__(self) -> int:
        return len(self.near)


@dataclass(frozen=True, slots=True)
class Text:
    """The words of a passage. `reported`: by a host of itself, that a session began or a job ran."""

    passage_id: int
    session_id: str
    stream: str
    reported: bool
    text: str


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one search, from the settings."""

    candidates: int = 100
    row_budget: int = 20_000
    exact_rows: int = 20_000
    not_before: datetime = LONGEST_AGO


@dataclass(frozen=True, slots=True)
class Wording:
    """The question's terms, rarest first, as the tenant knows them. The first `rare` of them are looked up.

    Of these, `whole` are read to their end: all, or none where the rarest alone exceeds the row budget. `known` tells
    which were used by the tenant as they are spelled.
    """

    terms: list[str]
    idf: list[float]
    known: list[bool]
    rare: int
    whole: int


@dataclass(frozen=True, slots=True)
class Lookup:
    """All that the legs need to know. `vector` is the question's, None when it is missing or late.

    `generic` is the mean vector of questions in general, None for the one stored with the floor. `session` is the one
    that asks: its own turns are not recalled into it. `asked` are the question's terms as they were spelled: what was
    released is no word of any passage, and still one of what is known. `as_of` is the instant whose answer is wanted.
    """

    state: TenantState
    question: Question
    words: Wording
    limits: Limits
    vector: Vector | None = None
    generic: Sequence[float] | None = None
    session: str | None = None
    asked: tuple[str, ...] = ()
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class IndexSettings:
    ef_search: str
    iterative_scan: str


_TENANT_STATE = query(__package__, "tenant_state", TenantState)
_TERM_FREQUENCIES = query(__package__, "term_frequencies", TermFrequency)
_NEAR_SPELLINGS = query(__package__, "near_spellings", NearSpelling)
_NEAREST_EXACT = query(__package__, "nearest_exact", Near)
_NEAREST_SCANNED = query(__package__, "nearest_scanned", NearSampled)
_NEAREST_INDEXED = query(__package__, "nearest_indexed", NearSampled)
_INDEX_SETTINGS = query(__package__, "index_settings", IndexSettings)
_CANDIDATES = query(__package__, "candidates", CandidateColumns)
_AROUND = query(__package__, "around", CandidateColumns)
_TEXTS = query(__package__, "texts", Text)


async def know(reading: Reading, text: str, now: datetime, limits: Limits) -> Lookup:
    """Understand the question by what the tenant has: its span of years, and how rare each word is."""
    async with reading.tx() as tx:
        state = await tx.fetch_one(_TENANT_STATE, reading.tenant_id)
        assert state is not None
        question = understand(text, now, state.earliest, state.latest)
        known = {row.term: row.passages for row in await tx.fetch(_TERM_FREQUENCIES, reading.tenant_id, list(question.terms))}
        spelled = await _spellings(tx, reading.tenant_id, [term for term in question.terms if term not in known])
    known |= {near.term: near.passages for near in spelled.values()}
    read = list(dict.fromkeys(spelled[term].term if term in spelled else term for term in question.terms))
    words = weigh(read, known, set(question.terms) - set(spelled), state.passages, limits.row_budget)
    return Lookup(state, replace(question, terms=tuple(words.terms)), words, limits, asked=question.terms)


async def _spellings(tx: Tx, tenant_id: str, unknown: Sequence[str]) -> dict[str, NearSpelling]:
    """For terms that nobody used, the nearest known ones: a name is often misspelt."""
    found = {}
    for term in [term for term in unknown if len(term) >= SPELLING_LETTERS and term.isalpha()][:MOST_SPELLINGS]:
        near = await tx.fetch_one(_NEAR_SPELLINGS, tenant_id, term, 1)
        if near is not None and near.distance <= SPELLING_DISTANCE:
            found[term] = near
    return found


def weigh(read: Sequence[str], known: dict[str, int], exact: set[str], passages: int, row_budget: int) -> Wording:
    """Order terms rarest first, weigh them by inverse document frequency, and see how far the row budget reaches. Pure."""
    ordered = sorted(read, key=lambda term: known.get(term, 0))
    counts = [known.get(term, 0) for term in ordered]
    idf = [math.log(1 + (max(passages, n) - n + 0.5) / (n + 0.5)) for n in counts]
    rare, rows = 0, 0
    for count in counts:
        rows += count
        if rows > row_budget and rare:
            break
        rare += 1
    whole = rare if counts[:1] <= [row_budget] else 0
    return Wording(ordered, idf, [n > 0 and term in exact for term, n in zip(ordered, counts, strict=True)], rare, whole)


def centred(vector: Vector, state: TenantState) -> Vector:
    """The question's vector less half of the tenant's mean: else what is near to everything is near to this too."""
    if not state.turns or state.vector_sum is None:
        return vector
    return np.asarray(vector - CENTRING * np.asarray(state.vector_sum, dtype=np.float32) / state.turns, dtype=np.float32)


async def by_meaning(reading: Reading, lookup: Lookup, known: Sequence[int], likeness: Likeness | None = None) -> Meant:
    """The nearest passages, and what stands around them beside the passages that are `known` already.

    With `likeness` every passage was compared here already, and the database need not.
    """
    assert lookup.vector is not None
    words, state = lookup.words, lookup.state
    [compared] = halfvecs([centred(lookup.vector, state)])
    async with reading.tx() as tx:
        near = (
            likeness.nearest(lookup.limits.candidates)
            if likeness is not None
            else await _nearest(tx, reading.tenant_id, lookup, compared)
        )
        around = await tx.fetch_one(
            _AROUND, reading.tenant_id, [one.passage_id for one in near], known, words.terms, words.idf, state.average_length,
            state.model or "", compared if likeness is None else None, lookup.session, lookup.limits.not_before,
            last_id(lookup.as_of),
        )  # fmt: skip
    assert around is not None
    if likeness is not None:
        ids, similarities = likeness.of([*known, *around.passage_ids])
        around = replace(around, alike_ids=ids, similarities=similarities)
    return Meant(near, around)


async def _nearest(tx: Tx, tenant: str, lookup: Lookup, compared: HalfVector) -> list[Near]:
    """One by one while the tenant is small, by the index beyond (ADR 0005)."""
    assert lookup.vector is not None
    limits, state, model = lookup.limits, lookup.state, lookup.state.model
    sample = list((state.floor or {}).get("sample", ()))
    rows = limits.candidates * NEAR_FACTOR
    if sample and state.vectors > limits.exact_rows:
        await tx.fetch(_INDEX_SETTINGS, rows)
        bits = code(lookup.vector, np.asarray(state.centre, dtype=np.float32))
        return with_background(await tx.fetch(_NEAREST_INDEXED, tenant, model, compared, bits, rows, limits.candidates, sample))
    if sample and state.vectors > GATHERED_ROWS:
        found = await tx.fetch(_NEAREST_SCANNED, tenant, model, compared, rows, limits.candidates, sample)
        if found and found[0].sampled >= FEWEST_SAMPLED:
            return with_background(found)
    return await tx.fetch(_NEAREST_EXACT, tenant, model, compared, limits.candidates)


async def candidates(reading: Reading, lookup: Lookup) -> CandidateColumns:
    """What every leg finds that needs no vector, and the neighbours, by session and place in it."""
    words, limits = lookup.words, lookup.limits
    whole = [period for period in lookup.question.periods if period.weight == 1.0]
    async with reading.tx() as tx:
        row = await tx.fetch_one(
            _CANDIDATES, reading.tenant_id, words.terms, words.idf, limits.row_budget, words.rare, lookup.state.average_length,
            limits.candidates, [period.starts for period in whole], [period.ends for period in whole], lookup.session,
            limits.not_before, RECENT_ROWS, words.whole, last_id(lookup.as_of),
        )  # fmt: skip
    assert row is not None
    return row


def last_id(as_of: datetime | None) -> UUID:
    """The greatest id of a slice perceived by then; of any slice, without an instant."""
    if as_of is None:
        return LAST_ID
    return UUID(int=min(max(microseconds(as_of) // 1000 + 1, 0), LAST_ID.int >> 80) << 80)


async def texts(reading: Reading, passage_ids: Sequence[int]) -> dict[int, Text]:
    """The words of passages by id; what was forgotten meanwhile is missing."""
    async with reading.tx() as tx:
        return {row.passage_id: row for row in await tx.fetch(_TEXTS, reading.tenant_id, list(passage_ids))}


def background(near: Sequence[Near], state: TenantState) -> Background | None:
    """How alike everything is, when anything was compared by meaning."""
    if not near:
        return None
    return Background(near[0].mean, near[0].deviation, state.passages)


def note_legs(legs: Legs, found: Candidates) -> None:
    """One line for each leg of the candidates statement: how many passages it brought."""
    for bit, name in ((2, "keyword"), (4, "time"), (8, "pinned"), (16, "recent")):
        legs.note(name, LegState.ANSWERED, rows=int(np.count_nonzero(found.legs & bit)))
