"""Thoth as Hermes' memory provider. This folder is a Hermes plugin as it stands: copy or link it to `~/.hermes/plugins/thoth`.

Thin on purpose: what it does stands in `thoth_substrate.integrations.hermes_memory`, which is imported when Hermes starts it, so
that Hermes can list the plugin where Thoth is not installed.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thoth_substrate.integrations.hermes_memory import HermesMemory

    MemoryProvider = object
else:
    try:
        from agent.memory_provider import MemoryProvider
    except ImportError:  # read outside of Hermes
        MemoryProvider = object

CONFIG = "thoth.json"
_HOW = (
    "Long-term memory (Thoth) runs beneath this conversation: what bears on a message is quoted with it. Use thoth_recall when"
    " that does not answer a question about the past, thoth_remember for what must not be lost, thoth_forget when asked to."
)


def _tool(name: str, description: str, required: str, meaning: str, **more: dict[str, Any]) -> dict[str, Any]:
    properties = {required: {"type": "string", "description": meaning}, **more}
    return {
        "name": f"thoth_{name}", "description": description,
        "parameters": {"type": "object", "properties": properties, "required": [required]},
    }  # fmt: skip


TOOLS = [
    _tool(
        "recall", "Search long-term memory; answers memories with their ids, or why there are none.", "query", "What to look for",
        budget_tokens={"type": "integer", "description": "Longest answer in tokens", "minimum": 50, "maximum": 8000},
    ),
    _tool("remember", "Keep a note in long-term memory.", "content", "What to remember, as a sentence that stands by itself"),
    _tool("forget", "Forget a memory: it is found no more from now on.", "id", "The memory's id, as thoth_recall gave it"),
    _tool("pin", "Never let a memory fade.", "id", "The memory's id, as thoth_recall gave it"),
]  # fmt: skip


class ThothMemoryProvider(MemoryProvider):
    """What Hermes calls. Nothing here raises into a turn, and nothing waits for longer than a recall may take."""

    def __init__(self) -> None:
        self._memory: HermesMemory | None = None

    @property
    def name(self) -> str:
        return "thoth"

    def is_available(self) -> bool:
        """Whether Thoth is installed here. Its database is found out about later, and may come and go."""
        return importlib.util.find_spec("thoth_substrate") is not None

    def unavailable_reason(self) -> str:
        return "" if self.is_available() else "Thoth is not installed in Hermes' environment: pip install thoth-substrate"

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        """Open the memory, beside Hermes' start. Raises SettingsError for settings that cannot be used."""
        from thoth_substrate.integrations.hermes_memory import HermesMemory

        self.shutdown()
        self._memory = HermesMemory(session_id, _config(str(kwargs.get("hermes_home") or "")), kwargs)

    def system_prompt_block(self) -> str:
        """How to use the tools, and what is going on lately, if anything is: the same text for the whole session."""
        line = self._memory.awareness() if self._memory else ""
        return f"{_HOW}\n{line}".strip()

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        """What memory has to say about `query`; "" when nothing, when late, and when the session was switched meanwhile."""
        return self._memory.prefetch(query, session_id) if self._memory else ""

    def sync_turn(
        self, user_content: str, assistant_content: str, *, session_id: str = "", messages: list[dict[str, Any]] | None = None
    ) -> None:
        """Perceive a turn that is complete, once, with the tools that were used in it."""
        if self._memory:
            self._memory.sync(user_content, assistant_content, session_id, messages or [])

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        return TOOLS

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        """A tool's answer as JSON; what went wrong stands in `error`."""
        if self._memory is None:
            return json.dumps({"error": "Thoth has not been started."})
        return json.dumps(self._memory.tool(tool_name.removeprefix("thoth_"), args), ensure_ascii=False, default=str)

    def on_session_switch(
        self, new_session_id: str, *, parent_session_id: str = "", reset: bool = False, rewound: bool = False, **kwargs: Any
    ) -> None:
        """From now on another conversation: an answer that is on its way for the one before is dropped."""
        if self._memory:
            self._memory.switch(new_session_id)

    def on_session_end(self, messages: list[dict[str, Any]]) -> None:
        """Wait a moment until what was said is in the database; the journal has it anyway."""
        if self._memory:
            self._memory.flush()

    def on_delegation(self, task: str, result: str, *, child_session_id: str = "", **kwargs: Any) -> None:
        """Perceive what a subagent was asked and what it gave back."""
        if self._memory:
            self._memory.delegated(task, result, child_session_id)

    def on_memory_write(self, action: str, target: str, content: str, metadata: dict[str, Any] | None = None) -> None:
        """Mirror an entry of Hermes' own memory: kept when added, forgotten when removed or replaced."""
        if self._memory:
            self._memory.mirror(action, target, content, str((metadata or {}).get("old_text") or ""))

    def get_config_schema(self) -> list[dict[str, Any]]:
        """What `hermes memory setup` asks; nothing is required."""
        return [
            {"key": "database_url", "description": "PostgreSQL to use; empty for the embedded one", "secret": True,
             "required": False, "env_var": "THOTH_PG_DSN"},
            {"key": "tenant", "description": "Whose memory this is", "default": "default"},
            {"key": "inject", "description": "Recall before each turn", "default": "true", "choices": ["true", "false"]},
            {"key": "deadline_ms", "description": "Longest wait for a recall, in ms", "default": "300"},
            {"key": "budget_tokens", "description": "Longest context, in tokens", "default": "1500"},
        ]  # fmt: skip

    def save_config(self, values: dict[str, Any], hermes_home: str) -> None:
        """Write what was asked to `thoth.json` in Hermes' home, beside what is there."""
        path = Path(hermes_home) / CONFIG
        kept = {**_config(hermes_home), **{key: value for key, value in values.items() if value not in (None, "")}}
        path.write_text(json.dumps(kept, indent=2, sort_keys=True) + "\n", encoding="utf-8")

    def backup_paths(self) -> list[str]:
        """Thoth's settings and journal; its database is dumped, not copied."""
        from thoth_substrate.integrations.hermes_memory import backup_paths

        return backup_paths()

    def shutdown(self) -> None:
        """Flush and close; what cannot be flushed waits in the journal."""
        memory, self._memory = self._memory, None
        if memory is not None:
            memory.close()


def register(ctx: Any) -> None:
    """Hermes' way in."""
    ctx.register_memory_provider(ThothMemoryProvider())


def _config(hermes_home: str) -> Mapping[str, Any]:
    path = Path(hermes_home) / CONFIG
    if not hermes_home or not path.is_file():
        return {}
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}
