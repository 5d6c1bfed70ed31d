"""What does the proxy cost a request, beside the upstream and beside embedding the question?

    python -m bench.proxy [--dsn DSN] [--vectors FILE] [--slices 10000] [--requests 200] [--thinks-ms 20] [--json]

The upstream, the server (`thoth serve`, with the local model) and the client are processes of their own. Each request goes once
directly and once through the proxy, in turn, so that both meet the same machine: overhead is the difference of the medians.
With recall on, what embedding took is known from the recall's log and taken off, request by request. Deadlines are far away.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import http.client
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from bench import report
from bench.place import Place, place
from bench.report import Times
from bench.synthetic import Filler, Query
from bench.vectors import CachedEmbedder
from thoth_substrate.embed.local import LocalEmbedder
from thoth_substrate.settings import child_environment

PATH = "/v1/chat/completions"
WARM = 30
PATIENCE_S = 120.0
TOOL = {"type": "function", "function": {"name": "search", "description": "Finds. " * 40, "parameters": {"type": "object"}}}


@dataclass(frozen=True, slots=True)
class Took:
    """One request: ms to the first byte of the body and to the last; the recall that it had, if any."""

    first_ms: float
    whole_ms: float
    recall_id: str | None


class Client:
    """One connection, kept."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)

    def ask(self, body: bytes, headers: dict[str, str]) -> Took:
        """Send a request and read its answer. Raises RuntimeError for one that is not 200."""
        began = time.perf_counter()
        self._connection.request("POST", PATH, body, {"content-type": "application/json", "authorization": "Bearer k", **headers})
        response = self._connection.getresponse()
        first = response.read1(65536)
        first_at = time.perf_counter()
        rest = response.read()
        ended = time.perf_counter()
        if response.status != 200:
            raise RuntimeError(f"{response.status}: {(first + rest)[:200]!r}")
        return Took((first_at - began) * 1000, (ended - began) * 1000, response.headers.get("x-thoth-recall-id"))


def body_of(question: str, *, stream: bool, long: bool) -> bytes:
    """A request as an agent sends it: short, or with forty turns and twenty tools."""
    turns = [{"role": ("user", "assistant")[n % 2], "content": f"Turn {n}: " + "so it goes on and on. " * 20} for n in range(40)]
    messages = [{"role": "system", "content": "You are terse."}, *(turns if long else []), {"role": "user", "content": question}]
    body = {"model": "m", "stream": stream, "messages": messages, **({"tools": [TOOL] * 20} if long else {})}
    return json.dumps(body, separators=(",", ":")).encode()


def measured(direct: Client, through: Client, queries: Sequence[Query], requests: int, run: dict[str, Any]) -> dict[str, Any]:
    """Requests of one kind, each directly and through the proxy."""
    pairs: list[tuple[Took, Took]] = []
    for number in range(WARM + requests):
        body = body_of(f"{queries[number % len(queries)].text} ({number})", stream=run["stream"], long=run["long"])
        headers = {"x-thoth-recall": "on" if run["recall"] else "off", "x-thoth-session": f"{run}{number}"}
        pairs.append((direct.ask(body, headers), through.ask(body, headers)))
    pairs = pairs[WARM:]
    return {
        **run,
        "body_bytes": len(body),
        "direct_ms": asdict(Times.of([one.whole_ms for one, _ in pairs])),
        "proxy_ms": asdict(Times.of([two.whole_ms for _, two in pairs])),
        "overhead_first_byte_ms": _over([one.first_ms for one, _ in pairs], [two.first_ms for _, two in pairs]),
        "overhead_ms": _over([one.whole_ms for one, _ in pairs], [two.whole_ms for _, two in pairs]),
        "pairs": pairs,
    }


def beside_embedding(where: Place, figures: dict[str, Any]) -> dict[str, Any]:
    """The same, with what the log says of embedding taken off each request that got memories."""
    with psycopg.connect(where.dsn) as connection:
        rows = connection.execute(
            "select recall_id::text, leg ->> 'name', (leg ->> 'took_ms')::float, took_ms"
            " from thoth.substrate_recall_log, jsonb_array_elements(legs) leg"
        ).fetchall()
    embedding = {recall: took for recall, name, took, _ in rows if name == "embedding"}
    whole = {recall: took for recall, _, _, took in rows}
    pairs = [(one, two) for one, two in figures["pairs"] if two.recall_id in embedding]
    if not pairs:
        return {"injected": 0}
    off = [embedding[two.recall_id] for _, two in pairs]
    return {
        "injected": len(pairs),
        "embedding_p50_ms": round(float(np.median(off)), 2),
        "recall_p50_ms": round(float(np.median([whole[two.recall_id] for _, two in pairs])), 2),
        "overhead_beside_embedding_ms": _over(
            [one.whole_ms for one, _ in pairs], [two.whole_ms - took for (_, two), took in zip(pairs, off, strict=True)]
        ),
        "overhead_first_byte_beside_embedding_ms": _over(
            [one.first_ms for one, _ in pairs], [two.first_ms - took for (_, two), took in zip(pairs, off, strict=True)]
        ),
    }


def _over(direct: Sequence[float], through: Sequence[float]) -> dict[str, float]:
    """Differences of quantiles. The least tenth is what remains on a machine that does much else."""
    return {f"p{q}": round(float(np.percentile(through, q) - np.percentile(direct, q)), 2) for q in (10, 50, 95)}


@contextlib.contextmanager
def running(where: Place, thinks_ms: float) -> Iterator[tuple[int, int]]:
    """The ports of an upstream and of a server before it."""
    there, here = _free_port(), _free_port()
    given = {
        "THOTH_SERVER_PORT": str(here), "THOTH_PROXY_OPENAI_URL": f"http://127.0.0.1:{there}/v1", "THOTH_SUBSTRATE_RECALL": "1",
        "THOTH_LOG_LEVEL": "WARNING", "THOTH_RECALL_FLOOR_SHIFT": "-10", "THOTH_RECALL_DEADLINE_MS": "20000",
        "THOTH_RECALL_EMBED_BUDGET_MS": "10000",
    }  # fmt: skip
    environment = {**child_environment(where.settings(), where.dsn), **given}
    commands = [
        ([sys.executable, "-m", "bench.upstream", str(there), str(thinks_ms)], None),
        ([sys.executable, "-c", "from thoth_substrate.cli.main import main; main()", "serve"], environment),
    ]
    with contextlib.ExitStack() as processes:
        for command, env in commands:
            process = processes.enter_context(subprocess.Popen(command, env=env))
            processes.callback(process.terminate)
        _until_ready(here)
        yield there, here


def _until_ready(port: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return
        time.sleep(0.1)
    raise RuntimeError("the server did not become ready")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _filled(where: Place, slices: int, vectors: Path) -> Sequence[Query]:
    embedder = CachedEmbedder(vectors, LocalEmbedder())
    try:
        return (await Filler(where, embedder).fill(where.settings().tenant, slices)).queries
    finally:
        embedder.close()


def run(where: Place, slices: int, requests: int, thinks_ms: float, vectors: Path) -> dict[str, Any]:
    """All kinds of requests."""
    queries = asyncio.run(_filled(where, slices, vectors))
    runs = []
    with running(where, thinks_ms) as (there, here):
        direct, through = Client(there), Client(here)
        for recall in (False, True):
            for stream in (False, True):
                for long in (False, True):
                    kind = {"recall": recall, "stream": stream, "long": long}
                    runs.append(measured(direct, through, queries, requests, kind))
    for figures in runs:  # the server has ended: every recall is logged
        if figures["recall"]:
            figures.update(beside_embedding(where, figures))
        del figures["pairs"]
    return {
        "benchmark": "proxy", "slices": slices, "requests": requests, "upstream_thinks_ms": thinks_ms, "runs": runs,
        "machine": report.machine(where.version),
    }  # fmt: skip


def line(figures: dict[str, Any]) -> str:
    """One line for a person."""
    told = []
    for one in figures["runs"]:
        name = f"{'long' if one['long'] else 'short'} {'stream' if one['stream'] else 'plain'}"
        whole, first = one["overhead_ms"], one["overhead_first_byte_ms"]
        if one["recall"] and one["injected"]:
            whole, first = one["overhead_beside_embedding_ms"], one["overhead_first_byte_beside_embedding_ms"]
        byte = f"first byte +{first['p50']}, p10 +{first['p10']}"
        told.append(f"recall {'on' if one['recall'] else 'off'}, {name}: p50 +{whole['p50']} ({byte})")
    return f"proxy, ms beside upstream and embedding: {'; '.join(told)}; load {figures['machine']['load']}"


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dsn", help="a PostgreSQL whose user may create databases; none: an embedded one")
    parser.add_argument("--vectors", type=Path, default=report.RESULTS / "vectors.sqlite")
    parser.add_argument("--slices", type=int, default=10_000)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--thinks-ms", type=float, default=20.0)
    parser.add_argument("--name", default="proxy")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON too")
    given = parser.parse_args()
    with place(given.dsn) as where:
        figures = run(where, given.slices, given.requests, given.thinks_ms, given.vectors)
    if given.json:
        print(json.dumps(figures, indent=1))
    report.write(given.name, figures, line(figures))


if __name__ == "__main__":
    main()
