"""Messages as JSON, under the names and in the shapes that programs give them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from tests.imports.files import document, events, jsonl, reasons

NOON = "2024-07-13T12:00:00+02:00"


def one(tmp_path: Path, record: dict[str, Any]) -> Any:
    (event,) = events(jsonl(tmp_path / "f.jsonl", [record]))
    return event


def test_the_plain_fields(tmp_path: Path) -> None:
    event = one(tmp_path, {"role": "user", "content": "Hello", "time": NOON, "session": "s1", "actor": "Maya"})
    assert (event.stream, event.content, event.session, event.actor) == ("thoth.world.user_message.cli", "Hello", "s1", "Maya")
    assert event.event_time == datetime(2024, 7, 13, 10, tzinfo=UTC)
    assert event.event_time.utcoffset() == timedelta(hours=2)
    assert event.source == "jsonl"


@pytest.mark.parametrize(
    "record",
    [
        {"speaker": "Maya", "text": "Hello", "timestamp": NOON, "conversation_id": "s1"},
        {"name": "Maya", "message": "Hello", "created_at": 1720864800, "thread": "s1"},
        {"author": {"role": "user", "name": "Maya"}, "body": "Hello", "date": 1720864800000, "session_id": "s1"},
        {"type": "human", "from": "Maya", "content": "Hello", "ts": "1720864800.0", "chat_id": "s1"},
        {"timestamp": NOON, "thread_id": "s1", "message": {"role": "user", "name": "Maya", "content": "Hello"}},
    ],
)
def test_other_names_for_the_same_fields(tmp_path: Path, record: dict[str, Any]) -> None:
    event = one(tmp_path, record)
    moment = event.event_time if event.event_time.tzinfo else event.event_time.replace(tzinfo=UTC)
    assert (event.stream, event.content, event.session, event.actor) == ("thoth.world.user_message.cli", "Hello", "s1", "Maya")
    assert moment == datetime(2024, 7, 13, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("record", "stream", "actor"),
    [
        ({"role": "assistant", "content": "x"}, "thoth.self_action.assistant_response", "assistant"),
        ({"speaker": "bot", "content": "x"}, "thoth.self_action.assistant_response", "assistant"),
        ({"role": "tool", "name": "calendar", "content": "x"}, "thoth.self_action.tool_result", "calendar"),
        ({"role": "tool_call", "tool": "calendar", "content": {"day": 3}}, "thoth.self_action.tool_call", "assistant"),
        ({"role": "user", "channel": "telegram", "content": "x"}, "thoth.world.user_message.telegram", "user"),
        (
            {"role": "user", "stream": "thoth.world.user_message.signal", "content": "x"},
            "thoth.world.user_message.signal",
            "user",
        ),
        ({"role": "user", "channel": "pigeon", "content": "x"}, "thoth.world.user_message.cli", "user"),
        ({"role": "narrator", "content": "x"}, "thoth.world.user_message.cli", "narrator"),
        ({"content": "x"}, "thoth.world.user_message.cli", "user"),
    ],
)
def test_roles_decide_the_stream(tmp_path: Path, record: dict[str, Any], stream: str, actor: str) -> None:
    """faults: an unknown role."""
    event = one(tmp_path, record)
    assert (event.stream, event.actor) == (stream, actor)


def test_content_as_an_array_of_parts_and_images_as_data_urls(tmp_path: Path) -> None:
    """faults: content as an array of parts; images as data URLs."""
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    event = one(tmp_path, {"role": "user", "content": [{"type": "text", "text": "The cat"}, picture, "on the roof"]})
    assert event.content == "The cat\n\non the roof"
    assert event.metadata["attachments"] == 1
    path = jsonl(tmp_path / "g.jsonl", [{"role": "user", "content": [picture]}])
    assert reasons(path) == ["a picture, file or sound without words"]


def test_a_tool_call_only_assistant_message(tmp_path: Path) -> None:
    """faults: a tool-call-only assistant message."""
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Porto"}'}}
    event = one(tmp_path, {"role": "assistant", "content": None, "tool_calls": [call]})
    assert event.stream == "thoth.self_action.tool_call"
    assert event.content == {"type": "tool_use", "name": "weather", "input": {"city": "Porto"}}
    old = one(tmp_path, {"role": "assistant", "content": "", "function_call": {"name": "weather", "arguments": "not json"}})
    assert old.content["input"] == "not json"


def test_words_and_calls_of_one_message_are_several_events_with_ids_of_their_own(tmp_path: Path) -> None:
    parts = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "heron"}},
        {"type": "tool_result", "tool_use_id": "t1", "content": "a bird"},
    ]
    path = jsonl(tmp_path / "f.jsonl", [{"role": "assistant", "content": parts}])
    got = events(path)
    assert [e.stream.rsplit(".", 1)[-1] for e in got] == ["assistant_response", "tool_call", "tool_result"]
    assert len({e.external_id for e in got}) == 3
    assert reasons(path) == ["the model's thinking"]


def test_system_messages_and_empty_ones_are_skipped(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "f.jsonl", [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "  "}])
    assert reasons(path) == ["system message", "nothing said in it"]


def test_naive_and_aware_times_in_one_file_and_a_user_at_utc_plus_8(tmp_path: Path) -> None:
    """faults: naive and aware datetimes in one batch; a user at UTC+8 saying "at 12:45 today"."""
    path = jsonl(
        tmp_path / "f.jsonl",
        [
            {"role": "user", "content": "I land at 12:45 today.", "time": "2025-07-25T10:00:00+08:00"},
            {"role": "user", "content": "Naive.", "time": "2025-07-25 02:30:00"},
        ],
    )
    aware, naive = (e.event_time for e in events(path))
    assert aware == datetime(2025, 7, 25, 2, tzinfo=UTC)
    assert aware is not None
    assert aware.tzinfo == timezone(timedelta(hours=8))
    assert naive == datetime(2025, 7, 25, 2, 30)


def test_an_unreadable_or_missing_time_is_that_of_the_message_before(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "f.jsonl",
        [
            {"content": "undated"},
            {"content": "a", "time": "2023-05-08T10:00:00"},
            {"content": "b", "time": "soon"},
            {"content": "c"},
        ],
    )
    day = datetime(2023, 5, 8, 10)
    assert [e.event_time for e in events(path)] == [None, day, day, day]


def test_ids_stay_when_the_file_is_moved_or_grows(tmp_path: Path) -> None:
    records = [{"content": f"message {n}"} for n in range(5)]
    small = events(jsonl(tmp_path / "small.jsonl", records))
    (tmp_path / "deeper").mkdir()
    grown = events(jsonl(tmp_path / "deeper" / "grown.jsonl", [*records, {"content": "one more"}]))
    assert [(e.external_id, e.session) for e in small] == [(e.external_id, e.session) for e in grown[:5]]
    assert len({e.external_id for e in grown}) == 6


def test_small_ids_of_two_conversations_do_not_collide_and_an_edited_message_is_new(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "f.jsonl",
        [
            {"id": 1, "session": "a", "content": "Hello"},
            {"id": 1, "session": "b", "content": "Hello"},
            {"id": 1, "session": "a", "content": "Hello (edited)"},
            {"id": 1, "session": "a", "content": "Hello"},
        ],
    )
    keys = [e.external_id for e in events(path)]
    assert len(set(keys)) == 3
    assert keys[0] == keys[3]


def test_an_array_of_messages_is_read_like_lines(tmp_path: Path) -> None:
    path = document(tmp_path / "f.json", [{"role": "user", "content": "One"}, 5, {"role": "assistant", "content": "Two"}])
    assert [e.content for e in events(path)] == ["One", "Two"]
    assert reasons(path) == ["not an object"]


def test_nul_lone_surrogates_special_tokens_and_numbers_beyond_json(tmp_path: Path) -> None:
    """faults: a NUL in content; a lone surrogate as content; the literal <|endoftext|> as content."""
    path = jsonl(
        tmp_path / "f.jsonl",
        [
            json.dumps({"content": "a\u0000b", "session": "\u0000"}),
            r'{"content": "\ud83d abc", "id": "\ud83d"}',
            {"content": "<|endoftext|>"},
            '{"content": "big", "score": NaN, "count": 123456789012345678901234567890}',
        ],
    )
    got = events(path)
    assert [e.content for e in got] == ["a\u0000b", "\ud83d abc", "<|endoftext|>", "big"]
    assert all(e.external_id and e.external_id.isascii() and e.external_id.isprintable() for e in got)


def test_a_record_nested_beyond_reason_is_passed_over(tmp_path: Path) -> None:
    deep = '{"content": ' + "[" * 900 + "]" * 900 + "}"
    deeper = '{"content": ' + "[" * 100_000 + "]" * 100_000 + "}"
    path = jsonl(tmp_path / "f.jsonl", [deep, deeper, {"content": "flat"}])
    assert [e.content for e in events(path, "jsonl")] == ["flat"]
    assert reasons(path, "jsonl") == ["nested more than 200 levels deep", "not JSON"]
    array = tmp_path / "array.json"
    array.write_text("[" + '{"content": ' + "[" * 1_000_000)
    assert reasons(array, "jsonl") == ["nested more than 200 levels deep"]
