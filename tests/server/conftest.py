"""A server for a module's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.serving import Served, serving


@pytest.fixture
def served(dsn: str, tmp_path: Path) -> Iterator[Served]:
    """A server on a database of the test's own, without a token: everybody on this machine may ask."""
    with serving(dsn, tmp_path) as running:
        yield running
