"""The ground that every view stands on."""

from __future__ import annotations

import psycopg
import pytest

from tests.views.seed import ground
from thoth_substrate.model.clock import PinnedClock


@pytest.fixture
def seeded(sql: psycopg.Connection, clock: PinnedClock) -> psycopg.Connection:
    """The superuser's connection, after months and streams were made around the pinned clock."""
    ground(sql, clock.now())
    return sql
