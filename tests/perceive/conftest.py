"""Fixtures of the tests of perceiving."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.perceive.support import Road, settings
from thoth_substrate.db.pool import Database, PoolOptions
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.perceive.perceiver import Perceiver


@pytest.fixture
def perceiver(tmp_path: Path, clock: PinnedClock) -> Iterator[Perceiver]:
    """A perceiver with a journal of its own."""
    made = Perceiver(settings(tmp_path), clock)
    yield made
    made.close()


@pytest.fixture
async def road(dsn: str) -> AsyncIterator[Road]:
    """An open road to the test's database."""
    made = Road(dsn)
    await made.open()
    yield made
    await made.close()


@pytest.fixture
async def far(road: Road, clock: PinnedClock) -> AsyncIterator[Database]:
    """The test's database by that road."""
    database = await Database.open(road.dsn, PoolOptions(size=2, connect_timeout_s=1), clock)
    yield database
    await road.close()
    await database.close()
