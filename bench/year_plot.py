"""The picture of a busy year: slices, bytes, and whether what was released still answers.

    python -m bench.year_plot [bench-results/year.json] [bench-results/year.png]

Needs matplotlib (dependency group `bench`), and nothing else of Thoth.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

ORDER = ("postings", "vectors", "passages", "slices", "salience", "recall log", "ledger", "handshake", "knowledge", "other")


def plot(figures: Mapping[str, Any], target: Path) -> None:
    """Draw what `bench.year` has measured, as a PNG."""
    points = figures["points"]
    days = [point["day"] for point in points]
    drawing, (rows, sizes, answers) = plt.subplots(3, 1, figsize=(7.5, 8), sharex=True, constrained_layout=True)
    drawing.suptitle(f"{figures['days']} busy days: {figures['perceived']:,} slices, {figures['planted']:,} facts planted")
    rows.plot(days, [point["perceived"] for point in points], "--", color="grey", label="perceived so far")
    for name, label in (("alive", "slices alive"), ("tombstones", "tombstones"), ("diary", "diary")):
        rows.plot(days, [point["slices"][name] for point in points], label=label)
    rows.plot(days, [point["rows"]["knowledge"] for point in points], label="rows of knowledge")
    rows.set_ylabel("rows")
    rows.legend(fontsize=8)
    groups = [name for name in ORDER if any(point["bytes"].get(name) for point in points)]
    sizes.stackplot(days, [[point["bytes"].get(name, 0) / 1e6 for point in points] for name in groups], labels=groups)
    sizes.set_ylabel("MB, indexes included")
    sizes.legend(fontsize=7, loc="upper left", ncols=2)
    asked = [point for point in points if point["asked"]]
    answers.plot([point["day"] for point in asked], [point["answered"] / point["asked"] for point in asked], "o-", markersize=3)
    answers.set_ylim(0, 1.05)
    answers.set_ylabel("released facts that answer")
    answers.set_xlabel("day")
    drawing.savefig(target, dpi=80)
    plt.close(drawing)


if __name__ == "__main__":
    source, picture = sys.argv[1:3] if len(sys.argv) > 2 else ("bench-results/year.json", "bench-results/year.png")
    plot(json.loads(Path(source).read_text(encoding="utf-8")), Path(picture))
