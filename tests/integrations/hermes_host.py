"""Hermes itself, in a process of its own: loads the provider through Hermes' loader, and talks to a scripted model.

    python hermes_host.py MODEL_URL SESSION MESSAGE…

Prints one line of JSON: what the loader found, the tools, the answers, and what the provider says after them.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def main(url: str, session: str, messages: list[str]) -> None:
    from agent.memory_provider import MemoryProvider  # type: ignore[import-not-found]
    from plugins.memory import discover_memory_providers, load_memory_provider  # type: ignore[import-not-found]
    from run_agent import AIAgent  # type: ignore[import-not-found]

    found = {name: available for name, _, available in discover_memory_providers()}
    provider = load_memory_provider("thoth")
    told: dict[str, Any] = {"found": found.get("thoth"), "is": isinstance(provider, MemoryProvider), "answers": []}
    agent = AIAgent(
        base_url=url, api_key="x", provider="custom", model="scripted", session_id=session, platform="telegram", user_id="42",
        quiet_mode=True, enabled_toolsets=["memory"], skip_context_files=True, max_iterations=4,
    )  # fmt: skip
    manager = agent._memory_manager
    told["tools"] = sorted(manager.get_all_tool_names())
    told["system"] = manager.build_system_prompt()
    history = None
    for message in messages:
        answer = agent.run_conversation(message, conversation_history=history)
        history = answer["messages"]
        told["answers"].append(answer["final_response"])
    assert manager.flush_pending(60)
    told["recalled"] = json.loads(manager.handle_tool_call("thoth_recall", {"query": messages[0]}))
    agent.shutdown_memory_provider(history or [])
    print("\n" + json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
