"""What a good model would answer each agent, made from the prompt's own text. One file an agent, by its module's name.

`<agent>.py` holds `answer(request: dict) -> dict | None`: `request` is the body that the server got, with `agent`, `system`
and `user` (the last user message) added; None leaves the answer to the smallest one that fits the schema.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any


def answer(request: dict[str, Any]) -> dict[str, Any] | None:
    """The answer of the asking agent's own script, or None when it has none."""
    asked = request["agent"].replace("_", "")
    for module in pkgutil.iter_modules(__path__):
        if asked and module.name.replace("_", "") == asked:
            found: dict[str, Any] | None = importlib.import_module(f"{__name__}.{module.name}").answer(request)
            return found
    return None
