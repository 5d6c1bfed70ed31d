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

import numpy as np

from thoth_substrate.model.passages import Flag
from thoth_substrate.recall.candidate import Candidate, Candidates, Floats, Places, columns, microseconds
from thoth_substrate.recall.question import Question, asked_about

RECENCY_HALF_LIFE_DAYS = 90.0
US_A_DAY = 86_400e6
NEXT, REPLY, NEAR_KEYWORD = 0.25, 0.4, 0.5
SESSION_BEFORE, SESSION_NEXT, SESSION_WHO = 0.3, 0.2, 1.5
LEAST_PART = 0.0005  # less is nothing, rounded
LEGS = {1: "vector", 2: "keyword", 4: "time", 8: "pinned", 16: "recent"}


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

    def parts_at(self, places: Sequence[int]) -> list[dict[str, float]]:
        """The addends of those candidates' scores that are not zero; read a column at a time, since one by one is slow."""
        at = np.asarray(places, np.int64)
        columns = [values[at].tolist() for values in self.parts.values()]
        return [
            {name: round(value, 3) for name, value in zip(self.parts, row, strict=True) if abs(value) >= LEAST_PART}
            for row in zip(*columns, strict=True)
        ]


def rank(question: Question, idf: Sequence[float], found: Candidates | Sequence[Candidate], scene: Scene) -> Ranking:
    """Score and order what was found, which is sorted by session and place in it. `idf` belongs to `question.terms`."""
    weights, background, candidates = scene.weights, scene.background, columns(found)
    if not len(candidates):
        return Ranking([], np.zeros(0), {})
    before, after = _neighbour(candidates, -1), _neighbour(candidates, +1)
    b = _keyword_deviation(candidates, background)
    z = _similarity_deviation(candidates, background, b)
    s = z + NEAR_KEYWORD * b
    who = _who(question, candidates, scene.worldly)
    near_by = cover(candidates, idf)
    asks_before = _at(_flag(candidates, Flag.QUESTION), before)
    in_session = s + SESSION_BEFORE * _at(s, before) + SESSION_NEXT * _at(s, after) + SESSION_WHO * who
    parts: dict[str, Floats] = {
        "similarity": weights.similarity * z,
        "keyword": weights.keyword * b,
        "who": weights.who * who,
        "date": weights.date * _dates(question, candidates),
        "temporal": weights.temporal * _flag(candidates, Flag.TIME) * question.asks_when,
        "first": weights.first * _flag(candidates, Flag.FIRST_PERSON),
        "cover": weights.cover * near_by,
        "next": NEXT * _at(z, after),
        "reply": REPLY * who * asks_before * _at(s, before),
        "session": weights.session * _session_best(candidates.session_no, in_session),
        "standing": weights.standing * _standing(candidates, scene.worldly),
        "pinned": weights.pinned * candidates.pinned.astype(np.float64),
        "salience": weights.salience * np.nan_to_num(candidates.salience),
        "recency": weights.recency * _recency(candidates, scene.now),
    }
    scores = np.sum(list(parts.values()), axis=0)
    order: list[int] = np.argsort(-scores, kind="stable").tolist()
    return Ranking(order, scores, parts)


def _neighbour(candidates: Candidates, step: int) -> Places:
    """For each candidate the index of the one `step` places on in its session, or -1."""
    sessions, places = candidates.session_no, candidates.seq
    at = np.arange(len(sessions)) + step
    inside = (at >= 0) & (at < len(sessions))
    at = np.where(inside, at, 0)
    return np.where(inside & (sessions[at] == sessions) & (places[at] == places + step), at, -1)


def _at(values: Floats, index: Places) -> Floats:
    return np.where(index >= 0, values[index], 0.0)


def _keyword_deviation(candidates: Candidates, background: Background | None) -> Floats:
    raw = candidates.keyword
    if not raw.any():
        return np.zeros(len(raw))
    passages = max(background.passages if background else len(raw), 1)
    mean = candidates.keyword_total / passages
    variance = max(candidates.keyword_squares / passages - mean * mean, 1e-6)
    return np.asarray((raw - mean) / np.sqrt(variance))


def _similarity_deviation(candidates: Candidates, background: Background | None, b: Floats) -> Floats:
    """Passages that have no vector yet are judged by their words alone."""
    if background is None or background.deviation <= 0.0:
        return np.zeros(len(candidates))
    raw = (candidates.similarity - background.mean) / max(background.deviation, 1e-6)
    return np.where(np.isnan(raw), np.minimum(b, 3.0), raw)


def speakers(candidates: Candidates, worldly: frozenset[int]) -> dict[str, bool]:
    """Each speaker among the candidates, and whether they are of the outer world."""
    actors: dict[str, bool] = {}
    for actor, stream_id in dict.fromkeys(zip(candidates.actor, candidates.stream_id.tolist(), strict=True)):
        actors[actor] = actors.get(actor, False) or stream_id in worldly
    return actors


def _who(question: Question, candidates: Candidates, worldly: frozenset[int]) -> Floats:
    asked = asked_about(question, speakers(candidates, worldly))
    if asked is None:
        return np.full(len(candidates), 0.5)
    return np.array([float(actor == asked) for actor in candidates.actor])


def _flag(candidates: Candidates, flag: Flag) -> Floats:
    return np.asarray(candidates.flags & int(flag) != 0, np.float64)


def _standing(candidates: Candidates, worldly: frozenset[int]) -> Floats:
    """Lasting wishes, of people only and only as far as they are trusted: an order hidden in a tool's output is no wish."""
    of_people = np.isin(candidates.stream_id, list(worldly))
    return np.asarray(candidates.trust * _flag(candidates, Flag.STANDING) * of_people)


def _dates(question: Question, candidates: Candidates) -> Floats:
    found = np.zeros(len(candidates))
    for period in question.periods:
        starts, ends = microseconds(period.starts), microseconds(period.ends)
        inside = (candidates.event_us >= starts) & (candidates.event_us < ends)
        found = np.maximum(found, period.weight * inside)
    return found


def cover(found: Candidates | Sequence[Candidate], idf: Sequence[float]) -> Floats:
    """The idf-weighted share of the question's terms found in a passage or its two neighbours on each side.

    What was found is sorted by session and place; a term whose idf is 0 does not count.
    """
    candidates, total = columns(found), sum(idf)
    if total <= 0.0:
        return np.zeros(len(candidates))
    masks = candidates.mask
    near = masks.copy()
    for step in (-2, -1, 1, 2):
        at = _neighbour(candidates, step)
        near |= np.where(at >= 0, masks[at], 0)
    bits = (near[:, None] >> np.arange(len(idf))) & 1
    return np.asarray(bits @ np.asarray(idf) / total)


def _session_best(sessions: Places, values: Floats) -> Floats:
    _, inverse = np.unique(sessions, return_inverse=True)
    best = np.full(inverse.max() + 1, -np.inf)
    np.maximum.at(best, inverse, values)
    return np.asarray(best[inverse])


def _recency(candidates: Candidates, now: datetime) -> Floats:
    ages = np.maximum(microseconds(now) - candidates.event_us, 0) / US_A_DAY
    return np.exp2(-ages / RECENCY_HALF_LIFE_DAYS)
