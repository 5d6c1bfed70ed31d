"""The crew: one small file each, found here and under the entry-point group `thoth_substrate.agents`."""

from __future__ import annotations

import importlib
import importlib.metadata
import logging
import pkgutil
from collections.abc import Iterator
from functools import cache
from typing import Any

from thoth_workers.agent import Agent

GROUP = "thoth_substrate.agents"
_log = logging.getLogger("thoth.workers")


@cache
def crew() -> dict[str, Agent[Any, Any]]:
    """Every agent by name: the AGENT of each module of this package, then those that others have installed.

    One of others that cannot be loaded, is no agent, or has the name of one of ours is left out, and said.
    """
    found = {agent.name: agent for agent in _ours()}
    for point in sorted(importlib.metadata.entry_points(group=GROUP), key=lambda point: point.name):
        agent = _loaded(point)
        if agent is not None and found.setdefault(agent.name, agent) is not agent:
            _log.warning("The agent %s of %s is left out: there is one of that name already.", agent.name, point.value)
    return found


def _ours() -> Iterator[Agent[Any, Any]]:
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        agent = getattr(importlib.import_module(f"{__name__}.{module}"), "AGENT", None)
        if isinstance(agent, Agent):
            yield agent


def _loaded(point: importlib.metadata.EntryPoint) -> Agent[Any, Any] | None:
    try:
        agent = point.load()
    except (ImportError, AttributeError) as error:
        _log.warning("The agent %s cannot be loaded (%s), and is left out.", point.value, error)
        return None
    if not isinstance(agent, Agent):
        _log.warning("%s is registered as an agent and is none; it is left out.", point.value)
        return None
    return agent
