"""The crew's workers are killed again and again, and nothing is lost, doubled or stuck, and the account adds up."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.crew_kill import storm
from bench.place import Place


@pytest.mark.timeout(600)  # processes start again and again, on machines that are busy
async def test_workers_killed_at_random_lose_and_double_nothing(dsn: str, tmp_path: Path) -> None:
    """faults: SIGKILL anywhere. The long form, five minutes of it: `python -m bench.crew_kill --minutes 5`."""
    outcome = await storm(Place(dsn, tmp_path, "", None), seconds=0, rounds=2, rate=12, seed=7)
    assert outcome.wrongs == []
    assert outcome.killed >= 5
    assert outcome.states == {"consolidated": outcome.perceived}
    assert outcome.facts == outcome.perceived
