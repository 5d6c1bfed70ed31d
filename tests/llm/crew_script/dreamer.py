"""The Dreamer's good model: supposes that something between two rows was left out."""

from __future__ import annotations

import re
from typing import Any

_LINE = re.compile(r"^\d(?: \([^)]*\))?: (.+)$", re.MULTILINE)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """A supposition, a question and a test about the first row."""
    rows = _LINE.findall(request["user"])
    about = rows[0].rstrip(".") if rows else "what was said"
    return {
        "dream": f"Suppose that “{about}” was so for a while only, and that the change was never told.",
        "question": f"Is it still so that {about}?",
        "test": f"Look for anything that speaks of: {about}.",
    }
