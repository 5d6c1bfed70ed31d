"""The hosts whose configuration is written: where each keeps it, and what is put there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

import orjson

from thoth_substrate.errors import BadInput, UnreadableFile
from thoth_substrate.integrations.install.documents import Document, Keys, edit_json, edit_toml, put, take
from thoth_substrate.integrations.install.edits import Edit, read
from thoth_substrate.integrations.install.yaml_line import edit_yaml_line

ScopeName = Literal["user", "project"]
NAME = "thoth"
_INTEGRATIONS = Path(__file__).parents[1]
_PLUGIN = _INTEGRATIONS / "claude_code"
_HERMES = _INTEGRATIONS / "hermes"
HOOK_SCRIPT = "thoth_session.py"
HOOKS_PATH = "/hooks/claude-code"


@dataclass(frozen=True, slots=True)
class Place:
    """Where things are: the user's home, the project, what other programs' variables say, our program and server.

    `token`: one is configured, so hosts are told to present THOTH_TOKEN. `given`: settings that a program which does not
    see the shell's environment must be handed.
    """

    home: Path
    project: Path
    variables: Mapping[str, str]
    program: Path
    url: str
    token: bool
    scope: ScopeName = "user"
    remove: bool = False
    platform: str = sys.platform
    given: Mapping[str, str] = field(default_factory=dict)

    def folder(self, variable: str, default: str) -> Path:
        """The user's folder of a host: what its variable says, else its place below the home."""
        said = self.variables.get(variable, "").strip()
        return Path(said).expanduser() if said else self.home / default

    @property
    def base(self) -> Path:
        """What a host's dotted folder lies in."""
        return self.project if self.scope == "project" else self.home


@dataclass(frozen=True, slots=True)
class Host:
    """A host: what it is called, the edits of its files, what its user must know afterwards, and whether projects have own."""

    title: str
    edits: Callable[[Place], Iterable[Edit]]
    after: str
    projects: bool = True


def edits_for(name: str, place: Place) -> list[Edit]:
    """What installing into a host, or removing from it, would change; nothing is written. Raises BadInput."""
    host = HOSTS.get(name)
    if host is None:
        raise BadInput(f"There is no host {name!r} here: one of {', '.join(HOSTS)}.")
    if place.scope == "project" and not host.projects:
        raise BadInput(f"{host.title} has no configuration of a project: leave --scope out.")
    return [edit for edit in host.edits(place) if edit.changes]


def _entry(path: Path, keys: Keys, value: Any, place: Place) -> Edit:
    """One value of a JSON file."""
    return edit_json(path, lambda d: put(d, keys, value, path), lambda d, before: take(d, keys, before), remove=place.remove)


def _ours(path: Path, text: str, place: Place) -> Edit:
    """A file that only we write."""
    there = read(path)
    return Edit(path, there, None if place.remove else text, ours=True)


def _skills(folder: Path, place: Place) -> Iterator[Edit]:
    """The skills of the plugin, in a host's folder of them."""
    for skill in sorted(_PLUGIN.glob("skills/*/SKILL.md")):
        yield _ours(folder / skill.parent.name / skill.name, skill.read_text(encoding="utf-8"), place)


def _http(place: Place, reference: str) -> dict[str, Any]:
    """The MCP server as it is reached over HTTP; `reference` is how the host writes the variable THOTH_TOKEN."""
    entry: dict[str, Any] = {"url": f"{place.url}/mcp"}
    return entry | ({"headers": {"X-Thoth-Token": reference}} if place.token else {})


def _stdio(place: Place) -> dict[str, Any]:
    """The MCP server as a program that the host starts."""
    entry: dict[str, Any] = {"command": str(place.program), "args": ["mcp"]}
    return entry | ({"env": dict(place.given)} if place.given else {})


# ── Claude Code ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _claude_code(place: Place) -> Iterable[Edit]:
    folder = place.folder("CLAUDE_CONFIG_DIR", ".claude")
    servers = folder / ".claude.json" if place.variables.get("CLAUDE_CONFIG_DIR") else place.home / ".claude.json"
    if place.scope == "project":
        folder, servers = place.project / ".claude", place.project / ".mcp.json"
    script = folder / "hooks" / HOOK_SCRIPT
    hooks = claude_hooks(place, script)
    path = folder / "settings.json"
    yield edit_json(path, partial(_with_hooks, hooks, path), _without_hooks, remove=place.remove)
    yield _entry(servers, ("mcpServers", NAME), {"type": "http"} | _http(place, "${THOTH_TOKEN}"), place)
    yield _ours(script, (_PLUGIN / "hooks" / "session.py").read_text(encoding="utf-8"), place)
    yield from _skills(folder / "skills", place)


def claude_hooks(place: Place, script: Path) -> dict[str, Any]:
    """The plugin's hooks for this server: with its address, and the script where it was put."""
    told = f'"${{CLAUDE_PROJECT_DIR}}/.claude/hooks/{HOOK_SCRIPT}"' if place.scope == "project" else f'"{script}"'
    python = "python3" if place.scope == "project" else f'"{sys.executable}"'
    command = f"{python} {told} {place.url} || python3 {told} {place.url}"
    hooks: dict[str, Any] = orjson.loads((_PLUGIN / "hooks" / "hooks.json").read_bytes())["hooks"]
    for groups in hooks.values():
        for hook in (hook for group in groups for hook in group["hooks"]):
            hook.update({"command": command} if hook["type"] == "command" else {"url": f"{place.url}{HOOKS_PATH}"})
    return hooks


def _with_hooks(hooks: Mapping[str, Any], path: Path, document: Document) -> None:
    held = document.setdefault("hooks", {})
    if not isinstance(held, dict) or not all(isinstance(groups, list) for groups in held.values()):
        raise UnreadableFile(f"{path}: hooks are no lists by their events, which Claude Code would not take; correct it first.")
    if all(group in held.get(event, ()) for event, groups in hooks.items() for group in groups):
        return
    _strip(document)
    for event, groups in hooks.items():
        held.setdefault(event, []).extend(groups)


def _without_hooks(document: Document, before: Document) -> None:
    _strip(document)
    if document.get("hooks") == {} and "hooks" not in before:
        del document["hooks"]


def _strip(document: Document) -> None:
    """Take our groups out of the hooks; events that this leaves without any go."""
    hooks = document.get("hooks")
    if not isinstance(hooks, dict):
        return
    for event in [*hooks]:
        left = [group for group in hooks[event] if not _is_ours(group)]
        if len(left) != len(hooks[event]):
            hooks[event] = left
            if not left:
                del hooks[event]


def _is_ours(group: Any) -> bool:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    told = [str(hook.get("url") or hook.get("command") or "") for hook in hooks or () if isinstance(hook, dict)]
    return bool(told) and all(text.endswith(HOOKS_PATH) or HOOK_SCRIPT in text for text in told)


# ── The others ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _claude_desktop(place: Place) -> Iterable[Edit]:
    if place.platform == "darwin":
        folder = place.home / "Library" / "Application Support" / "Claude"
    elif place.platform == "win32":
        folder = place.folder("APPDATA", "AppData/Roaming") / "Claude"
    else:
        folder = place.folder("XDG_CONFIG_HOME", ".config") / "Claude"
    yield _entry(folder / "claude_desktop_config.json", ("mcpServers", NAME), _stdio(place), place)


def _cursor(place: Place) -> Iterable[Edit]:
    folder = place.base / ".cursor"
    yield _entry(folder / "mcp.json", ("mcpServers", NAME), _http(place, "${env:THOTH_TOKEN}"), place)
    yield from _skills(folder / "skills", place)


def _kiro(place: Place) -> Iterable[Edit]:
    folder = place.base / ".kiro"
    yield _entry(folder / "settings" / "mcp.json", ("mcpServers", NAME), _http(place, "${THOTH_TOKEN}"), place)
    yield from _skills(folder / "skills", place)


def _codex(place: Place) -> Iterable[Edit]:
    folder = place.project / ".codex" if place.scope == "project" else place.folder("CODEX_HOME", ".codex")
    path, keys = folder / "config.toml", ("mcp_servers", NAME)
    entry = {"url": f"{place.url}/mcp"} | ({"bearer_token_env_var": "THOTH_TOKEN"} if place.token else {})
    yield edit_toml(path, lambda d: put(d, keys, entry, path), lambda d, before: take(d, keys, before), remove=place.remove)
    yield from _skills(folder / "skills", place)


def _hermes(place: Place) -> Iterable[Edit]:
    folder = place.folder("HERMES_HOME", ".hermes")
    for packaged in sorted(_HERMES.iterdir()):
        if packaged.suffix in (".py", ".yaml", ".md"):
            yield _ours(folder / "plugins" / NAME / packaged.name, packaged.read_text(encoding="utf-8"), place)
    yield edit_yaml_line(folder / "config.yaml", "memory", "provider", NAME, remove=place.remove)


HOSTS: Mapping[str, Host] = {
    "claude-code": Host("Claude Code", _claude_code, "Start Claude Code anew; /hooks and /mcp there show what was added."),
    "claude-desktop": Host(
        "Claude Desktop",
        _claude_desktop,
        "Quit Claude Desktop and start it again. It does not see your shell's environment: settings such as DATABASE_URL"
        " belong into ~/.thoth/.env.",
        projects=False,
    ),
    "cursor": Host("Cursor", _cursor, "Switch the server on in Cursor's settings, under MCP."),
    "codex": Host("Codex", _codex, "Start Codex anew; `codex mcp list` shows the server."),
    "hermes": Host("Hermes", _hermes, "Start Hermes anew; `hermes memory status` shows the provider.", projects=False),
    "kiro": Host("Kiro", _kiro, "Kiro connects by itself; its MCP view shows the server."),
}
