"""Thoth without the hosts' packages: everything else imports, and each integration asks for its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.house.source import modules

HOSTS = ("langgraph", "agents", "agent")
NEEDING = {
    "thoth_substrate.integrations.langgraph": "langgraph",
    "thoth_substrate.integrations.langgraph_batch": "langgraph",
    "thoth_substrate.integrations.openai_agents": "agents",
}


def _without(*lines: str) -> subprocess.CompletedProcess[str]:
    """Runs lines in a process in which no host's package can be imported."""
    barred = [f"sys.modules[{name!r}] = None" for name in HOSTS]
    program = "\n".join(["import sys", *barred, *lines])
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)


def test_all_else_imports_without_them() -> None:
    names = [module.name for module in modules() if module.name not in NEEDING]
    run = _without("import importlib", f"for name in {names!r}: importlib.import_module(name)")
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("module", NEEDING)
def test_an_integration_needs_its_own(module: str) -> None:
    run = _without(f"import {module}")
    assert run.returncode == 1
    assert "ModuleNotFoundError" in run.stderr
    assert NEEDING[module] in run.stderr.splitlines()[-1]
