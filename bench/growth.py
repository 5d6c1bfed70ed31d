"""What grows with the memory? Recall, bytes and indexes against slices (10^3 to 10^6) and tenants (1 to 1,000).

    python -m bench.growth [--dsn DSN] [--vectors FILE] [--sizes 1000,10000] [--tenants 1,10]

A curve that bends upward is a defect.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Any

import psycopg

from bench import report
from bench.place import Place, place
from bench.recall_speed import BIG, measure
from bench.synthetic import SQL, Filler
from bench.vectors import CachedEmbedder
from thoth_substrate.embed.local import LocalEmbedder

SIZES, TENANTS = "1000,10000,100000,1000000", "1,10,100,1000"
SLICES_EACH = 100  # of each of many tenants


async def point(where: Place, vectors: Path, slices: int, tenants: int) -> dict[str, Any]:
    """One tenant of so many slices, beside `tenants` - 1 small ones, in an empty place."""
    embedder = CachedEmbedder(vectors, LocalEmbedder())
    try:
        filler = Filler(where, embedder)
        for number in range(1, tenants):
            await filler.fill(f"other-{number}", SLICES_EACH, asked=1)
        big = await filler.fill(BIG, slices)
        measured = await measure(where, big)
    finally:
        embedder.close()
    held = sizes(where.dsn)
    written = slices + (tenants - 1) * SLICES_EACH
    return {
        "slices": slices, "tenants": tenants, "alone_ms": measured["alone_ms"],
        "bytes_a_slice": round(sum(held.values()) / written), "bytes": held,
    }  # fmt: skip


def sizes(dsn: str) -> dict[str, int]:
    """Bytes of each table with its partitions (heap and indexes apart)."""
    with psycopg.connect(dsn) as connection:
        return {name: int(size) for name, size in connection.execute((SQL / "table_bytes.sql").read_bytes())}


def line(figures: dict[str, Any]) -> str:
    """One line for a person."""
    cells = [
        f"{p['slices']:,} × {p['tenants']}: p95 {p['alone_ms']['p95']} ms, {p['bytes_a_slice']} B" for p in figures["points"]
    ]
    return "growth (slices × tenants): " + "; ".join(cells)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dsn", help="a PostgreSQL whose superuser this is; none: an embedded one")
    parser.add_argument("--vectors", type=Path, default=report.RESULTS / "vectors.sqlite")
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--tenants", default=TENANTS)
    parser.add_argument("--name", default="growth")
    given = parser.parse_args()
    wanted = [(int(size), 1) for size in given.sizes.split(",")] + [(1000, int(n)) for n in given.tenants.split(",") if n != "1"]
    figures: dict[str, Any] = {"benchmark": "growth", "points": []}
    for slices, tenants in wanted:
        with place(given.dsn) as where:
            figures["points"].append(asyncio.run(point(where, given.vectors, slices, tenants)))
            figures["machine"] = report.machine(where.version)
    report.write(given.name, figures, line(figures))


if __name__ == "__main__":
    main()
