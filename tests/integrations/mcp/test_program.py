"""`thoth mcp` as a host starts it: its output is the protocol's alone, and it ends as it is told."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import httpx2

from tests.cli.conftest import environment
from tests.integrations.mcp.conftest import PROGRAM

HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}  # fmt: skip
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def started(dsn: str, home: Path, *words: str, **variables: str) -> subprocess.Popen[str]:
    """The program, with what it says at the end of pipes."""
    env = {"PATH": os.defpath, **environment(dsn, home), **variables}
    pipe = subprocess.PIPE
    return subprocess.Popen([PROGRAM, "mcp", *words], env=env, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def written(*messages: dict[str, Any]) -> str:
    return "".join(json.dumps(message) + "\n" for message in messages)


def calling(tool: str, number: int, **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def test_nothing_but_the_protocol_is_written_to_the_output(dsn: str, tmp_path: Path) -> None:
    with started(dsn, tmp_path, THOTH_LOG_LEVEL="DEBUG") as program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write(written(HELLO, READY, calling("remember", 2, text="Größe"), calling("get_memory", 3, id="nonsense!")))
        program.stdin.write("this is no message\n")
        program.stdin.flush()
        answers = [json.loads(next(program.stdout)) for _ in range(3)]
        rest, said = program.communicate(timeout=120)
    assert all(answer["jsonrpc"] == "2.0" for answer in [*answers, *map(json.loads, rest.splitlines())])
    assert {1, 2, 3} <= {answer.get("id") for answer in [*answers, *map(json.loads, rest.splitlines())]}
    assert (program.returncode, "Traceback" in said) == (0, False), said


def test_it_answers_at_once_and_ends_in_order_on_a_signal(tmp_path: Path) -> None:
    """faults: SIGTERM; PostgreSQL is away at boot."""
    with started("postgresql://nobody@127.0.0.1:9/none", tmp_path) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write(written(HELLO, READY, calling("remember", 2, text="kept all the same")))
        program.stdin.flush()
        assert json.loads(next(program.stdout))["result"]["serverInfo"]["name"] == "thoth"
        assert json.loads(next(program.stdout))["result"]["structuredContent"]["stored"] is False
        program.send_signal(signal.SIGTERM)
        assert program.wait(timeout=120) == 0
        assert program.stderr is not None
        assert "Traceback" not in program.stderr.read()


def test_over_http_it_is_the_server(dsn: str, tmp_path: Path) -> None:
    with started(dsn, tmp_path, "--http", THOTH_SERVER_PORT="0") as program:
        assert program.stderr is not None
        said: list[str] = []
        for line in itertools.chain(program.stderr):
            said.append(line)
            if found := re.search(r"HTTP on (http://127\.0\.0\.1:\d+)", line):
                break
        else:
            raise AssertionError(said)
        headers = {"accept": "application/json, text/event-stream"}
        answer = httpx2.post(f"{found[1]}/mcp", json=HELLO, headers=headers, trust_env=False, timeout=60)
        assert answer.json()["result"]["serverInfo"]["name"] == "thoth"
        program.send_signal(signal.SIGTERM)
        program.communicate(timeout=120)
    assert program.returncode == 0
