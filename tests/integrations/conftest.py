"""What every surface's tests may ask for: a server on the test's database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.serving import Served, serving


@pytest.fixture
def served(dsn: str, tmp_path: Path) -> Iterator[Served]:
    """A server on the test's database, recall on, without an embedder."""
    with serving(dsn, tmp_path / "thoth-home") as running:
        yield running
