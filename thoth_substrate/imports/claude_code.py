"""Claude Code transcripts: ~/.claude/projects/*/*.jsonl, one record a line, appended as the conversation goes on.

A record's `uuid` is the message's id; resuming or forking a session copies records under their uuids, so a conversation
that lies in several files is taken once. What the program itself wrote (reminders, summaries of what is there in full,
snapshots, notices) is no memory and is skipped, as is the model's thinking.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from thoth_substrate.imports import ids, parts, records
from thoth_substrate.imports.found import (
    ASSISTANT,
    EMPTY,
    SUBAGENT_RETURN,
    SUBAGENT_SPAWN,
    THINKING,
    TOOL_CALL,
    TOOL_RESULT,
    USER,
    Found,
    Skipped,
)
from thoth_substrate.imports.parts import words
from thoth_substrate.imports.records import Record
from thoth_substrate.imports.source import Source
from thoth_substrate.imports.times import when
from thoth_substrate.model.slice import Event

NAME = "claude-code"
TITLE = "Claude Code transcript (JSONL)"

_KINDS = frozenset(("user", "assistant", "system", "summary", "tool_use", "tool_result", "attachment", "progress",
                    "file-history-snapshot", "queue-operation", "last-prompt", "custom-title", "ai-title",
                    "permission-mode", "mode", "agent-name", "pr-link"))  # fmt: skip
_MARKS = frozenset(("sessionId", "session_id", "uuid", "leafUuid", "messageId", "tool_name"))
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)
_COMMAND = re.compile(r"<command-name>\s*(.*?)\s*</command-name>", re.DOTALL)
_ARGUMENTS = re.compile(r"<command-args>\s*(.*?)\s*</command-args>", re.DOTALL)
_PROGRAM = (
    "<local-command", "<bash-input>", "<bash-stdout>", "<bash-stderr>", "<task-notification>", "<teammate-message",
    "<cross-session-message", "<user-prompt-submit-hook>", "[Request interrupted by user", "Caveat: The messages below",
)  # fmt: skip
_REMEMBERED_TOOLS = 10_000

_BY_PROGRAM = "written by the program"
_COMPACTED = "summary of a compacted conversation"
_COMMAND_ALONE = "slash command without arguments"
_HOUSEKEEPING = "housekeeping record"
_SUMMARY = "summary record"
_SYSTEM = "system record"
_UNKNOWN = "record of an unknown kind"


def recognises(record: Mapping[str, Any]) -> bool:
    return words(record.get("type")) in _KINDS and (bool(_MARKS & record.keys()) or isinstance(record.get("message"), dict))


def read(source: Source) -> Iterator[Found]:
    """Events and what was skipped, in the order of the file."""
    transcript = _Transcript()
    for record in records.of_lines(source):
        if isinstance(record, Skipped):
            yield record
        else:
            yield from transcript.take(record)


class _Transcript:
    """What must be known of earlier lines to read the next: the last time, the session, which call a result answers."""

    def __init__(self) -> None:
        self._time: datetime | None = None
        self._session = ""
        self._tools: OrderedDict[str, str] = OrderedDict()

    def take(self, record: Record) -> Iterator[Found]:
        value = record.value
        self._time = when(value.get("timestamp")) or self._time
        self._session = words(value.get("sessionId")) or words(value.get("session_id")) or self._session or ids.digest(value)
        kind = value.get("type")
        if (reason := _unwanted(value)) is not None:
            yield Skipped(reason, record.where)
        elif kind == "user":
            yield from self._user(record)
        elif kind == "assistant":
            yield from self._assistant(record)
        elif kind == "attachment":
            yield from self._attachment(record)
        elif kind == "tool_use":
            yield self._call(record, 0, parts.ToolUse("", words(value.get("tool_name")), value.get("tool_input")))
        elif kind == "tool_result":
            text = parts.split(_output(value)).text
            yield self._result(record, 0, parts.ToolResult("", text, False), words(value.get("tool_name")))
        else:
            yield Skipped(_UNKNOWN, record.where)

    def _user(self, record: Record) -> Iterator[Found]:
        found = parts.split(_content(record.value))
        for n, result in enumerate(found.results, 1):
            yield self._result(record, n, result, self._tools.get(result.id, ""))
        if found.results and not found.text:
            return
        text, reason = spoken(found.text)
        if reason:
            yield Skipped(reason, record.where)
        elif _aside(record.value):
            yield self._event(record, 0, SUBAGENT_SPAWN, text, "assistant")
        else:
            yield self._event(record, 0, USER, text, "user", attachments=found.attachments)

    def _assistant(self, record: Record) -> Iterator[Found]:
        found = parts.split(_content(record.value))
        aside = _aside(record.value)
        if found.text:
            actor = "subagent" if aside else "assistant"
            yield self._event(record, 0, SUBAGENT_RETURN if aside else ASSISTANT, found.text, actor)
        for n, use in enumerate(found.uses, 1):
            self._remember(use)
            yield self._call(record, n, use)
        if found.thinking:
            yield Skipped(THINKING, record.where)
        elif not found.text and not found.uses:
            yield Skipped(EMPTY, record.where)

    def _attachment(self, record: Record) -> Iterator[Found]:
        """A prompt typed while the model was at work comes as an attachment; the others come from the program."""
        attachment = record.value.get("attachment")
        inner = attachment if isinstance(attachment, dict) else {}
        if inner.get("type") != "queued_command" or inner.get("commandMode", "prompt") != "prompt":
            yield Skipped(_BY_PROGRAM, record.where)
            return
        text, reason = spoken(parts.split(inner.get("prompt")).text)
        yield Skipped(reason, record.where) if reason else self._event(record, 0, USER, text, "user")

    def _call(self, record: Record, n: int, use: parts.ToolUse) -> Found:
        name = use.name or "tool"
        content = parts.call(name, use.arguments)
        return self._event(record, n, TOOL_CALL, content, "subagent" if _aside(record.value) else "assistant", tool=name)

    def _result(self, record: Record, n: int, result: parts.ToolResult, tool: str) -> Found:
        if not result.text.strip():
            return Skipped(EMPTY, record.where)
        name = tool or "tool"
        return self._event(record, n, TOOL_RESULT, result.text, name, tool=name, failed=result.failed)

    def _remember(self, use: parts.ToolUse) -> None:
        if use.id:
            self._tools[use.id] = use.name
            if len(self._tools) > _REMEMBERED_TOOLS:
                self._tools.popitem(last=False)

    def _event(self, record: Record, n: int, stream: str, content: Any, actor: str, **metadata: Any) -> Event:
        value = record.value
        uuid = words(value.get("uuid")) or f"{self._session}/{record.number}/{ids.digest(value)}"
        session = self._session
        if _aside(value):
            session = f"{session}/{words(value.get('agentId')) or 'subagent'}"
        where = {"cwd": words(value.get("cwd")), "branch": words(value.get("gitBranch")), "model": _model(value)}
        return Event(
            stream=stream,
            content=content,
            session=session,
            actor=actor,
            event_time=self._time,
            external_id=ids.joined(uuid, n) if n else ids.joined(uuid),
            source=NAME,
            metadata={key: found for key, found in (where | metadata).items() if found},
        )


def _unwanted(value: Mapping[str, Any]) -> str | None:
    """Why a whole record is no memory, or None."""
    kind = words(value.get("type"))
    if value.get("isCompactSummary") is True:
        return _COMPACTED
    if kind == "summary":
        return _SUMMARY
    if kind == "system":
        return _SYSTEM
    if value.get("isMeta") is True or value.get("isApiErrorMessage") is True or _model(value) == "<synthetic>":
        return _BY_PROGRAM
    spoken = ("user", "assistant", "attachment", "tool_use", "tool_result")
    return _HOUSEKEEPING if kind in _KINDS and kind not in spoken else None


def spoken(text: str) -> tuple[str, str]:
    """What the user typed of a user record's text; or, second, why there is nothing."""
    bare = _REMINDER.sub("", text).strip() if "<system-reminder>" in text else text.strip()
    if bare.startswith(("<command-name>", "<command-message>")):
        name, arguments = _COMMAND.search(bare), _ARGUMENTS.search(bare)
        if name is None or arguments is None or not arguments[1]:
            return "", _COMMAND_ALONE
        return f"{name[1]} {arguments[1]}", ""
    if bare.startswith(_PROGRAM):
        return "", _BY_PROGRAM
    return bare, "" if bare else EMPTY


def _content(value: Mapping[str, Any]) -> Any:
    message = value.get("message")
    return message.get("content") if isinstance(message, dict) else message if message is not None else value.get("content")


def _output(value: Mapping[str, Any]) -> Any:
    """A stand-alone result's text: as it is, or where tools keep it."""
    output = value.get("tool_output", value.get("content"))
    if isinstance(output, dict) and "type" not in output:
        return [output.get(key) for key in ("preview", "output", "stdout", "stderr", "content") if output.get(key)]
    return output


def _model(value: Mapping[str, Any]) -> str:
    message = value.get("message")
    return words(message.get("model")) if isinstance(message, dict) else ""


def _aside(value: Mapping[str, Any]) -> bool:
    """Whether the record is of a subagent's own conversation."""
    return value.get("isSidechain") is True
