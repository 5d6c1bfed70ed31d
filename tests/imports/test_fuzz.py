"""Whatever a file holds, readers do not raise: they hand over events that can be stored, and say what they skipped."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from thoth_substrate.imports.detect import FORMATS, read
from thoth_substrate.imports.found import Skipped
from thoth_substrate.model.slice import Event

KEYS = [
    "type", "message", "content", "role", "uuid", "sessionId", "timestamp", "text", "name", "input", "id", "isSidechain",
    "attachment", "mapping", "current_node", "parent", "children", "author", "parts", "content_type", "weight", "metadata",
    "conversation", "session_1", "session_1_date_time", "sample_id", "speaker", "dia_id", "blip_caption", "tool_calls",
    "function", "arguments", "time", "session", "actor", "stream", "recipient", "create_time", "tool_use_id", "root",
    "prompt", "commandMode", "tool_output", "function_call", "messages", "chats", "list", "from", "date_unixtime",
]  # fmt: skip
WORDS = [
    "user", "assistant", "tool_use", "tool_result", "text", "thinking", "root", "image", "queued_command", "all", "tool",
    "2023-05-08T13:56:00Z", "1:56 pm on 8 May, 2023", "<command-name>", "<system-reminder>", "\ud83d", "\x00", "multimodal_text",
]  # fmt: skip
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.sampled_from(WORDS), st.sampled_from(KEYS)
)


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    keys = st.one_of(st.sampled_from(KEYS), st.text(max_size=5))
    return st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=6))


VALUES = st.recursive(SCALARS, nested, max_leaves=30)
SETTINGS = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def check(data: bytes, format: str) -> None:
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        for one in read(Path(file.name), format):
            if isinstance(one, Event):
                assert one.external_id
                assert one.external_id.isascii()
                assert one.content not in ("", None)
                assert isinstance(one.actor, str)
                assert isinstance(one.session, str)
            else:
                assert isinstance(one, Skipped)
                assert one.reason
                assert one.where


@pytest.mark.parametrize("format", FORMATS)
@SETTINGS
@given(records=st.lists(VALUES, max_size=5))
def test_random_json_lines_never_raise(format: str, records: list[Any]) -> None:
    check(b"\n".join(json.dumps(record).encode() for record in records), format)


@pytest.mark.parametrize("format", FORMATS)
@SETTINGS
@given(value=VALUES)
def test_random_documents_never_raise(format: str, value: Any) -> None:
    check(json.dumps([value]).encode(), format)
    check(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"), format)


@pytest.mark.parametrize("format", FORMATS)
@SETTINGS
@given(data=st.binary(max_size=200))
def test_random_bytes_never_raise(format: str, data: bytes) -> None:
    if not data.startswith((b"PK\x03\x04", b"\x1f\x8b")):
        check(data, format)
    check(b"[" + data, format)
    check(b"\x1f\x8b" + data, format)
