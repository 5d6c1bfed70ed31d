"""What stated confidences are worth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from thoth_substrate.model.calibration import (
    ALL,
    BINS,
    PRIOR,
    Bin,
    Calibration,
    Scored,
    bin_of,
    binned,
    brier,
    calibrated,
    calibration_error,
)

confidences = some.floats(0, 1)
tallies = some.lists(some.tuples(confidences, some.booleans()), max_size=60)


def _bins(facts: list[tuple[float, bool]]) -> list[Bin]:
    return binned(Scored("parser", "m", "lives_in", stated, held) for stated, held in facts).get(("parser", "m", ALL), [])


def test_without_outcomes_a_confidence_is_worth_what_was_stated() -> None:
    assert calibrated(0.8, []) == 0.8
    assert Calibration().confidence("parser", "m", "lives_in", 0.8) == 0.8


def test_the_more_outcomes_the_less_the_stated_confidence_counts() -> None:
    few, many = _bins([(0.9, False)] * 2), _bins([(0.9, False)] * 200)
    assert 0.7 < calibrated(0.9, few) < 0.9
    assert calibrated(0.9, many) < 0.05


def test_a_bin_speaks_for_itself_alone() -> None:
    assert calibrated(0.4, _bins([(0.9, False)] * 50)) == 0.4


def test_a_predicate_is_judged_by_all_facts_until_it_has_outcomes_of_its_own() -> None:
    all_bad = binned([Scored("parser", "m", "works_at", 0.9, held=False) for _ in range(90)])
    calibration = Calibration(all_bad)
    assert calibration.confidence("parser", "m", "lives_in", 0.9) == pytest.approx(PRIOR * 0.9 / (90 + PRIOR))
    good = binned([Scored("parser", "m", "lives_in", 0.9, held=True) for _ in range(90)])
    mixed = Calibration({**all_bad, ("parser", "m", "lives_in"): good["parser", "m", "lives_in"]})
    assert mixed.confidence("parser", "m", "lives_in", 0.9) > 0.85
    assert mixed.confidence("reflector", "m", "lives_in", 0.9) == 0.9


def test_errors_of_the_perfectly_right_and_the_perfectly_wrong() -> None:
    assert (brier(_bins([(1.0, True)])), calibration_error(_bins([(1.0, True)]))) == (0.0, 0.0)
    assert (brier(_bins([(1.0, False)])), calibration_error(_bins([(1.0, False)]))) == (1.0, 1.0)
    assert (brier([]), calibration_error([])) == (None, None)


def test_eight_of_ten_at_eighty_per_cent_is_calibrated_though_not_certain() -> None:
    bins = _bins([(0.8, True)] * 8 + [(0.8, False)] * 2)
    assert calibration_error(bins) == pytest.approx(0.0)
    assert brier(bins) == pytest.approx(0.16)


def test_the_ends_have_bins() -> None:
    assert [bin_of(stated) for stated in (0.0, 0.0999, 0.1, 0.8999999761581421, 1.0)] == [0, 0, 1, 9, BINS - 1]


@given(confidences, tallies)
def test_a_confidence_stays_one(stated: float, facts: list[tuple[float, bool]]) -> None:
    assert 0.0 <= calibrated(stated, _bins(facts)) <= 1.0


@given(confidences, tallies)
def test_it_lies_between_what_was_stated_and_what_was_seen(stated: float, facts: list[tuple[float, bool]]) -> None:
    bins = _bins(facts)
    here = [one for one in bins if one.bin == bin_of(stated)]
    seen = here[0].held / here[0].scored if here else stated
    assert min(stated, seen) - 1e-9 <= calibrated(stated, bins) <= max(stated, seen) + 1e-9


@given(tallies)
def test_errors_are_shares_and_every_fact_is_counted_once_a_group(facts: list[tuple[float, bool]]) -> None:
    bins = _bins(facts)
    assert sum(one.scored for one in bins) == len(facts)
    assert sum(one.held for one in bins) == sum(held for _, held in facts)
    if facts:
        assert 0.0 <= (calibration_error(bins) or 0.0) <= 1.0
        assert 0.0 <= (brier(bins) or 0.0) <= 1.0
