"""How many recalls a second does the HTTP server answer, and how fast? `wrk` against `thoth serve`, as anybody may run them.

    python -m bench.http_recall [--dsn DSN] [--vectors FILE] [--slices 100000] [--connections 16] [--seconds 30]

The server is a process of its own with the settings as installed: default deadline, local embedder, recalls logged and
reinforced. `keyword` is the same without an embedder, so that the difference is what embedding the question costs;
`nothing` asks for what is trivial, which is what HTTP itself costs. `patient` asks with a deadline far away, one by one and
together, and tells the processor time of a recall, whatever else the machine does. wrk must be installed (Debian: apt install
wrk).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from bench import report
from bench.place import Place, place
from bench.recall_speed import BIG
from bench.synthetic import Filler, Query
from bench.vectors import CachedEmbedder
from thoth_substrate.embed.local import LocalEmbedder
from thoth_substrate.settings import load

SCRIPT = Path(__file__).with_name("wrk_recall.lua")
WARM_S = 5
PATIENT_MS = 20_000
WAYS: dict[str, dict[str, str]] = {
    "as installed": {}, "keyword": {"THOTH_EMBED_PROVIDER": "none"}, "nothing": {"THOTH_EMBED_PROVIDER": "none"}
}  # fmt: skip


@contextmanager
def serving(where: Place, given: dict[str, str]) -> Iterator[tuple[str, int]]:
    """`thoth serve` on a free port; its URL and pid once it is ready."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    environment = {
        **os.environ, "THOTH_HOME": str(where.home), "THOTH_PG_DSN": where.dsn, "THOTH_SERVER_PORT": str(port),
        "THOTH_AUTO_MIGRATE": "0", "THOTH_LOG_LEVEL": "WARNING", **given,
    }  # fmt: skip
    command = [sys.executable, "-c", "from thoth_substrate.cli.main import main; main(['serve'])"]
    server = subprocess.Popen(command, env=environment)
    try:
        url = f"http://127.0.0.1:{port}"
        until = time.monotonic() + 120
        while not _is_ready(url):
            if time.monotonic() > until or server.poll() is not None:
                raise RuntimeError("the server does not become ready")
            time.sleep(0.2)
        yield url, server.pid
    finally:
        server.terminate()
        server.wait(30)


def _is_ready(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/readyz", trust_env=False).status_code == 200
    except httpx2.TransportError:
        return False


def bodies(queries: Sequence[Query], **more: Any) -> str:
    """The requests' bodies, one a line."""
    return "".join(json.dumps({"query": query.text, **more}) + "\n" for query in queries)


def cpu_s(pid: int, seen: frozenset[int] = frozenset()) -> float:
    """Processor time of a process and of all beneath it, those that ended before it looked not counted, s."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    children = [int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()]
    return own + sum(cpu_s(child, seen | {pid}) for child in children if child not in seen)


def patient(url: str, queries: Sequence[Query], server: int, where: Place, many: int, seconds: int) -> dict[str, Any]:
    """Recalls, so many at once, that may take as long as they like, and the processor time of each."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as questions:
        questions.write(bodies(queries, deadline_ms=PATIENT_MS))
        questions.flush()
        before = cpu_s(server), cpu_s(where.postmaster) if where.postmaster else 0.0
        told = wrk(url, Path(questions.name), many, seconds, PATIENT_MS)
        after = cpu_s(server), cpu_s(where.postmaster) if where.postmaster else 0.0
    spent = [round((now - then) / told["requests"] * 1000, 2) for now, then in zip(after, before, strict=True)]
    return {**told, "server_cpu_ms": spent[0], "database_cpu_ms": spent[1] if where.postmaster else None}


def wrk(url: str, questions: Path, connections: int, seconds: int, deadline_ms: int) -> dict[str, Any]:
    """One run of wrk, as its script tells it."""
    command = [
        "wrk",
        "-t1",
        f"-c{connections}",
        f"-d{seconds}s",
        "--timeout",
        "30s",
        "-s",
        str(SCRIPT),
        url,
        "--",
        str(questions),
        BIG,
    ]
    environment = {**os.environ, "WRK_DEADLINE_US": str(deadline_ms * 1000)}
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    return dict(json.loads(told.split("FIGURES ", 1)[1].splitlines()[0]))


def measure(where: Place, queries: Sequence[Query], given: argparse.Namespace) -> dict[str, Any]:
    """Every way, each with a server of its own that has been asked for some seconds before."""
    deadline_ms = load(THOTH_HOME=where.home).recall_deadline_ms
    figures: dict[str, Any] = {"deadline_ms": deadline_ms, "connections": given.connections}
    for way, settings in WAYS.items():
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as questions:
            questions.write(bodies(queries, **({"query": "ok"} if way == "nothing" else {})))
            questions.flush()
            with serving(where, settings) as (url, server):
                wrk(url, Path(questions.name), given.connections, WARM_S, deadline_ms)
                few, seconds = max(given.seconds // 3, 1), given.seconds
                figures[way] = {
                    "one": wrk(url, Path(questions.name), 1, few, deadline_ms),
                    "together": wrk(url, Path(questions.name), given.connections, seconds, deadline_ms),
                }
                if way != "nothing":
                    figures[way]["patient one"] = patient(url, queries, server, where, 1, few)
                    figures[way]["patient together"] = patient(url, queries, server, where, given.connections, seconds)
    return figures


async def filled(where: Place, slices: int, vectors: Path) -> Sequence[Query]:
    """A tenant of so many slices, and questions about it."""
    embedder = CachedEmbedder(vectors, LocalEmbedder())
    try:
        return (await Filler(where, embedder).fill(BIG, slices)).queries
    finally:
        embedder.close()


def line(figures: dict[str, Any]) -> str:
    """The figures for a person."""
    told = []
    for way in WAYS:
        many = figures[way]["together"]
        told.append(
            f"{way}: {many['per_s']:.0f}/s, p50 {many['p50_ms']:.0f} p99 {many['p99_ms']:.0f} ms, {many['above_deadline']} of"
            f" {many['requests']} above {figures['deadline_ms']} ms, {many['late']} late, {many['partial']} partial,"
            f" {many['wrong'] + many['errors']} wrong" + _patiently(figures[way].get("patient together"))
        )
    return f"http-recall at {figures['slices']:,} slices, {figures['connections']} connections: " + "; ".join(told)


def _patiently(found: dict[str, Any] | None) -> str:
    if found is None:
        return ""
    cpu = f"{found['server_cpu_ms']} + {found['database_cpu_ms']} ms of a core"
    return f", with time {found['per_s']}/s, p50 {found['p50_ms']} p99 {found['p99_ms']} ms, {cpu}"


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dsn", help="a PostgreSQL whose superuser this is; none: an embedded one")
    parser.add_argument("--vectors", type=Path, default=report.RESULTS / "vectors.sqlite")
    parser.add_argument("--slices", type=int, default=100_000)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--name", default="http-recall")
    given = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("wrk is not installed: apt install wrk")
    with place(given.dsn) as where:
        queries = asyncio.run(filled(where, given.slices, given.vectors))
        figures = {"benchmark": "http-recall", "slices": given.slices, **measure(where, queries, given)}
        figures["machine"] = report.machine(where.version)
    report.write(given.name, figures, line(figures))


if __name__ == "__main__":
    main()
