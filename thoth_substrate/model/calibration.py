"""How right stated confidences were, and what a new one is worth: histogram binning, shrunk towards what was stated.

Binning is Zadrozny and Elkan, "Obtaining calibrated probability estimates from decision trees and naive Bayesian
classifiers" (ICML 2001); the expected calibration error over bins is Naeini, Cooper and Hauskrecht (AAAI 2015). With few
observations a bin's own rate is noise, so the stated confidence counts as `PRIOR` observations beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

BINS = 10
PRIOR = 10.0
ALL = "*"  # facts of any predicate


@dataclass(frozen=True, slots=True)
class Bin:
    """Facts stated with about the same confidence (`bin` tenths and up): how many have an outcome, how many of these held.

    `stated_sum` sums their stated confidences, `squares` the squared differences from what befell them (1 held, 0 not).
    """

    bin: int
    scored: int
    held: int
    stated_sum: float
    squares: float


@dataclass(frozen=True, slots=True)
class Scored:
    """One fact with an outcome: what was stated of it, and whether it held."""

    agent: str
    model: str
    predicate: str
    stated: float
    held: bool


Group = tuple[str, str, str]  # agent, model, predicate or ALL


@dataclass(frozen=True, slots=True)
class Calibration:
    """The bins of every agent, model and predicate. Empty: every confidence is worth what was stated."""

    bins: Mapping[Group, Sequence[Bin]] = field(default_factory=dict)

    def confidence(self, agent: str, model: str, predicate: str, stated: float) -> float:
        """What a new confidence is worth, 0..1: by the agent's and model's facts in all, then by those of its predicate."""
        general = calibrated(stated, self.bins.get((agent, model, ALL), ()))
        return _shrunk(general, stated, self.bins.get((agent, model, predicate), ()))


def bin_of(stated: float) -> int:
    """The bin, 0..9, of a confidence; 1.0 belongs to the last, and .9 to the last even where it was kept as real (.89999)."""
    return min(max(int(stated * BINS + 1e-5), 0), BINS - 1)


def calibrated(stated: float, bins: Sequence[Bin]) -> float:
    """What a stated confidence is worth, 0..1, by those of its bin that have an outcome. Without any: itself."""
    return _shrunk(stated, stated, bins)


def binned(scored: Iterable[Scored]) -> dict[Group, list[Bin]]:
    """The bins of each agent, model and predicate, and of all its predicates (ALL), in order. Empty bins are left out."""
    sums: dict[Group, dict[int, list[float]]] = {}
    for fact in scored:
        for predicate in {fact.predicate, ALL}:
            bins = sums.setdefault((fact.agent, fact.model, predicate), {})
            tally = bins.setdefault(bin_of(fact.stated), [0.0, 0.0, 0.0, 0.0])
            for place, value in enumerate((1.0, float(fact.held), fact.stated, (fact.stated - fact.held) ** 2)):
                tally[place] += value
    return {
        group: [Bin(number, int(n), int(held), stated, squares) for number, (n, held, stated, squares) in sorted(bins.items())]
        for group, bins in sorted(sums.items())
    }


def brier(bins: Sequence[Bin]) -> float | None:
    """Mean squared error of the stated confidences, 0 (best) to 1; None without observations."""
    scored = sum(one.scored for one in bins)
    return sum(one.squares for one in bins) / scored if scored else None


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """Expected calibration error, 0 (best) to 1: how far, on average, the share that held is from what was stated."""
    scored = sum(one.scored for one in bins)
    return sum(abs(one.held - one.stated_sum) for one in bins) / scored if scored else None


def _shrunk(prior: float, stated: float, bins: Sequence[Bin]) -> float:
    found = next((one for one in bins if one.bin == bin_of(stated)), None)
    if found is None:
        return prior
    return min(max((found.held + PRIOR * prior) / (found.scored + PRIOR), 0.0), 1.0)
