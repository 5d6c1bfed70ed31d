"""A hook's payload as events to perceive. Pure; whatever a payload lacks or holds, something sensible or nothing comes of it.

Files that a payload names (`transcript_path`) are never read: over HTTP anybody could name any file. Repeated delivery is
harmless: an event's id is made of the session and the host's own id of the call or the prompt, else of the content.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from thoth_substrate.imports.claude_code import spoken
from thoth_substrate.imports.found import ASSISTANT, SUBAGENT_RETURN, SUBAGENT_SPAWN, TOOL_CALL, TOOL_RESULT, USER
from thoth_substrate.imports.ids import digest, joined
from thoth_substrate.imports.parts import call, split, words
from thoth_substrate.model.embedding import shortened
from thoth_substrate.model.slice import Event

Payload = Mapping[str, Any]
SOURCE = "claude-code-hook"
LIFECYCLE = "thoth.self_state.session_lifecycle"
LONGEST_RESULT_CHARS = 64_000  # of a tool's result: a file that was read lies on the disk, and what was seen of it is kept
# Events of a session's life, and what of each is kept. Others are answered and not perceived: a display's every delta, say.
KEPT = {
    "SessionStart": ("source", "model", "session_title"),
    "SessionEnd": ("reason",),
    "Setup": ("trigger",),
    "PreCompact": ("trigger", "custom_instructions"),
    "PostCompact": ("trigger", "compact_summary"),
    "StopFailure": ("error", "error_details"),
    "Notification": ("notification_type", "title", "message"),
    "TaskCreated": ("task_id", "task_subject", "task_description"),
    "TaskCompleted": ("task_id", "task_subject", "task_description"),
    "TeammateIdle": ("teammate_name", "team_name"),
}
_OWN_TOOL = re.compile(r"mcp__(?:plugin_[\w-]*?_)?thoth__")  # what memory answers is no news to it
_BULKY = ("originalFile", "structuredPatch", "gitDiff", "base64")
_SAID = ("stdout", "stderr", "output", "preview", "result", "text", "content")


def session_of(payload: Payload) -> str | None:
    """The conversation that a payload belongs to; a subagent's own is named after its parent, as in transcripts."""
    session, agent = words(payload.get("session_id")), words(payload.get("agent_id"))
    if not session:
        return None
    return f"{session}/{agent}" if agent else session


def prompt_of(payload: Payload) -> str:
    """What the user typed, under either spelling of the field; empty when the program wrote it."""
    typed = words(payload.get("prompt")) or words(payload.get("user_prompt"))
    return spoken(typed)[0]


def events(payload: Payload) -> Iterator[Event]:
    """What there is to perceive in a payload."""
    name = words(payload.get("hook_event_name"))
    read = _READERS.get(name)
    if read is not None:
        yield from read(payload)
    elif name in KEPT:
        told = {key: payload[key] for key in KEPT[name] if payload.get(key) not in (None, "")}
        one = _event(payload, LIFECYCLE, {"event": name} | told, "system", name, digest(dict(payload)))
        # By itself: between the turns of its session it would be recalled with those, as what was said next to them.
        yield replace(one, session=None, metadata={**one.metadata, "session": one.session or ""})


def _prompt(payload: Payload) -> Iterator[Event]:
    text = prompt_of(payload)
    if text:
        yield _event(payload, USER, text, "user", "prompt", words(payload.get("prompt_id")) or digest(text))


def _tool(payload: Payload) -> Iterator[Event]:
    name = words(payload.get("tool_name")) or "tool"
    if _OWN_TOOL.match(name):
        return
    asked = payload.get("tool_input")
    use = words(payload.get("tool_use_id")) or digest({"name": name, "input": asked, "answer": payload.get("tool_response")})
    actor = "subagent" if payload.get("agent_id") else "assistant"
    yield _event(payload, TOOL_CALL, call(name, asked), actor, "call", use, tool=name)
    failed = words(payload.get("error"))
    text = failed or _answer(payload.get("tool_response"))
    if text.strip():
        kept = shortened(text, LONGEST_RESULT_CHARS)
        yield _event(payload, TOOL_RESULT, kept, name, "result", use, tool=name, failed=bool(failed))


def _answer(response: Any) -> str:
    """The text of a tool's answer: where tools keep it, else all of it that is worth keeping."""
    if isinstance(response, dict) and isinstance(response.get("file"), dict):
        response = response["file"]
    if isinstance(response, dict) and "type" not in response:
        said = [response[key] for key in _SAID if response.get(key)]
        if not said:
            return "\n".join(
                f"{key}: {value}" for key, value in response.items() if key not in _BULKY and value not in (None, "")
            )
        response = said
    return split(response).text


def _stop(payload: Payload) -> Iterator[Event]:
    text = words(payload.get("last_assistant_message"))
    if text.strip():
        aside = words(payload.get("hook_event_name")) == "SubagentStop"
        stream, actor = (SUBAGENT_RETURN, "subagent") if aside else (ASSISTANT, "assistant")
        yield _event(payload, stream, text, actor, "reply", joined(words(payload.get("prompt_id")), digest(text)))


def _spawn(payload: Payload) -> Iterator[Event]:
    kind = words(payload.get("agent_type"))
    if kind:
        told = {"event": "SubagentStart", "agent_type": kind}
        yield _event(payload, SUBAGENT_SPAWN, told, "assistant", "spawn", words(payload.get("agent_id")) or digest(dict(payload)))


_READERS: dict[str, Callable[[Payload], Iterator[Event]]] = {
    "UserPromptSubmit": _prompt,
    "PostToolUse": _tool,
    "PostToolUseFailure": _tool,
    "Stop": _stop,
    "SubagentStop": _stop,
    "SubagentStart": _spawn,
}


def _event(payload: Payload, stream: str, content: Any, actor: str, kind: str, mark: str, **metadata: Any) -> Event:
    session = session_of(payload)
    where = {"cwd": words(payload.get("cwd")), "agent_type": words(payload.get("agent_type"))}
    return Event(
        stream=stream,
        content=content,
        session=session,
        actor=actor,
        external_id=joined(session or "", kind, mark),
        source=SOURCE,
        metadata={key: found for key, found in (where | metadata).items() if found},
    )
