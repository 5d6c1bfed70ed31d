"""ChatGPT's export: trees of messages, of many kinds of content."""

from __future__ import annotations

import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.imports.files import document, events, found, reasons
from thoth_substrate.errors import UnreadableFile
from thoth_substrate.imports.found import Skipped

START = 1_700_000_000.0


def node(key: str, parent: str | None, role: str, content: Any, **message: Any) -> dict[str, Any]:
    name = message.pop("name", None)
    content = {"content_type": "text", "parts": [content]} if isinstance(content, str) else content
    body = {
        "id": key,
        "author": {"role": role, "name": name, "metadata": {}},
        "create_time": START + 60 * int(key.strip("mxr") or 0),
        "content": content,
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
    }
    return {"id": key, "parent": parent, "children": [], "message": body | message}


def conversation(*nodes: dict[str, Any], current: str | None = None, id: str = "c1") -> dict[str, Any]:
    mapping = {"root": {"id": "root", "parent": None, "children": [], "message": None}} | {one["id"]: one for one in nodes}
    for one in nodes:
        if one["parent"] in mapping:
            mapping[one["parent"]]["children"].append(one["id"])
    return {
        "title": "Tiles for the kitchen",
        "create_time": START,
        "update_time": START + 900,
        "mapping": mapping,
        "current_node": current or nodes[-1]["id"],
        "conversation_id": id,
        "id": id,
    }


def export(path: Path, *conversations: dict[str, Any]) -> Path:
    return document(path, list(conversations))


def test_the_path_to_the_current_message_is_taken_and_other_branches_are_counted(tmp_path: Path) -> None:
    path = export(
        tmp_path / "any-name",
        conversation(
            node("m1", "root", "user", "Which tiles for a small kitchen?"),
            node("m2", "m1", "assistant", "Large ones."),
            node("m3", "m1", "assistant", "Small ones."),
            node("m4", "m3", "user", "Ten square metres."),
            current="m4",
        ),
    )
    got = events(path)
    assert [e.content for e in got] == ["Which tiles for a small kitchen?", "Small ones.", "Ten square metres."]
    assert [e.actor for e in got] == ["user", "assistant", "user"]
    assert found(path)[-1] == Skipped("on a branch that was replaced", "conversation 1, message m2")


def test_an_event_has_the_time_session_and_id_of_its_message(tmp_path: Path) -> None:
    event = events(export(tmp_path / "f", conversation(node("m1", "root", "user", "Hello"))))[0]
    assert event.event_time == datetime(2023, 11, 14, 22, 14, 20)
    assert (event.session, event.external_id, event.source) == ("c1", "c1/m1", "chatgpt")
    assert event.metadata == {"title": "Tiles for the kitchen"}


def test_hidden_messages_instructions_and_thinking_are_skipped_with_their_reasons(tmp_path: Path) -> None:
    path = export(
        tmp_path / "f",
        conversation(
            node("m1", "root", "system", "", weight=0.0),
            node("m2", "m1", "user", {"content_type": "user_editable_context", "user_profile": "Preferred name: M"}),
            node("m3", "m2", "user", "Not shown", metadata={"is_visually_hidden_from_conversation": True}),
            node("m4", "m3", "assistant", {"content_type": "thoughts", "thoughts": [{"summary": "…", "content": "…"}]}),
            node("m5", "m4", "assistant", {"content_type": "reasoning_recap", "content": "Thought for 8s"}),
            node("m6", "m5", "assistant", "Weightless", weight=0),
            node("m7", "m6", "user", {"content_type": "multimodal_text", "parts": [{"content_type": "image_asset_pointer"}]}),
            node("m8", "m7", "assistant", ""),
        ),
    )
    assert events(path) == []
    assert reasons(path) == [
        "system message",
        "custom instructions",
        "hidden from the conversation",
        "the model's thinking",
        "the model's thinking",
        "hidden from the conversation",
        "a picture, file or sound without words",
        "nothing said in it",
    ]


def test_every_kind_of_content_that_has_words_is_read(tmp_path: Path) -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://f1"}
    spoken = {"content_type": "audio_transcription", "text": "and how much glue"}
    quote = {"content_type": "tether_quote", "title": "Tile guide", "text": "5 kg a square metre", "url": "https://example.org"}
    path = export(
        tmp_path / "f",
        conversation(
            node("m1", "root", "user", {"content_type": "multimodal_text", "parts": ["How many", picture, spoken]}),
            node("m2", "m1", "assistant", {"content_type": "code", "language": "python", "text": "12 * 1.1"}, recipient="python"),
            node("m3", "m2", "tool", {"content_type": "execution_output", "text": "13.2"}, name="python"),
            node("m4", "m3", "tool", {"content_type": "tether_browsing_display", "result": "Two pages"}, name="browser"),
            node("m5", "m4", "tool", quote, name="browser"),
            node("m6", "m5", "assistant", "Thirteen\ue200cite\ue202turn0search1\ue201 of them."),
        ),
    )
    got = events(path)
    assert [e.content for e in got] == [
        "How many\n\nand how much glue",
        {"type": "tool_use", "name": "python", "input": "12 * 1.1"},
        "13.2",
        "Two pages",
        "Tile guide: 5 kg a square metre",
        "Thirteen of them.",
    ]
    assert [e.actor for e in got] == ["user", "assistant", "python", "browser", "browser", "assistant"]
    assert got[0].metadata["attachments"] == 1


def test_without_a_current_message_the_newest_leaf_ends_the_path_and_a_cycle_ends_too(tmp_path: Path) -> None:
    tree = conversation(
        node("m1", "root", "user", "Old or new?"), node("m3", "m1", "assistant", "New."), node("m2", "m1", "assistant", "Old.")
    )
    tree["current_node"] = None
    round_about = conversation(node("m1", "m2", "user", "One"), node("m2", "m1", "user", "Two"), id="c2")
    path = export(tmp_path / "f", tree, round_about)
    assert [e.content for e in events(path)] == ["Old or new?", "New.", "One", "Two"]


def test_a_message_without_a_time_is_dated_like_the_one_before_it(tmp_path: Path) -> None:
    path = export(
        tmp_path / "f",
        conversation(node("m5", "root", "user", "Dated"), node("m6", "m5", "assistant", "Undated", create_time=None)),
    )
    first, second = events(path)
    assert first.event_time == second.event_time == datetime(2023, 11, 14, 22, 18, 20)


def test_the_zip_is_read_as_it_came_also_in_several_parts(tmp_path: Path) -> None:
    one = export(tmp_path / "1", conversation(node("m1", "root", "user", "First part")))
    two = export(tmp_path / "2", conversation(node("m1", "root", "user", "Second part"), id="c2"))
    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(two, "conversations-001.json")
        archive.write(one, "conversations-000.json")
        archive.writestr("user.json", "{}")
    assert [e.content for e in events(tmp_path / "export.zip")] == ["First part", "Second part"]


def test_a_zip_of_something_else_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("holiday.txt", "sun")
    with pytest.raises(UnreadableFile, match=r"without conversations\.json"):
        events(tmp_path / "export.zip")


def test_a_broken_end_keeps_what_came_before(tmp_path: Path) -> None:
    path = export(
        tmp_path / "f",
        conversation(node("m1", "root", "user", "Whole")),
        conversation(node("m1", "root", "user", "Cut"), id="c2"),
    )
    path.write_text(path.read_text()[:-200])
    assert [e.content for e in events(path)] == ["Whole"]
    assert reasons(path) == ["the file breaks off or is not JSON from here on"]


def test_lone_surrogates_and_invalid_utf8_do_not_end_the_file(tmp_path: Path) -> None:
    """faults: a lone surrogate ("\\ud83d abc") as content."""
    path = export(
        tmp_path / "f",
        conversation(node("m1", "root", "user", "HIGH abc")),
        conversation(node("m1", "root", "user", "LOW abc"), id="c2"),
        conversation(node("m1", "root", "user", "PAIR BYTES"), id="c3"),
    )
    raw = path.read_bytes().replace(b"HIGH", b"\\ud83d").replace(b"LOW", b"\\\\\\uDFFF")
    path.write_bytes(raw.replace(b"PAIR", b"\\ud83d\\ude00").replace(b"BYTES", b"\xff\xfe"))
    assert [e.content for e in events(path)] == ["\ufffd abc", "\\\ufffd abc", "\U0001f600 \ufffd\ufffd"]
