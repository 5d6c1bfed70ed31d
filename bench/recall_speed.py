"""How long does a recall take? At several sizes, alone and sixteen at once, and with everything wrong.

    python -m bench.recall_speed [--dsn DSN] [--vectors FILE] [--sizes 10000,100000] [--small] [--wrong]

The questions' vectors are known beforehand: what is measured is everything else. Each size has a fresh database with
one tenant of that many slices and a small one of 1,000 in the same hash partition, asked before and after the large one
arrives. `--wrong` freezes a server that it started itself, and hangs the embedder.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from bench import report
from bench.place import Place, place
from bench.report import Times
from bench.synthetic import SQL, Filled, Filler, Known, Query
from bench.vectors import CachedEmbedder
from thoth_substrate.embed.local import MODEL, LocalEmbedder
from thoth_substrate.model.projection import Projection
from thoth_substrate.substrate import Substrate

SIZES = (10_000, 100_000)
SMALL = 1_000
WARM, MEASURED, RUNS = 40, 160, 3
TOGETHER = 16
BIG = "big"
SPEED = {"THOTH_RECALL_FLOOR_SHIFT": "-10", "THOTH_RECALL_REINFORCE": "0"}  # the floor is weighed, and lets all pass
PATIENT = {**SPEED, "THOTH_RECALL_DEADLINE_MS": "20000"}
FROZEN_ROUNDS = {16: 20, 64: 10}


async def ask(substrate: Substrate, tenant: str, query: Query) -> tuple[float, Projection]:
    """One recall and its time in ms, as the caller feels it."""
    began = time.perf_counter()
    projection = await substrate.recall(query.text, tenant=tenant)
    return (time.perf_counter() - began) * 1000, projection


async def in_turn(substrate: Substrate, tenant: str, queries: Sequence[Query]) -> list[tuple[float, Projection]]:
    """Ask one after the other."""
    return [await ask(substrate, tenant, query) for query in queries]


async def at_once(substrate: Substrate, tenant: str, queries: Sequence[Query], many: int) -> list[tuple[float, Projection]]:
    """Keep `many` recalls under way until all have been asked."""
    waiting = iter(queries)

    async def one() -> list[tuple[float, Projection]]:
        return [await ask(substrate, tenant, query) for query in waiting]

    return [answer for answers in await asyncio.gather(*(one() for _ in range(many))) for answer in answers]


async def measure(where: Place, filled: Filled) -> dict[str, Any]:
    """Warm times of one tenant: several runs one by one, then sixteen at once. Deadlines are far away."""
    queries = filled.queries
    async with where.substrate(where.settings(**PATIENT), Known(MODEL, queries)) as substrate:
        await ready(substrate, filled)
        await in_turn(substrate, filled.tenant, queries[:WARM])
        runs = []
        for _ in range(RUNS):
            runs.append(await in_turn(substrate, filled.tenant, _cycle(queries, MEASURED)))
        crowd = await at_once(substrate, filled.tenant, _cycle(queries, MEASURED * 2), TOGETHER)
    answers = [answer for run in runs for answer in run]
    return {
        "alone_ms": asdict(Times.of([ms for ms, _ in answers])),
        "alone_p95_of_runs_ms": report.spread([Times.of([ms for ms, _ in run]).p95 for run in runs]),
        "together": TOGETHER,
        "together_ms": asdict(Times.of([ms for ms, _ in crowd])),
        "together_per_s": round(len(crowd) / (sum(ms for ms, _ in crowd) / TOGETHER / 1000), 1),
        "legs_p50_ms": legs(answers),
        "lines_p50": float(np.median([len(projection.lines) for _, projection in answers])),
        "reasons": reasons(answers + crowd),
    }


async def ready(substrate: Substrate, filled: Filled) -> None:
    """Wait until the façade has reached the database."""
    deadline = time.monotonic() + 30
    while substrate.health()["dormant"]:
        if time.monotonic() > deadline:
            raise RuntimeError(f"the substrate of {filled.tenant} stays dormant: {substrate.health()['failure']}")
        await asyncio.sleep(0.02)


def legs(answers: Sequence[tuple[float, Projection]]) -> dict[str, float]:
    """The median time of each step that is timed, and of all between them (ranking, composing, hand-over)."""
    took: defaultdict[str, list[float]] = defaultdict(list)
    for ms, projection in answers:
        steps = {leg.name: leg.took_ms for leg in projection.legs if leg.took_ms}
        for name, value in steps.items():
            took[name].append(value)
        took["between"].append(ms - sum(value for name, value in steps.items() if name != "embedding"))
    return {name: round(float(np.median(values)), 2) for name, values in took.items()}


def reasons(answers: Sequence[tuple[float, Projection]]) -> dict[str, int]:
    """How the recalls ended: `said`, or why not, with the legs that were late or failed."""
    return dict(Counter("; ".join([str(p.empty_reason or "said"), *p.partial]) for _, p in answers))


# ── A small tenant beside a large one ───────────────────────────────────────────────────────────────────────────────


async def small_alone(where: Place, small: Filled) -> tuple[list[float], list[list[Any]]]:
    """Times of a small tenant's recalls, and the ten first slices of each."""
    async with where.substrate(where.settings(**PATIENT), Known(MODEL, small.queries)) as substrate:
        await ready(substrate, small)
        await in_turn(substrate, small.tenant, small.queries[:WARM])
        answers = await in_turn(substrate, small.tenant, small.queries)
    return [ms for ms, _ in answers], [[line.slice_id for line in best(p)] for _, p in answers]


def best(projection: Projection) -> list[Any]:
    """The ten lines with the highest scores."""
    return sorted(projection.lines, key=lambda line: (-line.score, line.slice_id))[:10]


def beside(alone: tuple[list[float], list[list[Any]]], inside: tuple[list[float], list[list[Any]]]) -> dict[str, Any]:
    """How a small tenant fares once a large one is there."""
    shared = [len(set(a) & set(b)) / max(len(a), 1) for a, b in zip(alone[1], inside[1], strict=True)]
    return {
        "alone_ms": asdict(Times.of(alone[0])),
        "inside_ms": asdict(Times.of(inside[0])),
        "ratio_p50": round(float(np.median(inside[0]) / np.median(alone[0])), 2),
        "same_k": [len(a) for a in alone[1]] == [len(b) for b in inside[1]],
        "recall_at_10": round(float(np.mean(shared)), 4),
    }


def neighbour(where: Place) -> str:
    """A tenant's name in the hash partition of the large one."""
    with psycopg.connect(where.dsn) as connection:
        sql = (SQL / "same_partition.sql").read_bytes()
        for remainder in range(16):
            row = connection.execute(
                "select satisfies_hash_partition('thoth.substrate_passage_vectors'::regclass, 16, %s, %s::text)", (remainder, BIG)
            ).fetchone()
            if row and row[0]:
                found = connection.execute(sql, {"remainder": remainder}).fetchone()
                assert found is not None
                return str(found[0])
    raise LookupError("no hash partition takes the large tenant")


async def at_size(where: Place, slices: int, vectors: Path) -> dict[str, Any]:
    """All figures of one size, in an empty place."""
    embedder = CachedEmbedder(vectors, LocalEmbedder())
    try:
        filler = Filler(where, embedder)
        small = await filler.fill(neighbour(where), SMALL)
        alone = await small_alone(where, small)
        began = time.perf_counter()
        big = await filler.fill(BIG, slices)
        filled_s = round(time.perf_counter() - began, 1)
        inside = await small_alone(where, small)
        return {"slices": slices, "filled_s": filled_s, **await measure(where, big), "small_tenant": beside(alone, inside)}
    finally:
        embedder.close()


# ── Everything wrong ────────────────────────────────────────────────────────────────────────────────────────────────


async def wrong(where: Place, slices: int, vectors: Path) -> dict[str, Any]:
    """Recalls against a frozen server, with a hung embedder, and with both, under the default deadline."""
    embedder = CachedEmbedder(vectors, LocalEmbedder())
    try:
        big = await Filler(where, embedder).fill(BIG, slices)
    finally:
        embedder.close()
    settings = where.settings(**SPEED)
    figures: dict[str, Any] = {"slices": slices, "deadline_ms": settings.recall_deadline_ms}
    for name, delay_s, freeze in (("nothing", 0.0, False), ("embedder hung", 3600.0, False),
                                  ("database frozen", 0.0, True), ("both", 3600.0, True)):  # fmt: skip
        for many, rounds in FROZEN_ROUNDS.items():
            async with where.substrate(settings, Known(MODEL, big.queries, delay_s)) as substrate:
                await ready(substrate, big)
                await in_turn(substrate, BIG, big.queries[:WARM])
                with frozen(where.postmaster) if freeze else unharmed():
                    answers = await at_once(substrate, BIG, _cycle(big.queries, many * rounds), many)
                back_ms = await _until_it_answers(substrate, big.queries[0]) if freeze else 0.0
            figures[f"{name}, {many} at once"] = {
                **asdict(Times.of([ms for ms, _ in answers])),
                "reasons": reasons(answers),
                "answers_again_after_ms": round(back_ms),
            }
    return figures


async def _until_it_answers(substrate: Substrate, query: Query) -> float:
    began = time.perf_counter()
    while time.perf_counter() - began < 60:
        _, projection = await ask(substrate, BIG, query)
        if projection.lines:
            break
    return (time.perf_counter() - began) * 1000


@contextmanager
def frozen(postmaster: int | None) -> Iterator[None]:
    """Stop every process of a server that this benchmark has started, as a stalled disk or hypervisor would."""
    if postmaster is None:
        raise RuntimeError("Only a server that the benchmark started is frozen: leave --dsn out.")
    pids = [postmaster, *_children(postmaster)]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in reversed(pids):
            os.kill(pid, signal.SIGCONT)


@contextmanager
def unharmed() -> Iterator[None]:
    """Leave everything as it is."""
    yield


def _children(parent: int) -> list[int]:
    """Processes whose parent is `parent`; PostgreSQL's have no children of their own."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == parent:
                found.append(int(entry.name))
    return found


def _cycle(queries: Sequence[Query], count: int) -> list[Query]:
    return [queries[n % len(queries)] for n in range(count)]


def line(figures: dict[str, Any]) -> str:
    """One line for a person."""
    parts = [
        f"{size['slices']:,} slices p50 {size['alone_ms']['p50']} p95 {size['alone_ms']['p95']}"
        f" (16 at once p95 {size['together_ms']['p95']}) ms, small tenant beside it ×{size['small_tenant']['ratio_p50']}"
        for size in figures.get("sizes", [])
    ]
    faults = figures.get("wrong", {})
    parts += [f"{name}: p99 {cell['p99']} p99.9 {cell['p999']} ms" for name, cell in faults.items() if isinstance(cell, dict)]
    return "recall without embedding: " + "; ".join(parts)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dsn", help="a PostgreSQL whose superuser this is; none: an embedded one")
    parser.add_argument("--vectors", type=Path, default=report.RESULTS / "vectors.sqlite")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="slices, comma-separated")
    parser.add_argument("--wrong", action="store_true", help="also freeze a server and hang the embedder")
    parser.add_argument("--name", default="recall-speed")
    given = parser.parse_args()
    figures: dict[str, Any] = {"benchmark": "recall-speed", "sizes": []}
    for slices in (int(size) for size in given.sizes.split(",") if size):
        with place(given.dsn) as where:
            figures["sizes"].append(asyncio.run(at_size(where, slices, given.vectors)))
            figures["machine"] = report.machine(where.version)
    if given.wrong:
        with place(None) as where:
            figures["wrong"] = asyncio.run(wrong(where, SIZES[0], given.vectors))
            figures["machine"] = report.machine(where.version)
    report.write(given.name, figures, line(figures))


if __name__ == "__main__":
    main()
