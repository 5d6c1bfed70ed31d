"""Every host: installing puts the entry there, again changes nothing, and removing gives back the file as it was."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integrations.install.conftest import Places
from thoth_substrate.errors import BadInput, UnreadableFile
from thoth_substrate.integrations.install.edits import BACKUP, difference, write
from thoth_substrate.integrations.install.hosts import HOSTS, Place, edits_for

ODD_JSON = '{\n\t"mcpServers": {"other":   {"command": "x", "args": ["é", "\\u00e9"]}},\n\t"theme": "dark", "n": 1.50\n}'
ODD_TOML = '# mine\nmodel = "o5"   # the good one\n\n[mcp_servers.other]\ncommand = "x"\n\n[tui]\ntheme = "dark"\n'
ODD_YAML = "# mine\nmodel: gpt   # good\nmemory:\n  # notes\n  memory_enabled: true\n\nagent:\n  provider: thoth-like\n"
FILES = {
    "claude-code": [".claude/settings.json", ".claude.json"],
    "claude-desktop": [".config/Claude/claude_desktop_config.json"],
    "cursor": [".cursor/mcp.json"],
    "codex": [".codex/config.toml"],
    "hermes": [".hermes/config.yaml"],
    "kiro": [".kiro/settings/mcp.json"],
}
ODD = {".json": ODD_JSON, ".toml": ODD_TOML, ".yaml": ODD_YAML}


def install(host: str, place: Place) -> list[Path]:
    edits = edits_for(host, place)
    for edit in edits:
        write(edit, removing=place.remove)
    return [edit.path for edit in edits]


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_without_configuration_is_left_as_it_was(host: str, place: Places) -> None:
    home = place().home
    assert install(host, place())
    assert edits_for(host, place()) == []
    install(host, place(remove=True))
    assert tree(home) == {}
    assert edits_for(host, place(remove=True)) == []


@pytest.mark.parametrize("host", HOSTS)
def test_a_file_in_an_odd_style_comes_back_byte_by_byte(host: str, place: Places) -> None:
    home = place().home
    for name in FILES[host]:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(ODD[Path(name).suffix].replace("\n", "\r\n" if name.endswith("json") else "\n").encode())
    before = tree(home)
    changed = install(host, place())
    assert {str(path.relative_to(home)) for path in changed} >= set(FILES[host])
    assert edits_for(host, place()) == []
    for name in FILES[host]:
        assert (home / f"{name}{BACKUP}").read_bytes() == before[name]
    install(host, place(remove=True))
    assert tree(home) == before


@pytest.mark.parametrize("host", HOSTS)
def test_what_was_added_since_stays_when_we_go(host: str, place: Places) -> None:
    home = place().home
    for name in FILES[host]:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(ODD[Path(name).suffix], encoding="utf-8")
    install(host, place())
    for name in FILES[host]:
        text = (home / name).read_text(encoding="utf-8")
        if name.endswith(".json"):
            (home / name).write_text(json.dumps(json.loads(text) | {"since": 1}), encoding="utf-8")
        else:
            (home / name).write_text(("since = 1\n" if name.endswith(".toml") else "since: 1\n") + text, encoding="utf-8")
    install(host, place(remove=True))
    for name in FILES[host]:
        text = (home / name).read_text(encoding="utf-8")
        assert parsed(name, text) == parsed(name, ODD[Path(name).suffix]) | {"since": 1}
        assert not (home / f"{name}{BACKUP}").exists()


def parsed(name: str, text: str) -> dict[str, Any]:
    found: dict[str, Any] = (
        json.loads(text) if name.endswith("json") else tomllib.loads(text) if name.endswith("toml") else yaml.safe_load(text)
    )
    return found


def test_an_entry_of_the_users_own_comes_back(place: Places) -> None:
    path = place().home / ".cursor/mcp.json"
    path.parent.mkdir()
    path.write_text('{"mcpServers": {"thoth": {"url": "http://elsewhere/mcp"}}}\n', encoding="utf-8")
    install("cursor", place())
    assert json.loads(path.read_text())["mcpServers"]["thoth"]["url"] == "http://127.0.0.1:8484/mcp"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"since": 1}), encoding="utf-8")
    install("cursor", place(remove=True))
    assert json.loads(path.read_text()) == {"mcpServers": {"thoth": {"url": "http://elsewhere/mcp"}}, "since": 1}


def test_another_memory_of_hermes_comes_back(place: Places) -> None:
    path = place().home / ".hermes/config.yaml"
    path.parent.mkdir()
    path.write_text("memory:\n    provider: mem0  # paid\n    memory_enabled: true\n", encoding="utf-8")
    install("hermes", place())
    assert yaml.safe_load(path.read_text()) == {"memory": {"provider": "thoth", "memory_enabled": True}}
    path.write_text(path.read_text() + "since: 1\n", encoding="utf-8")
    install("hermes", place(remove=True))
    assert yaml.safe_load(path.read_text()) == {"memory": {"provider": "mem0", "memory_enabled": True}, "since": 1}


@pytest.mark.parametrize(
    ("host", "name", "text"),
    [
        ("cursor", ".cursor/mcp.json", '{"mcpServers": {}, // mine\n}'),
        ("cursor", ".cursor/mcp.json", "[]"),
        ("cursor", ".cursor/mcp.json", '{"mcpServers": []}'),
        ("cursor", ".cursor/mcp.json", "\xff"),
        ("claude-code", ".claude/settings.json", '{"hooks": []}'),
        ("claude-code", ".claude/settings.json", '{"hooks": {"Stop": {}}}'),
        ("codex", ".codex/config.toml", "a = = b"),
        ("codex", ".codex/config.toml", "mcp_servers = 1"),
        ("hermes", ".hermes/config.yaml", "memory: [1]"),
        ("hermes", ".hermes/config.yaml", "memory: {memory_enabled: true}"),
        ("hermes", ".hermes/config.yaml", "- 1"),
        ("hermes", ".hermes/config.yaml", "a: 'b"),
    ],
)
def test_a_file_that_cannot_be_understood_is_left_alone(host: str, name: str, text: str, place: Places) -> None:
    path = place().home / name
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises((UnreadableFile, BadInput), match=str(path)):
        edits_for(host, place())
    assert path.read_bytes() == text.encode("latin-1")


def test_a_file_changed_meanwhile_is_left_alone(place: Places) -> None:
    path = place().home / ".cursor/mcp.json"
    edits = edits_for("cursor", place())
    path.parent.mkdir()
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(BadInput, match="meanwhile"):
        write(edits[0], removing=False)
    assert path.read_text() == "{}"


def test_the_hooks_of_others_stay_and_ours_follow_the_server(place: Places) -> None:
    path = place().home / ".claude/settings.json"
    path.parent.mkdir()
    theirs = {"matcher": "Bash", "hooks": [{"type": "command", "command": "lint"}]}
    path.write_text(json.dumps({"hooks": {"PostToolUse": [theirs]}, "model": "opus"}), encoding="utf-8")
    install("claude-code", place())
    install("claude-code", place(url="http://10.0.0.5:9000"))
    settings = json.loads(path.read_text())
    assert settings["hooks"]["PostToolUse"][0] == theirs
    assert [group["hooks"][0]["url"] for group in settings["hooks"]["PostToolUse"][1:]] == [
        "http://10.0.0.5:9000/hooks/claude-code"
    ]
    assert [len(groups) for event, groups in settings["hooks"].items() if event != "PostToolUse"] == [1] * 10
    assert "http://10.0.0.5:9000" in settings["hooks"]["SessionStart"][0]["hooks"][0]["command"]


def test_variables_of_the_hosts_say_where_they_are(place: Places, tmp_path: Path) -> None:
    said = {"CLAUDE_CONFIG_DIR": "cc", "CODEX_HOME": "cx", "HERMES_HOME": "hm", "XDG_CONFIG_HOME": "xdg"}
    there = place(variables={name: str(tmp_path / folder) for name, folder in said.items()})
    for host in ("claude-code", "codex", "hermes", "claude-desktop"):
        install(host, there)
    assert tree(there.home) == {}
    wanted = ("cc/settings.json", "cc/.claude.json", "cx/config.toml", "hm/config.yaml", "xdg/Claude/claude_desktop_config.json")
    assert [name for name in wanted if not (tmp_path / name).exists()] == []


@pytest.mark.parametrize(("platform", "name"), [
    ("darwin", "Library/Application Support/Claude/claude_desktop_config.json"),
    ("win32", "AppData/Roaming/Claude/claude_desktop_config.json"),
])  # fmt: skip
def test_claude_desktop_has_a_place_on_every_system(platform: str, name: str, place: Places) -> None:
    install("claude-desktop", place(platform=platform, given={"THOTH_TENANT": "maya"}))
    entry = json.loads((place().home / name).read_text())["mcpServers"]["thoth"]
    assert entry == {"command": "/opt/thoth/bin/thoth", "args": ["mcp"], "env": {"THOTH_TENANT": "maya"}}


@pytest.mark.parametrize("host", ["claude-code", "cursor", "codex", "kiro"])
def test_a_project_has_its_own(host: str, place: Places) -> None:
    there = place(scope="project", token=True)
    paths = install(host, there)
    assert tree(there.home) == {}
    assert [path for path in paths if not path.is_relative_to(there.project)] == []
    assert str(there.home) not in "".join(path.read_text() for path in paths)
    install(host, place(scope="project", token=True, remove=True))
    assert tree(there.project) == {}


@pytest.mark.parametrize(("host", "reference"), [
    ("claude-code", "${THOTH_TOKEN}"), ("cursor", "${env:THOTH_TOKEN}"), ("kiro", "${THOTH_TOKEN}"),
])  # fmt: skip
def test_a_token_is_referred_to_and_never_written(host: str, reference: str, place: Places) -> None:
    install(host, place(token=True))
    name = FILES[host][-1]
    assert json.loads((place().home / name).read_text())["mcpServers"]["thoth"]["headers"] == {"X-Thoth-Token": reference}


def test_the_difference_says_what_is_put_where(place: Places) -> None:
    there = place().home / ".codex/config.toml"
    there.parent.mkdir()
    there.write_text(ODD_TOML, encoding="utf-8")
    shown = difference(edits_for("codex", place(token=True))[0])
    added = {line for line in shown.splitlines() if line.startswith("+") and not line.startswith("+++")}
    assert {"+[mcp_servers.thoth]", '+url = "http://127.0.0.1:8484/mcp"', '+bearer_token_env_var = "THOTH_TOKEN"'} <= added
    assert not [line for line in shown.splitlines() if line.startswith("-") and not line.startswith("---")]


def test_a_host_or_a_scope_that_there_is_not_is_said(place: Places) -> None:
    with pytest.raises(BadInput, match="claude-code, claude-desktop"):
        edits_for("emacs", place())
    with pytest.raises(BadInput, match="no configuration of a project"):
        edits_for("hermes", place(scope="project"))


def test_a_link_to_the_file_stays_a_link(place: Places, tmp_path: Path) -> None:
    """People keep their configuration elsewhere and link to it."""
    kept = tmp_path / "dotfiles.json"
    kept.write_text("{}\n", encoding="utf-8")
    kept.chmod(0o600)
    path = place().home / ".cursor/mcp.json"
    path.parent.mkdir()
    path.symlink_to(kept)
    install("cursor", place())
    assert path.is_symlink()
    assert "thoth" in json.loads(kept.read_text())["mcpServers"]
    assert kept.stat().st_mode & 0o777 == 0o600
    install("cursor", place(remove=True))
    assert path.is_symlink()
    assert kept.read_text() == "{}\n"


def test_a_place_that_cannot_be_written_is_said(place: Places) -> None:
    (place().home / ".cursor").write_text("a file, where a folder is wanted", encoding="utf-8")
    with pytest.raises(BadInput, match=r"\.cursor/mcp\.json cannot be read"):
        edits_for("cursor", place())
    folder = place().home / ".codex"
    edits = edits_for("codex", place())
    folder.write_text("it came meanwhile", encoding="utf-8")
    with pytest.raises(BadInput, match=r"\.codex/config\.toml cannot be"):
        write(edits[0], removing=False)
