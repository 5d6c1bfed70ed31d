"""How soon is a slice recallable by keyword, while a thousand a second are perceived?

    python -m bench.freshness [--dsn DSN] [--rate 1000] [--seconds 20]

Perceiver and Supervisor run in one process, as in `thoth up`. Planted slices carry a word of their own; the time ends when
a recall has answered with it.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from dataclasses import asdict
from typing import Any

import psycopg

from bench import report
from bench.place import Place, place
from bench.recall_speed import PATIENT
from bench.report import Times
from bench.synthetic import SQL
from thoth_substrate.boot import prepare
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.model.slice import Event
from thoth_substrate.substrate import Substrate
from thoth_workers.supervisor import Supervisor

TENANT = "default"
STREAM = "thoth.world.user_message.cli"
STEP_S, PLANT_EVERY_S, LOOK_EVERY_S, PATIENCE_S = 0.01, 0.25, 0.01, 30.0
FILLER = "the plumber came about the boiler and left a note on the kitchen table saying number {} would be repaired on Tuesday"


class Planted:
    """Slices with a word of their own: when each was perceived, and how long it took to be recalled (ms)."""

    def __init__(self) -> None:
        self.since: dict[str, float] = {}
        self.took_ms: list[float] = []
        self.sent = 0
        self.over = False

    def word(self) -> str:
        """A new word of letters only, which no stemmer changes."""
        number = len(self.since) + len(self.took_ms) + 1
        return "zq" + "".join("bdfgklmnpr"[int(digit)] for digit in f"{number:04}") + "x"


async def perceive(substrate: Substrate, planted: Planted, rate: int, seconds: float) -> None:
    """Perceive at an even rate; a slice that is behind its time is not left out."""
    began, next_plant = time.perf_counter(), 0.0
    while (now := time.perf_counter() - began) < seconds:
        while planted.sent < now * rate:
            text = FILLER.format(planted.sent)
            if now >= next_plant:
                word, next_plant = planted.word(), next_plant + PLANT_EVERY_S
                planted.since[word], text = time.perf_counter(), f"{text}, said {word}"
            substrate.perceive_sync(Event(STREAM, text, session=f"s{planted.sent // 50}", actor="Maya"))
            planted.sent += 1
        await asyncio.sleep(STEP_S)
    planted.over = True


async def watch(substrate: Substrate, planted: Planted, dsn: str) -> None:
    """Look for the planted words; when one is indexed ask for it, and stop its clock when it is in the answer."""
    query = (SQL / "indexed_terms.sql").read_bytes()
    ended: float | None = None
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
        while planted.since or not planted.over:
            ended = ended or (time.perf_counter() if planted.over else None)
            if ended and time.perf_counter() - ended > PATIENCE_S:
                return
            cursor = await connection.execute(query, {"tenant": TENANT, "terms": list(planted.since)})
            for (word,) in await cursor.fetchall():
                projection = await substrate.recall(f"Who said {word}?", tenant=TENANT)
                if word in projection.block:
                    planted.took_ms.append((time.perf_counter() - planted.since.pop(word)) * 1000)
            await asyncio.sleep(LOOK_EVERY_S)


async def run(where: Place, rate: int, seconds: float) -> dict[str, Any]:
    """The figures. `never` were planted and not found within PATIENCE_S after the load had ended."""
    settings, clock, planted = where.settings(**PATIENT, THOTH_EMBED_PROVIDER="none"), SystemClock(), Planted()
    await prepare(settings, where.dsn)
    hands, stop = await where.database(clock), asyncio.Event()
    workers = asyncio.create_task(Supervisor(settings, hands, None, clock).run(stop))
    try:
        async with where.substrate(settings, None, clock) as substrate:
            began = time.perf_counter()
            await asyncio.gather(perceive(substrate, planted, rate, seconds), watch(substrate, planted, where.dsn))
            took_s = time.perf_counter() - began
    finally:
        stop.set()
        await workers
        await hands.close()
    times = asdict(Times.of(planted.took_ms)) if planted.took_ms else {}
    return {
        "rate": rate, "seconds": seconds, "perceived": planted.sent, "planted": len(planted.took_ms) + len(planted.since),
        "never": len(planted.since), "recallable_ms": times, "over_after_s": round(took_s, 1),
    }  # fmt: skip


def line(figures: dict[str, Any]) -> str:
    """One line for a person."""
    times = figures["recallable_ms"]
    said = f"p50 {times['p50']} p95 {times['p95']} p99 {times['p99']} ms" if times else "nothing was found"
    return f"recallable by keyword at {figures['rate']:,} slices/s: {said} (n {figures['planted']}, never {figures['never']})"


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dsn", help="a PostgreSQL whose superuser this is; none: an embedded one")
    parser.add_argument("--rate", type=int, default=1000, help="slices a second")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--name", default="freshness")
    given = parser.parse_args()
    with place(given.dsn) as where:
        figures = asyncio.run(run(where, given.rate, given.seconds))
        result = {"benchmark": "freshness", "machine": report.machine(where.version), **figures}
    report.write(given.name, result, line(figures))


if __name__ == "__main__":
    main()
