"""Score what is known as passages are scored, and cut what does not bear on the question. Pure.

    z   likeness of meaning and  b  overlap of words, as deviations from everything known
    score = similarity·z + keyword·b + who·named + date + cover + linked

`named` is 1 for a sentence of an entity that the question names, 0 for one of another, ½ where it names none. The weights
are the passages' own. A sentence is let through when it bears on the question by itself (three tenths of the words, by
how much they tell, or a likeness that stands out) and its score is near the best one's: facts are terse, and a weak one reads
as an answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from uuid import UUID

from thoth_substrate.model.negation import denies
from thoth_substrate.model.projection import Cited, Kind, Line
from thoth_substrate.recall.knowledge import Knowledge, Known
from thoth_substrate.recall.question import Question
from thoth_substrate.recall.rank import Background, Scene, Weights

MOST_FACTS = 24
MARGIN = 4.0  # below the best, at most
STANDS_OUT = 1.5  # deviations of likeness
COVERS = 0.3  # of the question's words, by how much they tell
LINKED = 0.5
LOW_CONFIDENCE = 0.6
NO_SLICE = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence with its score, the parts of it, and whether it was let through."""

    known: Known
    score: float
    parts: Mapping[str, float]
    bears: bool


def rank_facts(question: Question, knowledge: Knowledge, scene: Scene) -> list[Fact]:
    """Everything known that came near, best first; `bears` marks what may be injected."""
    background = knowledge.background or scene.background
    mean, deviation = _keyword_spread(knowledge)
    names_somebody = any(one.named for one in knowledge.known)
    facts = []
    for one in knowledge.known:
        z = _likeness(one, background)
        signs = {
            "z": z,
            "b": (one.keyword - mean) / deviation if one.keyword else 0.0,
            "cover": covered(one, knowledge),
            "named": float(one.named) if names_somebody else 0.5,
            "date": _dated(question, one),
            "linked": one.linked,
        }
        parts = _parts(signs, scene.weights)
        bears = z >= STANDS_OUT or signs["cover"] >= COVERS
        facts.append(Fact(one, sum(parts.values()), parts, bears))
    facts.sort(key=lambda fact: (-fact.score, fact.known.row_id))
    return _cut(facts)


def _parts(signs: Mapping[str, float], weights: Weights) -> dict[str, float]:
    parts = {
        "similarity": weights.similarity * signs["z"],
        "keyword": weights.keyword * signs["b"],
        "who": weights.who * signs["named"],
        "date": weights.date * signs["date"],
        "cover": weights.cover * signs["cover"],
        "linked": LINKED * signs["linked"],
    }
    return {name: round(value, 3) for name, value in parts.items() if abs(value) >= 0.0005}


def _cut(facts: Sequence[Fact]) -> list[Fact]:
    """Relative to the best that bears on the question: what is much weaker would only look like an answer."""
    best = next((fact.score for fact in facts if fact.bears), 0.0)
    kept, cut = 0, []
    for fact in facts:
        bears = fact.bears and fact.score >= best - MARGIN and kept < MOST_FACTS
        kept += bears
        cut.append(Fact(fact.known, fact.score, fact.parts, bears))
    return cut


def covered(one: Known, knowledge: Knowledge) -> float:
    """The idf-weighted share of the question's terms that a sentence holds."""
    total = sum(knowledge.words.idf)
    held = sum(idf for bit, idf in enumerate(knowledge.words.idf) if one.mask >> bit & 1)
    return held / total if total > 0.0 else 0.0


def _keyword_spread(knowledge: Knowledge) -> tuple[float, float]:
    """Mean and deviation of the overlap of words over everything known, most of which has none."""
    n = max(sum(1 for _ in knowledge.known), knowledge.background.passages if knowledge.background else 0, 1)
    total = sum(one.keyword for one in knowledge.known)
    squares = sum(one.keyword**2 for one in knowledge.known)
    return total / n, math.sqrt(max(squares / n - (total / n) ** 2, 1e-6))


def _likeness(one: Known, background: Background | None) -> float:
    if one.similarity is None or background is None or background.deviation <= 0.0:
        return 0.0
    return (one.similarity - background.mean) / background.deviation


def _dated(question: Question, one: Known) -> float:
    """The greatest weight of a period asked for in which it began, or began to end."""
    moments = [one.valid_from, *([one.valid_to] if one.valid_to else [])]
    return max((period.weight for period in question.periods for at in moments if period.starts <= at < period.ends), default=0.0)


def fact_lines(facts: Sequence[Fact], now: datetime, timezone: tzinfo = UTC) -> list[Line]:
    """The lines of what was let through, best first, dated for a reader in `timezone`."""
    return [_line(fact, now, timezone) for fact in facts if fact.bears]


def _line(fact: Fact, now: datetime, timezone: tzinfo) -> Line:
    known = fact.known
    sources = tuple(Cited(slice_id, no) for slice_id, no in zip(known.slice_ids, known.passage_nos, strict=True))
    first = sources[0] if sources else None
    return Line(
        handle="",
        slice_id=first.slice_id if first else NO_SLICE,
        passage_no=first.passage_no if first else 0,
        session_id="",
        actor="",
        event_time=known.valid_from.astimezone(timezone),
        stream="",
        text=known.statement,
        score=round(fact.score, 3),
        salience=0.0,
        parts=fact.parts,
        legs=("knowledge",),
        kind=Kind(known.kind),
        row_id=known.row_id,
        sources=sources,
        confidence=known.confidence,
        note=note(known, now, timezone),
    )


def note(known: Known, now: datetime, timezone: tzinfo = UTC) -> str:
    """When a sentence holds, in few tokens: `since 2024-03`, `until 2025-01`, or the day; and that it is denied or unsure.

    What a subject has one of at a time lasts, so that it has a month since when; anything else has the day it is of.
    """
    said = []
    if known.negated and not denies(known.statement):
        said.append("not so")
    begins = known.valid_from.astimezone(timezone)
    if known.valid_to is not None:
        ends = known.valid_to.astimezone(timezone)
        said.append(f"{begins:%Y-%m} until {ends:%Y-%m}" if ends <= now else f"until {ends:%Y-%m}")
    elif known.functional:
        said.append(f"since {begins:%Y-%m}")
    elif known.kind == Kind.FACT:
        said.append(f"{begins.day} {begins:%b %Y}")
    if known.confidence < LOW_CONFIDENCE:
        said.append(f"confidence {known.confidence:.1f}")
    return ", ".join(said)
