"""How well knowledge holds together: parts, each with its number of observations, and their weighted mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

# How much each part weighs in the mean. What recall would show wrongly weighs most.
WEIGHTS: Mapping[str, float] = {
    "integrity": 3.0,  # supports resolve, and quotes stand in their sources
    "contradiction": 2.0,  # no two living facts exclude one another
    "coverage": 2.0,  # passages have a verdict that is not a failure
    "grounding": 1.0,  # what a pattern cites hangs together
    "freshness": 1.0,  # what is derived follows the facts as they stand, by less than an hour
    "calibration": 1.0,  # stated confidences come true as often as they say
}


@dataclass(frozen=True, slots=True)
class Part:
    """A part: 0..1, 1 is best, and on how many observations it rests. Without any it is 1 and counts for nothing."""

    value: float
    observations: int


@dataclass(frozen=True, slots=True)
class Coherence:
    """One measurement. `score` is None when nothing was there to measure; then recall and Conductor suppose nothing."""

    score: float | None
    parts: Mapping[str, Part]
    observed_at: datetime | None = None

    @property
    def weakest(self) -> str | None:
        """The part that is lowest, of those that rest on observations."""
        measured = {name: part.value for name, part in self.parts.items() if part.observations}
        return min(measured, key=lambda name: (measured[name], name)) if measured else None


def share(good: float, of: int) -> Part:
    """A part that is a share of observations."""
    return Part(min(max(good / of, 0.0), 1.0), of) if of > 0 else Part(1.0, 0)


def coherent(parts: Mapping[str, Part], observed_at: datetime | None = None) -> Coherence:
    """The measurement of these parts: the mean, weighted, over those that have observations."""
    weights = {name: WEIGHTS.get(name, 1.0) for name, part in parts.items() if part.observations}
    whole = sum(weights.values())
    score = sum(parts[name].value * weight for name, weight in weights.items()) / whole if whole else None
    return Coherence(score, dict(parts), observed_at)


def to_json(coherence: Coherence) -> dict[str, Any]:
    """The parts as an observation's detail keeps them."""
    return {name: {"value": round(part.value, 6), "observations": part.observations} for name, part in coherence.parts.items()}


def from_json(score: float | None, detail: Mapping[str, Any], observed_at: datetime | None) -> Coherence:
    """A measurement as it was kept. Parts of other versions are kept as they are."""
    parts = {
        name: Part(float(part["value"]), int(part["observations"]))
        for name, part in detail.items()
        if isinstance(part, Mapping) and {"value", "observations"} <= set(part)
    }
    return Coherence(score, parts, observed_at)
