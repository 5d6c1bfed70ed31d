"""Claude Code transcripts, in the shapes that the program has written over its versions."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.imports.files import events, found, jsonl, reasons
from thoth_substrate.model.slice import Event

SESSION = "6f0c2a10-4a52-4a7e-9a43-0d6a6cf2b001"
HEX = "abcdef0123456789"


def line(kind: str, number: int, content: Any, **more: Any) -> dict[str, Any]:
    """A record as the program writes it, one minute after the one before it."""
    return {
        "parentUuid": f"00000000-0000-4000-8000-{number - 1:012d}" if number > 1 else None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/maya/orchard",
        "sessionId": SESSION,
        "version": "2.1.30",
        "gitBranch": "main",
        "type": kind,
        "message": {"role": kind, "content": content},
        "uuid": f"00000000-0000-4000-8000-{number:012d}",
        "timestamp": f"2025-11-03T09:{number:02d}:00.250Z",
    } | more


def transcript(path: Path) -> Path:
    return jsonl(
        path,
        [
            {"type": "summary", "summary": "Pruning schedule", "leafUuid": "00000000-0000-4000-8000-000000000007"},
            {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}, "isSnapshotUpdate": False},
            line("user", 1, "The staging database listens on port 5433."),
            line("assistant", 2, [{"type": "thinking", "thinking": "They mean staging.", "signature": "c2ln"}]),
            line("assistant", 3, [{"type": "text", "text": "I will look at the configuration."}]),
            line(
                "assistant", 4, [{"type": "tool_use", "id": "toolu_01", "name": "Bash", "input": {"command": "cat compose.yaml"}}]
            ),
            line(
                "user",
                5,
                [{"type": "tool_result", "tool_use_id": "toolu_01", "content": [{"type": "text", "text": "ports: 5433:5432"}]}],
                toolUseResult={"stdout": "ports: 5433:5432", "stderr": ""},
            ),
            line("user", 6, [{"type": "text", "text": "Thanks."}, {"type": "image", "source": {"data": "aGk="}}]),
        ],
    )


def test_a_transcript_becomes_words_calls_and_results_in_order(tmp_path: Path) -> None:
    got = events(transcript(tmp_path / "t.jsonl"))
    assert [(e.stream.rsplit(".", 1)[-1], e.actor) for e in got] == [
        ("cli", "user"),
        ("assistant_response", "assistant"),
        ("tool_call", "assistant"),
        ("tool_result", "Bash"),
        ("cli", "user"),
    ]
    assert got[0].content == "The staging database listens on port 5433."
    assert got[2].content == {"type": "tool_use", "name": "Bash", "input": {"command": "cat compose.yaml"}}
    assert got[3].content == "ports: 5433:5432"
    assert got[4].metadata["attachments"] == 1


def test_an_event_has_the_time_session_and_id_of_its_record(tmp_path: Path) -> None:
    first = events(transcript(tmp_path / "t.jsonl"))[0]
    assert first.event_time == datetime(2025, 11, 3, 9, 1, 0, 250_000, tzinfo=UTC)
    assert (first.session, first.source) == (SESSION, "claude-code")
    assert first.external_id == "00000000-0000-4000-8000-000000000001"
    assert first.metadata == {"cwd": "/home/maya/orchard", "branch": "main"}


def test_what_the_program_wrote_is_skipped_with_its_reason(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "t.jsonl",
        [
            line("user", 1, "This session is being continued from a previous one…", isCompactSummary=True),
            line("user", 2, "Caveat: the messages below …", isMeta=True),
            line("user", 3, "<command-name>/clear</command-name>\n<command-message>clear</command-message>"),
            line("user", 4, "<local-command-stdout>done</local-command-stdout>"),
            line("user", 5, "[Request interrupted by user]"),
            line("assistant", 6, [{"type": "text", "text": "API Error: 529"}], isApiErrorMessage=True),
            {
                "type": "system",
                "subtype": "compact_boundary",
                "content": "Conversation compacted",
                "uuid": "u",
                "sessionId": SESSION,
            },
            {"type": "queue-operation", "operation": "enqueue", "sessionId": SESSION},
            line("assistant", 7, []),
            line("user", 8, "<system-reminder>Be brief.</system-reminder>"),
        ],
    )
    assert reasons(path) == [
        "summary of a compacted conversation",
        "written by the program",
        "slash command without arguments",
        "written by the program",
        "written by the program",
        "written by the program",
        "system record",
        "housekeeping record",
        "nothing said in it",
        "nothing said in it",
    ]


def test_a_reminder_inside_a_message_is_cut_out_and_a_commands_arguments_are_kept(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "t.jsonl",
        [
            line("user", 1, "Rename it to orchard.<system-reminder>Today is Monday.</system-reminder>"),
            line("user", 2, "<command-message>review</command-message>\n<command-name>/review</command-name>\n"
                            "<command-args>only the pruning module</command-args>"),
        ],
    )  # fmt: skip
    assert [e.content for e in events(path)] == ["Rename it to orchard.", "/review only the pruning module"]


def test_a_tool_call_only_assistant_message_is_a_call_and_nothing_else(tmp_path: Path) -> None:
    """faults: a tool-call-only assistant message."""
    path = jsonl(tmp_path / "t.jsonl", [line("assistant", 1, [{"type": "tool_use", "id": "t", "name": "Read", "input": {}}])])
    assert [one.stream for one in found(path) if isinstance(one, Event)] == ["thoth.self_action.tool_call"]
    assert reasons(path) == []


def test_a_subagents_conversation_is_a_session_of_its_own(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "t.jsonl",
        [
            line("user", 1, "Find every use of the pruning table.", isSidechain=True, agentId="a17"),
            line("assistant", 2, [{"type": "text", "text": "Three uses."}], isSidechain=True, agentId="a17"),
        ],
    )
    spawn, answer = events(path)
    assert (spawn.stream, spawn.actor) == ("thoth.self_action.subagent_spawn", "assistant")
    assert (answer.stream, answer.actor) == ("thoth.self_action.subagent_return", "subagent")
    assert spawn.session == answer.session == f"{SESSION}/a17"


def test_a_prompt_typed_while_the_model_worked_is_kept(tmp_path: Path) -> None:
    queued = {"type": "queued_command", "commandMode": "prompt", "prompt": "And skip the pears."}
    path = jsonl(
        tmp_path / "t.jsonl",
        [
            line("attachment", 1, None, attachment=queued),
            line("attachment", 2, None, attachment={"type": "todo_reminder"}),
        ],
    )
    assert [e.content for e in events(path)] == ["And skip the pears."]
    assert reasons(path) == ["written by the program"]


def test_stand_alone_tool_records_are_read(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "t.jsonl",
        [
            {"type": "user", "timestamp": "2026-01-29T10:00:00Z", "content": "Read the plan.", "session_id": "s"},
            {"type": "tool_use", "timestamp": "2026-01-29T10:00:01Z", "tool_name": "Read", "tool_input": {"file": "plan.md"}},
            {
                "type": "tool_result",
                "timestamp": "2026-01-29T10:00:02Z",
                "tool_name": "Read",
                "tool_output": {"output": "Apples"},
            },
        ],
    )
    assert [(e.stream.rsplit(".", 1)[-1], e.session) for e in events(path)] == [
        ("cli", "s"), ("tool_call", "s"), ("tool_result", "s"),
    ]  # fmt: skip
    assert len({e.external_id for e in events(path)}) == 3


def test_a_resumed_session_copied_into_another_file_keeps_its_ids(tmp_path: Path) -> None:
    first = jsonl(tmp_path / "a.jsonl", [line("user", 1, "One."), line("assistant", 2, "Two.")])
    copied = [line("user", 1, "One.", sessionId="other"), line("assistant", 2, "Two.", sessionId="other")]
    second = jsonl(tmp_path / "b.jsonl", [*copied, line("user", 3, "Three.", sessionId="other")])
    assert [e.external_id for e in events(second)][:2] == [e.external_id for e in events(first)]


def test_a_half_written_last_line_and_broken_lines_stop_nothing(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    jsonl(path, [line("user", 1, "One."), '{"type": "user", "mess', "[1, 2]", "", line("user", 2, "Two.")])
    with path.open("a") as file:
        file.write('{"type":"assistant","message":{"ro')
    assert [e.content for e in events(path)] == ["One.", "Two."]
    assert reasons(path) == ["not JSON", "not an object", "half-written at the end"]
