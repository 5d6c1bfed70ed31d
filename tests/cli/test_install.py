"""`thoth install`: shows, asks, writes, takes back."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import PROGRAM, Thoth


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of somebody whose hosts keep their configuration where they usually do."""
    home = tmp_path / "user"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home)
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "HERMES_HOME", "XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    return home


def test_the_difference_is_shown_and_nothing_written_by_a_dry_run(thoth: Thoth, user: Path) -> None:
    ran = thoth("install", "cursor", "--dry-run")
    assert '+    "thoth": {' in ran.err
    assert f"would be written: {user / '.cursor/mcp.json'}" in ran.out
    assert list(user.iterdir()) == []


def test_nobody_to_ask_means_no(thoth: Thoth, user: Path) -> None:
    ran = thoth("install", "cursor", expect=2)
    assert "--yes" in ran.err
    assert list(user.iterdir()) == []


def test_installed_and_taken_back_by_yes(thoth: Thoth, user: Path) -> None:
    env = {"THOTH_URL": "http://127.0.0.1:9999/", "THOTH_TOKEN": "thoth_secret"}
    ran = thoth("install", "codex", "--yes", "--json", env=env)
    config = user / ".codex/config.toml"
    assert ran.json["files"][0] == {"path": str(config), "did": "written"}
    assert 'url = "http://127.0.0.1:9999/mcp"' in config.read_text()
    assert "thoth_secret" not in config.read_text()
    again = thoth("install", "codex", "--yes", env=env)
    assert "Nothing to do: Codex is set up already." in again.out
    thoth("install", "codex", "--remove", "--yes", env=env)
    assert [path for path in user.rglob("*") if path.is_file()] == []
    assert "has nothing of Thoth" in thoth("install", "codex", "--remove", "--yes", env=env).out


def test_a_host_of_this_tenant_and_home_is_told_so(thoth: Thoth, user: Path, tmp_path: Path) -> None:
    thoth("--tenant", "maya", "install", "claude-desktop", "--yes")
    entry = json.loads((user / ".config/Claude/claude_desktop_config.json").read_text())["mcpServers"]["thoth"]
    assert entry["env"] == {"THOTH_TENANT": "maya", "THOTH_HOME": str(tmp_path / "home")}
    assert Path(entry["command"]).is_absolute()


def test_a_scope_or_a_host_that_there_is_not_is_misuse(thoth: Thoth, user: Path) -> None:
    assert "user or project" in thoth("install", "cursor", "--scope", "world", expect=2).err
    assert "One of" not in thoth("install", "emacs", expect=2).err
    assert list(user.iterdir()) == []


@pytest.mark.parametrize(("answer", "code"), [("n", 1), ("y", 0)])
def test_somebody_at_a_terminal_is_asked(answer: str, code: int, user: Path) -> None:
    ours, theirs = pty.openpty()
    try:
        os.write(ours, f"{answer}\n".encode())
        ran = subprocess.run(
            [PROGRAM, "install", "codex"], stdin=theirs, capture_output=True, text=True, timeout=120, check=False,
            env={"PATH": os.defpath, "HOME": str(user), "THOTH_HOME": str(user / "thoth")},
        )  # fmt: skip
    finally:
        os.close(ours)
        os.close(theirs)
    assert (ran.returncode, (user / ".codex/config.toml").exists()) == (code, code == 0), ran.stderr
    assert "+[mcp_servers.thoth]" in ran.stderr
    assert "Write this?" in ran.stderr
    assert ("Nothing was written." in ran.stderr) is (code == 1)
