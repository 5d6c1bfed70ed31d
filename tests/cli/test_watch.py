"""`thoth watch`: taking in what is there, listing what waits or failed, and letting go of a folder."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import psycopg

from tests.cli.conftest import PROGRAM, Thoth, environment


def put(root: Path, **files: str | bytes) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (root / name.replace("_", ".")).write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def test_a_folder_is_taken_in_once_and_found(thoth: Thoth, tmp_path: Path) -> None:
    root = put(tmp_path / "notes", a_md="# Keys\nThey are with Amparo.", b_bin=b"\x7fELF\0\0\0\0\0", c_png=b"\x89PNG\r\n\x1a\n")
    first = thoth("watch", str(root), "--once", "--json").json
    assert first["taken"] == 2
    (folder,) = first["folders"]
    assert (folder["live"], folder["waiting"], folder["skipped"], folder["slices"]) == (1, 1, 1, 1)
    assert [(file["path"], file["state"]) for file in first["files"]] == [("c.png", "queued"), ("b.bin", "skipped")]
    assert "THOTH_AUX_MODEL_WATCHER" in first["files"][0]["error"]
    assert thoth("watch", str(root), "--once", "--json").json["taken"] == 0
    assert "Amparo" in thoth("recall", "who has the keys?").out
    listed = thoth("watch", "--list").out
    assert str(root) in listed
    assert "skipped: b.bin (a binary file)" in listed


def test_the_settings_name_the_folders_and_what_is_passed_over(thoth: Thoth, tmp_path: Path) -> None:
    one, two = put(tmp_path / "one", a_md="alpha", b_txt="beta"), put(tmp_path / "two", c_md="gamma")
    done = thoth(
        "watch", "--once", "--json", env={"THOTH_WATCH": f"{one}{os.pathsep}{two}", "THOTH_WATCH_EXCLUDE": "*.txt, *.log",
                                          "THOTH_WATCH_FILE_MAX_BYTES": "100"},
    ).json  # fmt: skip
    assert {folder["root"]: folder["live"] for folder in done["folders"]} == {str(one): 1, str(two): 1}
    put(two, big_md="x" * 200)
    (file,) = thoth("watch", "--once", "--json").json["files"]
    assert (file["state"], file["error"]) == ("skipped", "larger than 100 bytes (THOTH_WATCH_FILE_MAX_BYTES)")


def test_a_folder_is_let_go_of_with_what_came_from_it(thoth: Thoth, tmp_path: Path) -> None:
    root = put(tmp_path / "notes", a_md="The keys are with Amparo.")
    thoth("watch", str(root), "--once")
    (root / "a.md").unlink()
    warned = thoth("watch", str(root), "--once", "--json", expect=1).json
    assert "empty" in warned["warnings"][0]
    assert warned["folders"][0]["live"] == 1
    dropped = thoth("watch", "--drop", str(root), "--json").json
    assert (dropped["retired"], dropped["folders"]) == (1, [])
    assert "No folder is watched" in thoth("watch", "--list").out


def test_misuse_is_a_sentence(thoth: Thoth, tmp_path: Path) -> None:
    assert "Say which folder" in thoth("watch", "--once", expect=2).err
    assert "is no folder" in thoth("watch", str(tmp_path / "nothing"), "--once", expect=2).err


def test_it_follows_until_it_is_told_to_stop(dsn: str, sql: psycopg.Connection, tmp_path: Path) -> None:
    root = put(tmp_path / "notes", a_md="alpha")
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("THOTH_", "OPENAI_", "DATABASE_URL"))}
    env = {**bare, **environment(dsn, tmp_path / "home"), "THOTH_WATCH_QUICK_S": "1"}
    with subprocess.Popen([PROGRAM, "watch", str(root)], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        try:
            _until(sql, "select count(*) from thoth.substrate_files where state = 'live'", 1)
            put(root, b_md="beta")
            _until(sql, "select count(*) from thoth.substrate_files where state = 'live'", 2)
            _until(sql, "select count(*) from thoth.substrate_passages", 2)
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0, said.decode()
    assert "Stopped." in said.decode()
    assert sql.execute("select count(*) from thoth.substrate_agents where agent = 'watcher'").fetchone() == (1,)


def _until(sql: psycopg.Connection, question: str, least: int) -> None:
    for _ in range(1200):
        row = sql.execute(question.encode()).fetchone()
        if row is not None and row[0] >= least:
            return
        sql.execute("select pg_sleep(0.05)")
    raise AssertionError(f"{question} stayed under {least}")
