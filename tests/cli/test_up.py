"""`thoth up` as an operator runs it."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

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
        health = program("substrate", "health", "--json", env=env)
        up.send_signal(signal.SIGTERM)
        out, rest = up.communicate(timeout=60)
    assert (up.returncode, out) == (0, ""), rest
    assert rest.rstrip().endswith("Stopped.")
    assert said[0].startswith("thoth 0.")
    assert any("Recall is off" in line for line in said)
    assert "s3cret" not in "\n".join(said) + rest
    assert (health.code, health.json["well"]) == (0, True), health.out


@tenacity.retry(stop=tenacity.stop_after_delay(60), wait=tenacity.wait_fixed(0.1), reraise=True)
def _eventually_alive(sql: psycopg.Connection) -> None:
    row = sql.execute("select heartbeat_at from thoth.substrate_agents where agent = 'sentinel'").fetchone()
    assert row is not None
    assert row[0] is not None
