"""The format is told by what a file holds, whatever it is called."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.imports import test_chatgpt, test_claude_code, test_locomo
from tests.imports.files import document, events, jsonl, reasons
from thoth_substrate.errors import BadInput, UnreadableFile
from thoth_substrate.imports.detect import FORMATS, reader_for
from thoth_substrate.imports.source import HEAD_BYTES, Source

MESSAGE = {"role": "user", "content": "Hello", "conversation": "c1"}


def told(path: Path) -> str:
    with Source(path) as source:
        return reader_for(source).NAME


def test_each_format_is_told_from_the_others(tmp_path: Path) -> None:
    tree = test_chatgpt.conversation(test_chatgpt.node("m1", "root", "user", "Hello"))
    files = {
        "chatgpt": [document(tmp_path / "1.txt", [tree]), document(tmp_path / "2.jsonl", tree)],
        "locomo": [document(tmp_path / "3.jsonl", [test_locomo.SAMPLE]), document(tmp_path / "4", test_locomo.SAMPLE)],
        "claude-code": [test_claude_code.transcript(tmp_path / "conversations.json")],
        "jsonl": [jsonl(tmp_path / "5.zip", [MESSAGE]), document(tmp_path / "6.json", [MESSAGE])],
    }
    assert {path.name: told(path) for paths in files.values() for path in paths} == {
        path.name: name for name, paths in files.items() for path in paths
    }


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("start", ["", "\ufeff", "\n \n"])
def test_layout_and_byte_order_mark_do_not_matter(tmp_path: Path, indent: int | None, start: str) -> None:
    path = tmp_path / "f"
    path.write_text(start + json.dumps(test_locomo.SAMPLE, indent=indent), encoding="utf-8")
    assert told(path) == "locomo"
    assert len(events(path)) == 4
    path.write_text(start + json.dumps(MESSAGE), encoding="utf-8")
    assert [e.content for e in events(path)] == ["Hello"]


def test_a_first_record_larger_than_the_look_is_still_told(tmp_path: Path) -> None:
    big = "x" * (HEAD_BYTES + 1000)
    tree = test_chatgpt.conversation(test_chatgpt.node("m1", "root", "user", big))
    assert told(document(tmp_path / "1", [tree])) == "chatgpt"
    assert told(jsonl(tmp_path / "2", [test_claude_code.line("user", 1, big)])) == "claude-code"
    assert told(jsonl(tmp_path / "3", [{"role": "user", "content": big}])) == "jsonl"


def test_broken_first_lines_do_not_hide_the_format(tmp_path: Path) -> None:
    lines = ['{"type":"user","message":{"ro', test_claude_code.line("user", 1, "Hello"), test_claude_code.line("user", 2, "Two")]
    assert told(jsonl(tmp_path / "f", lines)) == "claude-code"


def test_the_named_format_wins(tmp_path: Path) -> None:
    path = test_claude_code.transcript(tmp_path / "f")
    assert {e.source for e in events(path, "jsonl")} == {"jsonl"}
    with pytest.raises(BadInput, match="choose one of chatgpt, locomo, claude-code, telegram, jsonl, ics, mail"):
        events(path, "mbox")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"Dear diary,\ntoday", "none of the formats"),
        (b'{"a": 1}\n', "none of the formats"),
        (b"[]", "none of the formats"),
        (b"\x00\xff\x00", "none of the formats"),
        (b"PK\x03\x04nothing", "damaged zip"),
    ],
)
def test_what_is_not_recognised_is_refused_with_the_formats_named(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "f"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=sentence) as refused:
        told(path)
    if "zip" not in sentence:
        assert all(name in str(refused.value) for name in FORMATS)


def test_a_folder_and_a_missing_file_are_sentences_too(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="is a folder, and no Slack export"):
        events(tmp_path)
    with pytest.raises(UnreadableFile, match="cannot be read"):
        Source(tmp_path / "nothing.jsonl")


def test_gzip_is_read_and_damage_keeps_what_came_before(tmp_path: Path) -> None:
    text = "".join(json.dumps({"content": f"message {n}, {hash(str(n))}"}) + "\n" for n in range(5000)).encode()
    whole = tmp_path / "whole.jsonl.gz"
    whole.write_bytes(gzip.compress(text))
    assert len(events(whole)) == 5000
    cut = tmp_path / "cut.gz"
    cut.write_bytes(whole.read_bytes()[:-5000])
    assert 0 < len(events(cut)) < 5000
    assert reasons(cut)[-1] == "the compressed data is damaged from here on"


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe(io.BytesIO):
        """Gives a few bytes at a time, as a pipe may."""

        def read1(self, count: int | None = -1, /) -> bytes:
            return super().read1(min(count, 7) if count is not None and count > 0 else count)

    def piped(data: bytes) -> Any:
        return type("stdin", (), {"buffer": Pipe(data)})()

    data = b"".join(json.dumps({"content": f"message {n}"}).encode() + b"\n" for n in range(100))
    for sent in (data, gzip.compress(data)):
        monkeypatch.setattr(sys, "stdin", piped(sent))
        assert len(events(Path("-"))) == 100


def test_the_place_in_the_file_is_known_for_the_progress_bar(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "f", [MESSAGE] * 100_000)
    with Source(path) as source:
        places = [source.done for number, _ in enumerate(reader_for(source).read(source)) if number % 10_000 == 0]
        assert places == sorted(places)
        assert source.size == path.stat().st_size
        assert places[0] < source.size / 2
        assert source.done == source.taken == source.size
