"""Two sets of figures side by side: the same questions without and with knowledge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

BUDGETS = (500, 1500)


def differences(without: Mapping[str, Any], with_it: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """By category: what recall of the evidence gained (below zero: lost) at each budget and floor."""
    found = {}
    for category, row in without["scores"].items():
        other = with_it["scores"][category]
        found[category] = {key: round(other[key] - value, 4) for key, value in row.items() if key.startswith("recall@")}
    return found


def worst(gained: Mapping[str, Mapping[str, float]]) -> float:
    """The greatest loss on any category at any budget, floor on or off; above zero when nothing was lost."""
    return min(value for row in gained.values() for value in row.values())


def table(kind: str, without: Mapping[str, Any], with_it: Mapping[str, Any]) -> str:
    """By category, at each budget: without → with, the floor on."""
    gained = differences(without, with_it)
    lines = []
    for category, row in without["scores"].items():
        other = with_it["scores"][category]
        cells = []
        for floor in ("on", "off"):
            keys = [f"recall@{budget} floor {floor}" for budget in BUDGETS]
            parts = (f"{row[key]:.3f} → {other[key]:.3f} ({gained[category][key]:+.3f})" for key in keys)
            cells.append(f"{floor} {'  '.join(parts)}")
        lines.append(f"  {kind:8} {category:26} n {row['n']:4}  {'  '.join(cells)}")
    return "\n".join(lines)
