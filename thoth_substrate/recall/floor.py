"""The floor: is there anything here about this at all? Below it nothing is injected. Pure.

Absolute evidence decides, not rank:

    evidence = (best - genericness - mean) / deviation + 2 cover

`best` is the highest similarity of any passage to the question, `genericness` how near the question is to questions in
general (a question that is like every question is like every memory), `cover` the largest share of the question's terms
found close together. Mean and deviation are those of `best - genericness` over a bundled list of plausible
questions asked of this very tenant; most of them concern nothing it knows, and so tell without any label what asking in
vain looks like here. The floor is the 0.86 quantile of their evidence. No threshold carries over from one tenant to
another; this rule does (docs/explanation/floor.md has the figures).

At a tenant that is not calibrated yet only the clearly foreign is refused: no word of it is known there, and nothing
stands out by meaning either.

What is known can carry the decision too, when the slices that it was drawn from are gone: its own evidence is weighed in
the same way against what the bundled questions meet among facts, with a stricter quantile, since two ways of being let in
let in more. The floor is raised while knowledge does not hang together (coherence below 0.7), by as much as is missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from thoth_substrate.model.ports import Vector

COVER = 2.0
QUANTILE = 0.86
STANDS_OUT = 2.0
KNOWN_QUANTILE = 0.97
COHERENT = 0.7
BEARS = 0.4  # of a question's words, by how much they tell, that a fact must hold to bear on it


@dataclass(frozen=True, slots=True)
class Signs:
    """What a question met: `best` similarity (None without vectors), `genericness`, `cover` 0..1, `known` share of terms 0..1.

    `standing_out`: by how many deviations the best passage is more alike than the tenant's passages are in general.
    `fact_best` and `fact_cover`: the same of what is known; None where nothing is.
    """

    best: float | None
    genericness: float
    cover: float
    known: float
    standing_out: float = 0.0
    fact_best: float | None = None
    fact_cover: float | None = None


@dataclass(frozen=True, slots=True)
class Floor:
    """A tenant's calibrated floor, as stored. `keyword_level` is used when nothing could be compared by meaning."""

    mean: float
    deviation: float
    level: float
    keyword_level: float
    fact_mean: float | None = None
    fact_deviation: float | None = None
    fact_level: float | None = None

    @classmethod
    def read(cls, stored: Mapping[str, Any] | None) -> Floor | None:
        """The floor in a `substrate_floors` row, or None before the first calibration."""
        if not stored or "level" not in stored:
            return None
        needed = [float(stored[name]) for name in ("mean", "deviation", "level", "keyword_level")]
        return cls(*needed, *(stored.get(name) for name in ("fact_mean", "fact_deviation", "fact_level")))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether there is enough evidence to speak, and what was weighed, for the log."""

    enough: bool
    detail: dict[str, float | str]


def judge(signs: Signs, floor: Floor | None, shift: float = 0.0) -> Verdict:
    """Weigh a question's signs against the tenant's floor, moved by `shift`: what was said, or else what is known."""
    said = _judge_said(signs, floor, shift)
    if said.enough or signs.fact_cover is None:
        return said
    found, level = fact_evidence(signs, floor)
    return Verdict(
        found >= level + shift, {**said.detail, "fact_evidence": round(found, 4), "fact_level": round(level + shift, 4)}
    )


def raised(shift: float, coherence: float | None) -> float:
    """The floor's shift, raised by what coherence (0..1) lacks of 0.7."""
    return shift + max(COHERENT - coherence, 0.0) if coherence is not None else shift


def _judge_said(signs: Signs, floor: Floor | None, shift: float) -> Verdict:
    seen: dict[str, float | str] = {name: round(value, 4) for name, value in asdict(signs).items() if value is not None}
    if floor is None:
        enough = signs.known > 0.0 or signs.cover > 0.0 or signs.standing_out >= STANDS_OUT
        return Verdict(enough, {**seen, "floor": "uncalibrated: only the clearly foreign is refused"})
    if signs.best is None:
        found, level = COVER * signs.cover + signs.known, floor.keyword_level + shift
    else:
        found, level = evidence(signs, floor.mean, floor.deviation), floor.level + shift
    return Verdict(found >= level, {**seen, "evidence": round(found, 4), "level": round(level, 4)})


def calibrate(asked_in_vain: Sequence[Signs]) -> Floor:
    """The floor from the signs that the bundled questions met at this tenant. Needs at least two."""
    raw = np.array([_raw(signs) for signs in asked_in_vain if signs.best is not None])
    mean, deviation = (float(raw.mean()), max(float(raw.std()), 1e-6)) if len(raw) else (0.0, 1.0)
    found = [evidence(signs, mean, deviation) for signs in asked_in_vain if signs.best is not None]
    worded = [COVER * signs.cover + signs.known for signs in asked_in_vain]
    return Floor(mean, deviation, _quantile(found), _quantile(worded), *_of_facts(asked_in_vain))


def _of_facts(asked_in_vain: Sequence[Signs]) -> tuple[float | None, float | None, float | None]:
    """Mean, deviation and level of what the questions met among facts; nothing where there are none."""
    met = [signs for signs in asked_in_vain if signs.fact_cover is not None]
    if len(met) < 2:
        return None, None, None
    raw = np.array([signs.fact_best - signs.genericness for signs in met if signs.fact_best is not None])
    mean, deviation = (float(raw.mean()), max(float(raw.std()), 1e-6)) if len(raw) else (0.0, 1.0)
    found = [_fact_evidence(signs, mean, deviation) for signs in met]
    return mean, deviation, float(np.quantile(found, KNOWN_QUANTILE))


def fact_evidence(signs: Signs, floor: Floor | None) -> tuple[float, float]:
    """The evidence that something known answers, and the level it must reach.

    Before facts were calibrated, enough of the question's words must stand in one.
    """
    if floor is None or floor.fact_level is None or floor.fact_mean is None or floor.fact_deviation is None:
        return COVER * (signs.fact_cover or 0.0), COVER * BEARS
    return _fact_evidence(signs, floor.fact_mean, floor.fact_deviation), floor.fact_level


def _fact_evidence(signs: Signs, mean: float, deviation: float) -> float:
    likeness = (signs.fact_best - signs.genericness - mean) / deviation if signs.fact_best is not None else 0.0
    return likeness + COVER * (signs.fact_cover or 0.0)


def evidence(signs: Signs, mean: float, deviation: float) -> float:
    """The evidence that memory holds an answer, in deviations of what asking in vain meets."""
    return (_raw(signs) - mean) / deviation + COVER * signs.cover


def genericness(vector: Vector, generic: Sequence[float] | None) -> float:
    """How near a question is to questions in general: its similarity to their mean vector, 0 before that is known."""
    return float(np.dot(vector, np.asarray(generic, dtype=np.float32))) if generic else 0.0


def _raw(signs: Signs) -> float:
    return (signs.best or 0.0) - signs.genericness


def _quantile(values: Sequence[float]) -> float:
    return float(np.quantile(values, QUANTILE)) if len(values) else 0.0
