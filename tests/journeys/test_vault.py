"""A small vault through its days: edited, moved, deleted and replaced while it is watched, and the watcher killed twice."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tests.cli.conftest import PROGRAM, environment, program
from tests.watch.generated import Generated, answering

NOTES, PDFS, CHANGES = 40, 3, 20
PATIENCE_LOOKS = 1200  # of a twentieth of a second


@contextmanager
def watching(root: Path, env: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """`thoth watch`, following."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("THOTH_", "OPENAI_", "DATABASE_URL"))}
    with subprocess.Popen(
        [PROGRAM, "watch", str(root)], env={**bare, **env}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def until(sql: psycopg.Connection, question: str, least: int) -> None:
    """Wait until the answer is at least so many."""
    for _ in range(PATIENCE_LOOKS):
        row = sql.execute(question.encode()).fetchone()
        if row is not None and row[0] >= least:
            return
        sql.execute("select pg_sleep(0.05)")
    raise AssertionError(f"{question} stayed under {least}")


def test_a_vault_answers_with_its_live_versions_once_each_whatever_befalls_it(
    dsn: str, sql: psycopg.Connection, tmp_path: Path
) -> None:
    """Show 1 of issue 5, small; `python -m bench.vault` is the whole of it."""
    env = {**environment(dsn, tmp_path / "home"), "THOTH_WATCH_QUICK_S": "2"}
    vault = Generated(tmp_path / "vault")
    vault.make(NOTES, PDFS)
    with watching(vault.root, env) as process:
        until(sql, "select count(*) from thoth.substrate_files where state = 'live'", NOTES // 3)
        process.kill()  # in the middle of the first look
    with watching(vault.root, env) as process:
        until(sql, "select count(*) from thoth.substrate_files where state = 'live'", NOTES + PDFS)
        vault.befall(CHANGES)
        until(sql, "select count(*) from thoth.substrate_files where version > 1", 1)
        process.send_signal(signal.SIGKILL)
    vault.befall(CHANGES // 3)  # while nobody looks
    ran = program("watch", str(vault.root), "--once", "--full", "--json", env=env)
    assert ran.code == 0, ran.err
    found, wanted = answering(sql, vault)
    assert found == wanted
    assert {(folder["live"], folder["failed"]) for folder in ran.json["folders"]} == {(len(vault.now), 0)}
