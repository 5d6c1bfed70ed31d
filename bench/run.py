"""Run benchmarks one after the other, each in a process of its own, so that none inherits another's caches."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench import report

VECTORS = report.RESULTS / "vectors.sqlite"


def arguments(description: str | None) -> argparse.Namespace:
    """What every set of benchmarks is told."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with locomo7.json and beam100k/; without it quality is left out")
    parser.add_argument("--dsn", help="a PostgreSQL whose superuser this is; none: an embedded one for each benchmark")
    parser.add_argument("--vectors", type=Path, default=VECTORS, help="sqlite file of vectors, read and added to")
    return parser.parse_args()


def each(given: argparse.Namespace, benchmarks: Sequence[Sequence[str]]) -> int:
    """Run them all, also after one has failed; answers how many failed."""
    failed = 0
    for name, *own in benchmarks:
        options = [*own, *(["--dsn", given.dsn] if given.dsn else [])]
        if name == "quality":
            if given.data is None or not given.data.is_dir():
                print("quality is left out: --data names no folder", file=sys.stderr)
                continue
            options += ["--data", str(given.data)]
        if name in ("quality", "recall_speed", "growth"):
            options += ["--vectors", str(given.vectors)]
        failed += subprocess.run([sys.executable, "-m", f"bench.{name}", *options], check=False).returncode != 0
    return failed
