"""Rates: what comes and goes between two looks, and when a budget will be gone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some

from thoth_workers.rates import GAP_S, Rates, Window, burns, moved

NOW = datetime(2026, 5, 15, 12, tzinfo=UTC)
TICK = timedelta(seconds=15)


def _window(used: float, starts_at: datetime = NOW, limit: float = 10_000.0) -> Window:
    return Window("*", "tokens_hour", starts_at, starts_at + timedelta(hours=1), limit, used)


def test_a_first_look_knows_no_rates() -> None:
    rates = moved(None, NOW, 500, 500, [_window(100)])
    assert (rates.arrived_per_hour, rates.drained_per_hour) == (None, None)
    assert burns(rates, [_window(100)])[0].forecast == 0.01


def test_what_came_and_what_went_are_told_apart() -> None:
    first = moved(None, NOW, 500, 0, [])
    second = moved(first, NOW + TICK, 490, 5, [])
    assert (second.arrived_per_hour, second.drained_per_hour) == (1200.0, 3600.0)


@given(some.lists(some.tuples(some.integers(0, 50), some.integers(0, 50)), min_size=1, max_size=50))
def test_no_rate_is_ever_negative(steps: list[tuple[int, int]]) -> None:
    rates, backlog = moved(None, NOW, 100, 0, []), 100
    for number, (came, went) in enumerate(steps, 1):
        backlog = max(backlog + came - went, 0)
        rates = moved(rates, NOW + number * TICK, backlog, came, [])
        assert (rates.arrived_per_hour or 0) >= 0
        assert (rates.drained_per_hour or 0) >= 0


def test_steady_spending_is_forecast_to_the_end_of_the_window() -> None:
    rates, used = moved(None, NOW, 0, 0, [_window(0)]), 0.0
    for number in range(1, 121):  # half an hour at 50 tokens a tick: 12,000 an hour
        used += 50
        rates = moved(rates, NOW + number * TICK, 0, 0, [_window(used)])
    burn = burns(rates, [_window(used)])[0]
    assert burn.share == 0.6
    assert burn.forecast == pytest.approx(1.2, rel=0.01)


def test_a_renewed_window_begins_at_nothing() -> None:
    before = moved(moved(None, NOW, 0, 0, [_window(9000)]), NOW + TICK, 0, 0, [_window(9000)])
    renewed = _window(100, NOW + timedelta(hours=1))
    after = moved(before, NOW + 2 * TICK, 0, 0, [renewed])
    assert burns(after, [renewed])[0].share == 0.01
    assert (after.spending["* tokens_hour"].per_hour or 0) > 0


def test_after_a_gap_or_a_clock_that_went_back_rates_are_measured_anew() -> None:
    """faults: clock skew between hosts; the worker away for a day"""
    before = Rates(NOW, 100, 50.0, 50.0)
    for at in (NOW + timedelta(seconds=GAP_S + 1), NOW - timedelta(seconds=1)):
        assert moved(before, at, 100, 0, []).drained_per_hour is None
    assert moved(before, NOW, 100, 0, []) == before


def test_a_budget_of_nothing_is_spent() -> None:
    window = _window(0, limit=0)
    assert burns(moved(None, NOW, 0, 0, [window]), [window])[0].share == 1.0
