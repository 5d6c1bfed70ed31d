"""What does perceiving cost the turn, and how fast do slices reach the table?

    python -m bench.perceive [--dsn DSN] [--runs 3] [--slices 100000] [--json]

Through the façade, as a host has it: the flusher runs on the façade's own thread, with no workers beside it.

- the turn: `perceive_sync`, call by call, 1,000 calls a second and in one burst, with the database up and with nothing
  listening at its address;
- sustained: so many slices of about 120 characters as fast as they come, until the last is committed, over the whole time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psycopg

from bench import report
from bench.place import Place, place
from bench.report import Times
from thoth_substrate.model.slice import Event
from thoth_substrate.substrate import Substrate

STREAM = "thoth.world.user_message.cli"
TEXT = "I moved to Berlin last spring and my sister Anna visited us in the new flat {} times; we had a lovely dinner together."
PACED_CALLS, PACED_EVERY_S = 2_000, 0.001
BURST_CALLS = 20_000
PATIENCE_S = 600.0


def timed(substrate: Substrate, calls: int, every_s: float) -> Times:
    """The times of so many calls in microseconds, `every_s` apart (0: without a pause)."""
    times: list[float] = []
    for number in range(calls):
        event = Event(STREAM, TEXT.format(number), session=f"session {number // 50}")
        began = time.perf_counter()
        substrate.perceive_sync(event)
        times.append((time.perf_counter() - began) * 1e6)
        if every_s:
            time.sleep(every_s)
    return Times.of(times)


def turns(substrate: Substrate) -> dict[str, Any]:
    """What the turn feels, in microseconds."""
    return {
        "paced_us": asdict(timed(substrate, PACED_CALLS, PACED_EVERY_S)),
        "burst_us": asdict(timed(substrate, BURST_CALLS, 0.0)),
    }


def sustained(substrate: Substrate, slices: int) -> dict[str, float]:
    """Slices a second from the first call to the last commit."""
    events = [Event(STREAM, TEXT.format(number), session=f"session {number // 50}") for number in range(slices)]
    began, cpu_began = time.perf_counter(), time.process_time()
    kept = sum(substrate.perceive_sync(event).slice_id is not None for event in events)
    perceived_s = time.perf_counter() - began
    assert asyncio.run(substrate.durable(PATIENCE_S)), "not all slices were committed in time"
    took_s = time.perf_counter() - began
    assert kept == slices, f"{slices - kept} slices were refused"
    return {
        "slices_per_s": round(slices / took_s),
        "perceived_s": round(perceived_s, 3),
        "committed_s": round(took_s, 3),
        "client_cpu_us_per_slice": round((time.process_time() - cpu_began) / slices * 1e6, 1),
    }


def with_substrate(where: Place, measure: Callable[[Substrate], dict[str, Any]]) -> dict[str, Any]:
    """Measure on a façade with a home of its own, warm."""
    with tempfile.TemporaryDirectory() as home, where.substrate(where.settings(THOTH_HOME=home), None) as substrate:
        if not substrate.ready_sync(PATIENCE_S):
            raise RuntimeError("the database was not reached")
        timed(substrate, 200, 0.0)
        assert asyncio.run(substrate.durable(PATIENCE_S))
        return measure(substrate)


def away(where: Place) -> dict[str, Any]:
    """The turn while nothing listens at the database's address."""
    with socket.socket() as silent, tempfile.TemporaryDirectory() as home:
        silent.bind(("127.0.0.1", 0))
        nowhere = Place(f"postgresql://nobody@127.0.0.1:{silent.getsockname()[1]}/x", Path(home), where.version, None)
        substrate = nowhere.substrate(nowhere.settings(), None)
        timed(substrate, 200, 0.0)
        figures = turns(substrate)
        substrate.close_sync()
        return figures


def measured(where: Place, runs: int, slices: int) -> dict[str, Any]:
    """Each measurement `runs` times, with the spread of what counts."""
    rates, up, down = [], [], []
    for _ in range(runs):
        up.append(with_substrate(where, turns))
        down.append(away(where))
        rates.append(with_substrate(where, lambda substrate: sustained(substrate, slices)))
    _check(where, runs, slices)
    return {
        "benchmark": "perceive",
        "slices": slices,
        "slice_chars": len(TEXT),
        "runs": runs,
        "turn_up": {"runs": up, **_medians(up)},
        "turn_down": {"runs": down, **_medians(down)},
        "sustained": {"runs": rates, "slices_per_s": report.spread([run["slices_per_s"] for run in rates])},
        "machine": report.machine(where.version),
    }


def _medians(runs: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        f"{kind}_{quantile}": report.spread([run[kind][quantile] for run in runs])
        for kind in ("paced_us", "burst_us")
        for quantile in ("p50", "p99")
    }


def _check(where: Place, runs: int, slices: int) -> None:
    """Every slice is in the table once, or the figures mean nothing."""
    with psycopg.connect(where.dsn) as connection:
        row = connection.execute("select count(*), count(distinct slice_id) from thoth.substrate_slices").fetchone()
    expected = runs * (2 * 200 + PACED_CALLS + BURST_CALLS + slices)
    if row != (expected, expected):
        raise RuntimeError(f"{expected} slices were acknowledged and the table holds {row}")


def line(figures: dict[str, Any]) -> str:
    """One line for a person."""
    up, down, rate = figures["turn_up"], figures["turn_down"], figures["sustained"]["slices_per_s"]

    def turn(kind: dict[str, Any]) -> str:
        return " ".join(
            f"{name} p50 {kind[f'{name}_us_p50']['median']:.0f} p99 {kind[f'{name}_us_p99']['median']:.0f} µs"
            for name in ("paced", "burst")
        )

    return (
        f"perceive: database up {turn(up)}; down {turn(down)}; sustained {rate['median']:,.0f} slices/s"
        f" ({rate['least']:,.0f}–{rate['greatest']:,.0f}), load {figures['machine']['load']}"
    )


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dsn", help="a PostgreSQL whose user may create databases; none: an embedded one")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--slices", type=int, default=100_000)
    parser.add_argument("--name", default="perceive")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON too")
    given = parser.parse_args()
    with place(given.dsn) as where:
        figures = measured(where, given.runs, given.slices)
    if given.json:
        print(json.dumps(figures, indent=1))
    report.write(given.name, figures, line(figures))


if __name__ == "__main__":
    main()
