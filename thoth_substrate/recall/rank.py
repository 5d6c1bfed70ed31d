"""Rank the candidates: a handful of features with round weights, on comparable scales. Pure.

    z   likeness of meaning and  b  overlap of words (BM25), both as deviations from the tenant's background
    s = z + 0.5 b
    score = similarity·z + keyword·b + who + date + temporal + first + cover + 0.25 z(next)
            + 0.4 who · [the turn before is a question] · s(before)
            + session · max over the session of (s + 0.3 s(before) + 0.2 s(next) + 1.5 who)
            + standing (a lasting wish of the person: "always …", "I prefer …")
            + pinned + salience + recency          (the last two only break ties)

The features and weights were found on public dialogues (docs/explanation/ranking.md has the figures); the weights are
kept few and round because fitted ones did not carry over to other data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from thoth_substrate.model.passages import Flag
from thoth_substrate.recall.question import Question, asked_about

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
RECENCY_HALF_LIFE_DAYS = 90.0
NEXT, REPLY, NEAR_KEYWORD = 0.25, 0.4, 0.5
SESSION_BEFORE, SESSION_NEXT, SESSION_WHO = 0.3, 0.2, 1.5
LEGS = {1: "vector", 2: "keyword", 4: "time", 8: "pinned", 16: "recent"}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that a leg found, or a neighbour of one (`legs` 0). `mask` has a bit for each of the question's terms."""

    passage_id: int
    slice_id: UUID
    passage_no: int
    stream_id: int
    session_no: int
    seq: int
    actor: str
    event_time: datetime
    flags: int
    trust: float
    chars: int
    legs: int
    similarity: float | None
    keyword: float
    mask: int
    salience: float | None
    pinned: bool
    keyword_total: float
    keyword_squares: float


@dataclass(frozen=True, slots=True)
class Weights:
    """One weight a feature, from the settings of the same names."""

    similarity: float = 1.0
    keyword: float = 0.4
    salience: float = 0.05
    recency: float = 0.05
    who: float = 2.0
    date: float = 3.0
    temporal: float = 1.0
    first: float = 0.5
    cover: float = 2.0
    session: float = 0.5
    standing: float = 1.5
    pinned: float = 1.0


@dataclass(frozen=True, slots=True)
class Background:
    """How alike everything is: mean and deviation of similarity over the tenant, and how many passages it has."""

    mean: float
    deviation: float
    passages: int


@dataclass(frozen=True, slots=True)
class Scene:
    """What a ranking is seen against. `background` is None when nothing was compared by meaning.

    `worldly` are the streams of the outer world, whose only speaker is the first person of a question.
    """

    weights: Weights
    background: Background | None
    now: datetime
    worldly: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates best first, with their scores and the parts of each score, in the same order."""

    order: list[int]
    scores: Floats
    parts: Mapping[str, Floats]

    def parts_of(self, index: int) -> dict[str, float]:
        """The addends of one candidate's score that are not zero."""
        return {name: round(float(values[index]), 3) for name, values in self.parts.items() if abs(values[index]) >= 0.0005}


def rank(question: Question, idf: Sequence[float], candidates: Sequence[Candidate], scene: Scene) -> Ranking:
    """Score and order `candidates`, which are sorted by session and place in it. `idf` belongs to `question.terms`."""
    weights, background = scene.weights, scene.background
    sessions, places = _sessions_and_places(candidates)
    before, after = _neighbour(sessions, places, -1), _neighbour(sessions, places, +1)
    b = _keyword_deviation(candidates, background)
    z = _similarity_deviation(candidates, background, b)
    s = z + NEAR_KEYWORD * b
    who = _who(question, candidates, scene.worldly)
    near_by = cover(candidates, idf)
    asks_before = _at(np.array([float(bool(c.flags & Flag.QUESTION)) for c in candidates]), before)
    in_session = s + SESSION_BEFORE * _at(s, before) + SESSION_NEXT * _at(s, after) + SESSION_WHO * who
    parts = {
        "similarity": weights.similarity * z,
        "keyword": weights.keyword * b,
        "who": weights.who * who,
        "date": weights.date * _dates(question, candidates),
        "temporal": weights.temporal * _flag(candidates, Flag.TIME) * question.asks_when,
        "first": weights.first * _flag(candidates, Flag.FIRST_PERSON),
        "cover": weights.cover * near_by,
        "next": NEXT * _at(z, after),
        "reply": REPLY * who * asks_before * _at(s, before),
        "session": weights.session * _session_best(sessions, in_session),
        "standing": weights.standing * _standing(candidates, scene.worldly),
        "pinned": weights.pinned * np.array([float(c.pinned) for c in candidates]),
        "salience": weights.salience * np.array([c.salience or 0.0 for c in candidates]),
        "recency": weights.recency * _recency(candidates, scene.now),
    }
    scores = np.sum(list(parts.values()), axis=0)
    order = [int(i) for i in np.argsort(-scores, kind="stable")]
    return Ranking(order, scores, parts)


def _sessions_and_places(candidates: Sequence[Candidate]) -> tuple[Places, Places]:
    return np.array([c.session_no for c in candidates]), np.array([c.seq for c in candidates])


def _neighbour(sessions: Places, places: Places, step: int) -> Places:
    """For each candidate the index of the one `step` places on in its session, or -1."""
    at = np.arange(len(sessions)) + step
    inside = (at >= 0) & (at < len(sessions))
    at = np.where(inside, at, 0)
    return np.where(inside & (sessions[at] == sessions) & (places[at] == places + step), at, -1)


def _at(values: Floats, index: Places) -> Floats:
    return np.where(index >= 0, values[index], 0.0)


def _keyword_deviation(candidates: Sequence[Candidate], background: Background | None) -> Floats:
    raw = np.array([c.keyword for c in candidates])
    if not raw.any():
        return np.zeros(len(raw))
    passages = max(background.passages if background else len(raw), 1)
    mean = candidates[0].keyword_total / passages
    variance = max(candidates[0].keyword_squares / passages - mean * mean, 1e-6)
    return np.asarray((raw - mean) / np.sqrt(variance))


def _similarity_deviation(candidates: Sequence[Candidate], background: Background | None, b: Floats) -> Floats:
    """Passages that have no vector yet are judged by their words alone."""
    if background is None or background.deviation <= 0.0:
        return np.zeros(len(candidates))
    known = np.array([c.similarity is not None for c in candidates])
    raw = np.array([c.similarity if c.similarity is not None else background.mean for c in candidates])
    return np.where(known, (raw - background.mean) / max(background.deviation, 1e-6), np.minimum(b, 3.0))


def _who(question: Question, candidates: Sequence[Candidate], worldly: frozenset[int]) -> Floats:
    actors: dict[str, bool] = {}
    for candidate in candidates:
        actors[candidate.actor] = actors.get(candidate.actor, False) or candidate.stream_id in worldly
    asked = asked_about(question, actors)
    if asked is None:
        return np.full(len(candidates), 0.5)
    return np.array([float(c.actor == asked) for c in candidates])


def _flag(candidates: Sequence[Candidate], flag: Flag) -> Floats:
    return np.array([float(bool(c.flags & flag)) for c in candidates])


def _standing(candidates: Sequence[Candidate], worldly: frozenset[int]) -> Floats:
    """Lasting wishes, of people only and only as far as they are trusted: an order hidden in a tool's output is no wish."""
    return np.array([c.trust * (bool(c.flags & Flag.STANDING) and c.stream_id in worldly) for c in candidates], dtype=float)


def _dates(question: Question, candidates: Sequence[Candidate]) -> Floats:
    found = np.zeros(len(candidates))
    for period in question.periods:
        inside = np.array([period.starts <= c.event_time < period.ends for c in candidates])
        found = np.maximum(found, period.weight * inside)
    return found


def cover(candidates: Sequence[Candidate], idf: Sequence[float]) -> Floats:
    """The idf-weighted share of the question's terms found in a passage or its two neighbours on each side.

    `candidates` are sorted by session and place; a term whose idf is 0 does not count.
    """
    total = sum(idf)
    if total <= 0.0:
        return np.zeros(len(candidates))
    sessions, places = _sessions_and_places(candidates)
    masks = np.array([c.mask for c in candidates], dtype=np.int64)
    near = masks.copy()
    for step in (-2, -1, 1, 2):
        at = _neighbour(sessions, places, step)
        near |= np.where(at >= 0, masks[at], 0)
    bits = (near[:, None] >> np.arange(len(idf))) & 1
    return np.asarray(bits @ np.asarray(idf) / total)


def _session_best(sessions: Places, values: Floats) -> Floats:
    _, inverse = np.unique(sessions, return_inverse=True)
    best = np.full(inverse.max() + 1, -np.inf)
    np.maximum.at(best, inverse, values)
    return np.asarray(best[inverse])


def _recency(candidates: Sequence[Candidate], now: datetime) -> Floats:
    ages = np.array([max((now - c.event_time).total_seconds() / 86_400, 0.0) for c in candidates])
    return np.exp2(-ages / RECENCY_HALF_LIFE_DAYS)
