"""Slice ids grow whatever the clock does, and carry their ingest time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from thoth_substrate.model.ids import LAST_OF_TIME, SliceIds, ingest_time
from thoth_substrate.model.salience import Anchor, level

NOON = datetime(2026, 3, 29, 0, 59, 59, 999_000, tzinfo=UTC)  # a millisecond before Europe's clocks go forward


def test_ids_grow_when_the_clock_steps_back_and_across_a_change_of_clocks() -> None:
    """faults: clock skew between hosts; DST changes."""
    maker = SliceIds()
    instants = [NOON, NOON - timedelta(hours=1), NOON + timedelta(milliseconds=1), NOON - timedelta(days=1)]
    made = [maker.next(at) for at in instants for _ in range(3000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)
    assert ingest_time(made[0]) == NOON


def test_an_id_that_carries_no_time_of_the_calendar_is_asked_for_without_harm() -> None:
    """Met as a random UUID that was looked up: nine of ten lie beyond the year 9999."""
    assert ingest_time(UUID(int=2**128 - 1)) == ingest_time(LAST_OF_TIME) == datetime(9999, 12, 31, tzinfo=UTC)
    assert ingest_time(UUID(int=0)) == datetime(1970, 1, 1, tzinfo=UTC)


def test_a_host_whose_clock_runs_behind_sees_a_memory_as_fresh_not_as_more_than_fresh() -> None:
    """faults: clock skew between hosts; event times in the future."""
    anchor = Anchor(1.0, NOON, timedelta(days=14))
    assert level(anchor, NOON - timedelta(hours=3)) == 1.0
