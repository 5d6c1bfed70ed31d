"""A home, a project and a program for installing into."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thoth_substrate.integrations.install.hosts import Place

Places = Callable[..., Place]


@pytest.fixture
def place(tmp_path: Path) -> Places:
    """Makes places in a folder of the test's own."""
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()

    def make(**given: Any) -> Place:
        usual: dict[str, Any] = {
            "home": home, "project": project, "variables": {}, "program": Path("/opt/thoth/bin/thoth"),
            "url": "http://127.0.0.1:8484", "token": False, "platform": "linux",
        }  # fmt: skip
        return Place(**(usual | given))

    return make
