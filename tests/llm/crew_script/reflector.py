"""The Reflector's good model: rows that share a word of their own mean something together."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

_LINE = re.compile(r"^(r\d+)(?: \([^)]*\))?: (.+)$", re.MULTILINE)
_WORD = re.compile(r"[^\W\d_]{4,}")


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """An insight for each of the two words that most rows share."""
    rows: dict[str, list[str]] = defaultdict(list)
    for name, statement in _LINE.findall(request["user"]):
        for word in sorted({word.lower() for word in _WORD.findall(statement)}):
            rows[word].append(name)
    shared = sorted((word for word in rows if len(rows[word]) >= 2), key=lambda word: (-len(rows[word]), word))
    insights = [
        {"kind": "insight", "statement": f"Much that is known comes back to {word}.", "rows": rows[word][:6], "confidence": 0.6}
        for word in shared[:2]
    ]
    return {"insights": insights}
