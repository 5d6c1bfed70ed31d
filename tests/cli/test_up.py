"""`thoth up` as an operator runs it."""

from __future__ import annotations

import itertools
import os
import re
import signal
import socket
import subprocess
from pathlib import Path
from typing import IO

import httpx2
import psycopg
import tenacity

from tests.cli.conftest import PROGRAM, environment, program


def test_it_says_what_runs_where_makes_things_searchable_and_stops_on_sigterm(
    dsn: str, tmp_path: Path, sql: psycopg.Connection
) -> None:
    """faults: SIGTERM in the middle of a tick"""
    secret = dsn.replace("//postgres@", "//postgres:s3cret@")
    env = environment(secret, tmp_path)
    with subprocess.Popen(
        [PROGRAM, "up"], env={"PATH": os.defpath, **env}, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as up:
        assert up.stderr is not None
        said = []
        for line in up.stderr:
            said.append(line.rstrip())
            if "Ctrl-C stops them" in line:
                break
        _eventually_alive(sql)
        served = _url(up.stderr, said)
        assert httpx2.get(f"{served}/healthz", trust_env=False).json() == {"status": "alive"}
        health = program("substrate", "health", "--json", env=env)
        up.send_signal(signal.SIGTERM)
        out, rest = up.communicate(timeout=120)
    assert (up.returncode, out) == (0, ""), rest
    assert rest.rstrip().endswith("Stopped.")
    assert said[0].startswith("thoth 0.")
    assert any("Recall is off" in line for line in said)
    assert "s3cret" not in "\n".join(said) + rest
    assert (health.code, health.json["well"]) == (0, True), health.out


def _url(stderr: IO[str], said: list[str]) -> str:
    """Where it serves, as it says."""
    for line in itertools.chain(said, stderr):
        if found := re.search(r"HTTP on (http://127\.0\.0\.1:\d+)", line):
            return found[1]
    raise AssertionError(said)


@tenacity.retry(stop=tenacity.stop_after_delay(60), wait=tenacity.wait_fixed(0.1), reraise=True)
def _eventually_alive(sql: psycopg.Connection) -> None:
    row = sql.execute("select heartbeat_at from thoth.substrate_agents where agent = 'sentinel'").fetchone()
    assert row is not None
    assert row[0] is not None


def test_a_port_that_is_taken_is_one_sentence(dsn: str, tmp_path: Path) -> None:
    """faults: boot with the port taken."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        env = environment(dsn, tmp_path) | {"THOTH_SERVER_PORT": str(taken.getsockname()[1])}
        ran = program("up", env=env)
    assert (ran.code, ran.out) == (1, ""), ran.err
    assert ran.err.count("set THOTH_SERVER_PORT") == 1
    assert "Traceback" not in ran.err


def test_it_watches_the_folders_that_the_settings_name(dsn: str, tmp_path: Path, sql: psycopg.Connection) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("The keys are with Amparo.")
    env = {"PATH": os.defpath, **environment(dsn, tmp_path / "home"), "THOTH_WATCH": str(notes)}
    with subprocess.Popen([PROGRAM, "up"], env=env, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as up:
        try:
            _eventually_found(sql, "amparo")
            (notes / "a.md").write_text("The keys are with Benita.")
            _eventually_found(sql, "benita")
            assert sql.execute(_FOUND, ["amparo"]).fetchone() == (0,)
            up.send_signal(signal.SIGTERM)
            _, said = up.communicate(timeout=120)
        finally:
            up.kill()
    assert up.returncode == 0, said
    assert f"Watched: {notes};" in said


_FOUND = b"select count(*) from thoth.substrate_passages where %s = any (terms)"


@tenacity.retry(stop=tenacity.stop_after_delay(90), wait=tenacity.wait_fixed(0.1), reraise=True)
def _eventually_found(sql: psycopg.Connection, term: str) -> None:
    assert sql.execute(_FOUND, [term]).fetchone() == (1,)
