"""Payloads as Claude Code posts them: every event, in the shapes of version 2.1."""

from __future__ import annotations

from typing import Any

SESSION = "7f3c2f4e-0000-4000-8000-0000000000a1"
Payload = dict[str, Any]


def payload(event: str, /, **fields: Any) -> Payload:
    common = {
        "session_id": SESSION, "transcript_path": "/home/maya/.claude/projects/x/t.jsonl", "cwd": "/home/maya/project",
        "prompt_id": "p-1", "permission_mode": "default", "effort": {"level": "high"},
    }  # fmt: skip
    return common | {"hook_event_name": event} | fields


EVENTS: dict[str, Payload] = {
    "session start": payload("SessionStart", source="startup", model="claude-opus", session_title="t"),
    "session resumed": payload("SessionStart", source="resume"),
    "session compacted": payload("SessionStart", source="compact"),
    "session forked": payload("SessionStart", source="fork"),
    "setup": payload("Setup", trigger="init"),
    "instructions": payload("InstructionsLoaded", file_path="CLAUDE.md", memory_type="Project", load_reason="session_start"),
    "prompt": payload("UserPromptSubmit", prompt="Which port does the staging database use?"),
    "prompt, other spelling": payload("UserPromptSubmit", user_prompt="Which port does the staging database use?"),
    "prompt expansion": payload("UserPromptExpansion", expansion_type="slash", command_name="fix", prompt="/fix"),
    "before a tool": payload("PreToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_use_id="toolu_1"),
    "permission": payload("PermissionRequest", tool_name="Bash", tool_input={"command": "rm x"}),
    "permission denied": payload("PermissionDenied", tool_name="Bash", tool_input={}, tool_use_id="toolu_1", reason="no"),
    "shell": payload(
        "PostToolUse", tool_name="Bash", tool_input={"command": "psql -p 5433"}, tool_use_id="toolu_2", duration_ms=12,
        tool_response={"stdout": "staging answers on 5433", "stderr": "", "interrupted": False, "isImage": False},
    ),
    "file read": payload(
        "PostToolUse", tool_name="Read", tool_input={"file_path": "a.md"}, tool_use_id="toolu_3",
        tool_response={"type": "text", "file": {"filePath": "a.md", "content": "# Größe\n", "numLines": 1}},
    ),
    "file edited": payload(
        "PostToolUse", tool_name="Edit", tool_input={"file_path": "a.md", "old_string": "a", "new_string": "b"},
        tool_use_id="toolu_4", tool_response={"filePath": "a.md", "originalFile": "x" * 100_000, "structuredPatch": [{}]},
    ),
    "tool answered in parts": payload(
        "PostToolUse", tool_name="mcp__files__look", tool_input={}, tool_use_id="toolu_5",
        tool_response=[{"type": "text", "text": "one"}, {"type": "image", "source": {"type": "base64", "data": "AAAA"}}],
    ),
    "tool answered a string": payload("PostToolUse", tool_name="X", tool_input="", tool_use_id="toolu_6", tool_response="said"),
    "tool answered nothing": payload("PostToolUse", tool_name="Y", tool_input=None, tool_use_id="toolu_7", tool_response=None),
    "tool without an id": payload("PostToolUse", tool_name="X", tool_input={"a": 1}, tool_response=5),
    "our own tool": payload(
        "PostToolUse", tool_name="mcp__plugin_thoth_thoth__recall", tool_input={"query": "q"}, tool_use_id="toolu_8",
        tool_response="what memory said",
    ),
    "tool failed": payload(
        "PostToolUseFailure", tool_name="Bash", tool_input={"command": "false"}, tool_use_id="toolu_9", error="exit 1",
        is_interrupt=False, duration_ms=3,
    ),
    "tools done": payload("PostToolBatch", tool_calls=[]),
    "notification": payload("Notification", message="Claude waits", title="Claude", notification_type="idle_prompt"),
    "subagent begins": payload("SubagentStart", agent_id="a1", agent_type="Explore"),
    "subagent ends": payload(
        "SubagentStop", stop_hook_active=False, agent_id="a1", agent_type="Explore", agent_transcript_path="/x.jsonl",
        last_assistant_message="The config lies in etc/.",
    ),
    "stop": payload("Stop", stop_hook_active=False, last_assistant_message="Staging uses port 5433."),
    "stop without words": payload("Stop", stop_hook_active=True),
    "stop after a failure": payload("StopFailure", error="overloaded_error", error_details="529"),
    "before compaction": payload("PreCompact", trigger="manual", custom_instructions="keep ports"),
    "after compaction": payload("PostCompact", trigger="auto", compact_summary="We spoke of ports."),
    "task created": payload("TaskCreated", task_id="1", task_subject="Move", task_description="the database"),
    "task completed": payload("TaskCompleted", task_id="1", task_subject="Move"),
    "teammate": payload("TeammateIdle", teammate_name="b", team_name="t"),
    "elicitation": payload("Elicitation", mcp_server_name="s", message="?", mode="form", requested_schema={}),
    "elicitation result": payload("ElicitationResult", mcp_server_name="s", action="accept", content={}),
    "configuration": payload("ConfigChange", source="user_settings", file_path="x"),
    "folder": payload("CwdChanged", old_cwd="/a", new_cwd="/b"),
    "file changed": payload("FileChanged", file_path="/a", event="change"),
    "worktree gone": payload("WorktreeRemove", worktree_path="/w"),
    "display": payload("MessageDisplay", turn_id="t", message_id="m", index=0, final=False, delta="St"),
    "session end": payload("SessionEnd", reason="prompt_input_exit"),
    "an event of tomorrow": payload("Daydream", depth=3),
}  # fmt: skip
# What no host should send: each is answered like the rest.
BROKEN: dict[str, bytes] = {
    "nothing": b"",
    "no JSON": b'{"session_id": ',
    "an array": b"[]",
    "a string": b'"SessionStart"',
    "not UTF-8": b'{"a": "\xff"}',
    "no event": b"{}",
    "fields of other kinds": b'{"hook_event_name": 5, "session_id": [], "prompt": {}}',
    "a prompt that is no text": b'{"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": ["a"]}',
    "a tool of odd kinds": b'{"hook_event_name": "PostToolUse", "tool_name": {}, "tool_use_id": 7, "tool_response": {"file": 3}}',
    "a message that is no text": b'{"hook_event_name": "Stop", "last_assistant_message": {"a": 1}}',
    "deep": b'{"hook_event_name": "PostToolUse", "tool_name": "x", "tool_response": ' + b"[" * 500 + b"]" * 500 + b"}",
    "a number too large": b'{"hook_event_name": "PostToolUse", "tool_name": "x", "tool_input": {"n": 1e400}}',
    "a lone surrogate": b'{"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "a \\ud800 b"}',
}
