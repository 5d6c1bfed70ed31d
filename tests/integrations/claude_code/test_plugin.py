"""The plugin as Claude Code finds it: its files are what it takes, and its one script keeps its time."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tenacity

from tests.integrations.claude_code.recorded import EVENTS
from tests.integrations.hosted import going_on
from tests.server.serving import Served
from thoth_substrate.integrations import claude_code
from thoth_substrate.integrations.claude_code.endpoint import PATH
from thoth_substrate.integrations.claude_code.payloads import KEPT
from thoth_substrate.settings import load

PLUGIN = Path(claude_code.__file__).parent
ROOT = PLUGIN.parents[2]
SCRIPT = PLUGIN / "hooks/session.py"
HOST_WAITS_S = 2.0
PYTHON_STARTS_S = 8.0  # on a machine that is busy
# What Claude Code knows of; http hooks are not run at the first two, and the third's answer would be taken for a folder.
EVENTS_OF_THE_HOST = frozenset((
    "SessionStart", "Setup", "WorktreeCreate", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification",
    "UserPromptSubmit", "UserPromptExpansion", "SessionEnd", "Stop", "StopFailure", "SubagentStart", "SubagentStop", "PreCompact",
    "PostCompact", "PermissionRequest", "PermissionDenied", "TeammateIdle", "TaskCreated", "TaskCompleted", "Elicitation",
    "ElicitationResult", "ConfigChange", "WorktreeRemove", "InstructionsLoaded", "CwdChanged", "FileChanged", "MessageDisplay",
))  # fmt: skip


def written(name: str) -> Any:
    return json.loads((PLUGIN / name).read_text(encoding="utf-8"))


def run(
    *words: str, sent: bytes = b"{}", script: Path = SCRIPT, **variables: str
) -> tuple[subprocess.CompletedProcess[bytes], float]:
    """Run the script as the host does: isolated from our packages, by a plain Python."""
    environment = {"PATH": os.environ["PATH"]} | variables
    began = time.monotonic()
    ran = subprocess.run(
        [sys.executable, "-I", str(script), *words], input=sent, env=environment, capture_output=True, timeout=60, check=True
    )
    return ran, time.monotonic() - began


def test_hooks_go_to_the_server_and_only_sessions_begin_and_end_by_a_command() -> None:
    hooks = written("hooks/hooks.json")["hooks"]
    assert set(hooks) <= EVENTS_OF_THE_HOST
    for event, groups in hooks.items():
        (hook,) = [hook for group in groups for hook in group["hooks"]]
        assert hook["timeout"] == HOST_WAITS_S
        if event in ("SessionStart", "SessionEnd"):
            assert hook["type"] == "command"
            assert '"${CLAUDE_PLUGIN_ROOT}/hooks/session.py"' in hook["command"]
        else:
            assert (hook["type"], hook["url"]) == ("http", load().url + PATH)
            assert hook["allowedEnvVars"] == ["THOTH_TOKEN"]
            assert hook["headers"]["X-Thoth-Token"] == "$THOTH_TOKEN"


def test_every_event_that_is_perceived_is_known_to_the_host() -> None:
    assert set(KEPT) <= EVENTS_OF_THE_HOST


def test_the_manifests_name_each_other() -> None:
    market = json.loads((ROOT / ".claude-plugin/marketplace.json").read_text(encoding="utf-8"))
    (listed,) = market["plugins"]
    assert (ROOT / listed["source"]).resolve() == PLUGIN
    manifest = written(".claude-plugin/plugin.json")
    assert listed["name"] == manifest["name"] == "thoth"
    assert written(".mcp.json")["mcpServers"]["thoth"]["url"] == f"${{THOTH_URL:-{load().url}}}/mcp"


def test_a_session_begins_with_what_is_going_on_or_with_nothing(served: Served) -> None:
    sent = json.dumps(EVENTS["session start"]).encode()
    ran, _ = run(served.url, sent=sent)
    assert (ran.stdout, ran.stderr) == (b"", b"")
    going_on(served, "größe", "staging")
    for words, address in (((served.url,), ""), ((), f"{served.url}/")):
        told = _told(sent, *words, THOTH_URL=address)
        assert told["hookEventName"] == "SessionStart"
        assert "größe" in told["additionalContext"]


@tenacity.retry(stop=tenacity.stop_after_delay(60), wait=tenacity.wait_fixed(0.1), reraise=True)
def _told(sent: bytes, *words: str, THOTH_URL: str) -> Mapping[str, Any]:
    """What a session begins with; asked again where a busy machine was too late."""
    ran, _ = run(*words, sent=sent, THOTH_URL=THOTH_URL)
    assert ran.stdout
    assert ran.stderr == b""
    told: Mapping[str, Any] = json.loads(ran.stdout)["hookSpecificOutput"]
    return told


def test_the_script_runs_from_a_folder_with_a_blank_in_its_name(tmp_path: Path, served: Served) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    shutil.copy(SCRIPT, folder)
    ran, _ = run(script=folder / SCRIPT.name, sent=json.dumps(EVENTS["session start"]).encode(), THOTH_URL=served.url)
    assert (ran.stdout, ran.stderr) == (b"", b"")


def test_with_no_server_the_script_is_silent_at_once() -> None:
    ran, took_s = run("http://127.0.0.1:9")
    assert (ran.stdout, ran.stderr) == (b"", b"")
    assert took_s < HOST_WAITS_S + PYTHON_STARTS_S


def test_with_a_server_that_says_nothing_the_script_ends_in_its_time() -> None:
    """faults: a hook that must answer in 2 s with the server gone."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        ran, took_s = run(f"http://127.0.0.1:{silent.getsockname()[1]}")
    assert (ran.stdout, ran.stderr) == (b"", b"")
    assert took_s < HOST_WAITS_S + PYTHON_STARTS_S
