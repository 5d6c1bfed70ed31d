"""`thoth up`: everything in the foreground, from the server to the workers, and back again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
import tenacity

from thoth_substrate.db.embedded import EmbeddedServer

SCRIPT = """
import sys
from thoth_substrate import boot, settings
from thoth_substrate.errors import ThothError
try:
    boot.run_up(settings.load(THOTH_EMBED_PROVIDER="none"), lambda sentence: print(sentence, flush=True))
except ThothError as error:
    print(error, flush=True)
    sys.exit(error.exit_code)
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_says_what_runs_and_stops_cleanly(home: Path, how: signal.Signals) -> None:
    """faults: SIGTERM; stopped cleanly."""
    with _up(home) as process:
        said = _until_running(process)
        assert any(line.startswith("PostgreSQL 18") and line.endswith("server.log.") for line in said), said
        assert "Workers: sentinel, embedder, curator, force_reject, partitions. Ctrl-C stops them." in said
        assert (home / "pg" / "data" / "postmaster.pid").exists()
        process.send_signal(how)
        rest, _ = process.communicate(timeout=120)
    assert process.returncode == 0, rest
    assert not (home / "pg" / "data" / "postmaster.pid").exists()


def test_an_embedded_server_that_is_killed_beneath_it_comes_back(home: Path) -> None:
    with _up(home) as process:
        _until_running(process)
        before = _postmaster(home)
        os.kill(before, signal.SIGKILL)
        _eventually_another(home, before)
        with EmbeddedServer(home) as server, psycopg.connect(server.dsn) as connection:
            assert connection.execute("select count(*) from thoth.substrate_streams").fetchone()
        process.terminate()
        rest, _ = process.communicate(timeout=120)
    assert process.returncode == 0, rest


def test_two_of_them_share_the_server_and_the_second_goes_on_alone(home: Path) -> None:
    """faults: two workers started by accident."""
    with _up(home) as one, _up(home) as two:
        _until_running(one)
        _until_running(two)
        before = _postmaster(home)
        one.terminate()
        one.communicate(timeout=120)
        assert (one.returncode, _postmaster(home)) == (0, before)
        two.terminate()
        two.communicate(timeout=120)
    assert two.returncode == 0
    assert not (home / "pg" / "data" / "postmaster.pid").exists()


def test_a_database_that_is_away_is_one_sentence_and_exit_3(tmp_path: Path) -> None:
    with _up(tmp_path, THOTH_PG_DSN="postgresql://nobody@127.0.0.1:1/nothing") as process:
        said, _ = process.communicate(timeout=120)
    assert process.returncode == 3
    assert said.startswith("No PostgreSQL can be used at the configured address")
    assert len(said.splitlines()) == 1


@contextmanager
def _up(home: Path, **more: str) -> Iterator[subprocess.Popen[str]]:
    environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "THOTH_PG_DSN")}
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT], env={**environment, "THOTH_HOME": str(home), **more}, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.terminate()


def _until_running(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line.strip())
        if line.startswith("Workers:"):
            return said
    raise AssertionError(f"it ended: {said}")


def _postmaster(home: Path) -> int:
    return int((home / "pg" / "data" / "postmaster.pid").read_text().split()[0])


@tenacity.retry(stop=tenacity.stop_after_delay(60), wait=tenacity.wait_fixed(0.1), reraise=True)
def _eventually_another(home: Path, before: int) -> None:
    assert _postmaster(home) != before
