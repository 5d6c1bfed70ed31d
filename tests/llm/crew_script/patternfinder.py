"""The Pattern-finder's good model: facts of one predicate, or about one object, have something in common."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

_LINE = re.compile(r"^(f\d+)(?: \([^)]*\))?: (.+)$", re.MULTILINE)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """A pattern for each group of at least two facts that share what they say of their subjects."""
    groups: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, statement in _LINE.findall(request["user"]):
        subject, _, said = statement.partition(" ")
        groups[said.strip(".").lower()].append((name, subject))
        groups[subject].append((name, said))
    patterns = []
    for key, found in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        if len(found) >= 2:
            names = sorted({who for _, who in found})
            saying = (
                f"{' and '.join(names)} have in common: {key}" if key != key.title() else f"{key} has several sides: {names[0]}"
            )
            patterns.append({"statement": saying[:200], "facts": [name for name, _ in found][:6], "confidence": 0.7})
    return {"patterns": patterns[:4]}
