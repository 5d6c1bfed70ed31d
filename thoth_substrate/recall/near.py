"""The nearest passages by meaning, wherever they were compared. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thoth_substrate.recall.candidate import Floats, Places

FEWEST_SAMPLED = 30  # passages that tell how alike everything is; a sample loses what was released since it was drawn


@dataclass(frozen=True, slots=True)
class Near:
    """A passage and how like the question it is; with mean and deviation over all passages, or over a sample of them."""

    passage_id: int
    similarity: float
    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class NearSampled:
    """The same; mean and deviation are those of the `sampled` passages that are left of a sample, None where none is."""

    passage_id: int
    similarity: float
    mean: float | None
    deviation: float | None
    sampled: int


def with_background(found: Sequence[NearSampled]) -> list[Near]:
    """What was found, against the sample; where too little of that is left, against what was found itself."""
    if not found:
        return []
    first = found[0]
    if first.mean is not None and first.deviation is not None and first.sampled >= FEWEST_SAMPLED:
        return [Near(one.passage_id, one.similarity, first.mean, first.deviation) for one in found]
    alike = np.array([one.similarity for one in found])
    mean, deviation = float(alike.mean()), float(alike.std())
    return [Near(one.passage_id, one.similarity, mean, deviation) for one in found]


@dataclass(frozen=True, slots=True)
class Likeness:
    """Passages by id, and how like a question each is."""

    passages: Places
    similarities: Floats

    def nearest(self, rows: int) -> list[Near]:
        """The nearest of them; with mean and deviation of all, as `nearest_exact.sql` tells them."""
        if not len(self.passages):
            return []
        mean, deviation = float(self.similarities.mean()), float(self.similarities.std())
        rows = min(rows, len(self.passages))
        most = np.argpartition(-self.similarities, rows - 1)[:rows]
        most = most[np.argsort(-self.similarities[most], kind="stable")]
        return [Near(int(self.passages[at]), float(self.similarities[at]), mean, deviation) for at in most.tolist()]

    def of(self, wanted: Sequence[int]) -> tuple[list[int], list[float]]:
        """The ids among `wanted` that have a vector, and how like the question they are."""
        asked = np.asarray(wanted, np.int64)
        near = np.minimum(np.searchsorted(self.passages, asked), max(len(self.passages) - 1, 0))
        known = self.passages[near] == asked if len(self.passages) else np.zeros(len(asked), np.bool_)
        return asked[known].tolist(), self.similarities[near[known]].tolist()
