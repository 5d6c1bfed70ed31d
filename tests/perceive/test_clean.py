"""Cleaning: what PostgreSQL cannot hold, our own blocks, media, and the text of structured content."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoth_substrate.perceive.clean import clean, plain, text_of, without_data_urls, without_media, without_own_context

BLOCK = "<memory-context>\n[101] Anna lives in Berlin\n</memory-context>"
PIXEL = "data:image/png;base64," + "iVBORw0KGgo" * 8


def test_a_nul_and_a_lone_surrogate_become_the_replacement_character() -> None:
    """faults: a NUL in content; a lone surrogate as content; astral emoji stay what they are."""
    assert clean("a\x00b") == "a�b"
    assert clean("\ud83d abc") == "� abc"
    assert clean("\ud83d\ude00") == "😀"
    assert clean("😀 naïve 中文") == "😀 naïve 中文"


@given(st.text(alphabet=st.characters(codec=None)))
def test_cleaned_text_can_always_be_stored(text: str) -> None:
    cleaned = clean(text)
    assert "\x00" not in cleaned
    assert cleaned.encode().decode() == cleaned
    assert clean(cleaned) == cleaned


def test_anything_at_all_becomes_json() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    odd = {1: "a\x00", "b": {2}, "c": 1 << 80, "d": b"xyz", "\ud83d": object, "e": cycle, "f": (1, 2), "g": None}
    made = plain(odd)
    assert orjson.loads(orjson.dumps(made)) == made
    assert made["1"] == "a�"
    assert made["b"] == [2]
    assert made["d"] == "[binary, 3 bytes]"
    assert made["f"] == [1, 2]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (BLOCK, ""),
        (f"Hello\n\n{BLOCK}\n\nWhat now?", "Hello\n\n\n\nWhat now?"),
        (f"{BLOCK} and {BLOCK}", "and"),
        ("a <memory-context a='1'>x</memory-context> b", "a  b"),
        (f"<memory-context>\nquoted: {BLOCK}\n</memory-context> rest", "rest"),
        ("<memory-context>\nIt said <memory-context> once.\n</memory-context>\nrest", "rest"),
        ("&lt;memory-context&gt;\nx\n&lt;/memory-context&gt; rest", "rest"),
        (r"\u003cmemory-context\u003e\nx\n\u003c/memory-context\u003e rest", "rest"),
        (r"<memory-context>\nx\n<\/memory-context> rest", "rest"),
        ("<memory-context>\n&lt;/memory-context&gt; is data\n</memory-context> rest", "rest"),
        ("Hello\n<memory-context>\n[101] cut short by the ho", "Hello"),
        ("<MEMORY-CONTEXT>\nx\n</MEMORY-CONTEXT>", ""),
    ],
)
def test_our_own_block_is_taken_out_whole(text: str, left: str) -> None:
    """faults: content that contains our own <memory-context> block (nested, escaped, cut short)."""
    assert without_own_context(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "What does the <memory-context> tag do?",
        "A stray </memory-context> on its own.",
        "You are a helpful assistant. System prompt: be brief.",
        "memory-context",
    ],
)
def test_words_about_our_block_are_kept(text: str) -> None:
    """faults: content that contains a system prompt, or </memory-context>."""
    assert without_own_context(text) == text


def test_data_urls_are_replaced_by_their_type_and_size() -> None:
    """faults: images as data URLs."""
    assert without_data_urls(f"![x]({PIXEL}) seen") == "![x]([image/png, 66 bytes]) seen"
    part = {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "abcd" * 30}}
    assert without_media([part])[0]["source"]["data"] == "[image/jpeg, 90 bytes]"
    sound = {"type": "input_audio", "input_audio": {"data": "abcd" * 3, "format": "wav"}}
    assert without_media(sound)["input_audio"]["data"] == "[wav, 9 bytes]"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {"url": "[image/png, 9 bytes]"}}], "Look:"),
        ({"role": "user", "content": "Hi"}, "Hi"),
        ({"role": "assistant", "content": [{"type": "output_text", "text": "One"}, "Two"]}, "One\nTwo"),
        (
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Bonn"}'}}]},
            'weather\n{"city": "Bonn"}',
        ),
        ([{"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "port 5432"}}], "search\nq: port 5432"),
        ({"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "found"}]}, "found"),
        ({"temperature": 21.5, "unit": "C", "tags": ["a", "b"], "none": None}, "temperature: 21.5\nunit: C\ntags: a, b"),
        ({"type": "bug", "id": 7, "author": {"name": "Ann"}}, "type: bug\nid: 7\nname: Ann"),
        ([], ""),
        (42, "42"),
    ],
)  # fmt: skip
def test_the_text_of_structured_content_is_its_words(content: Any, text: str) -> None:
    """faults: a tool-call-only assistant message; content as an array of parts; an unknown role."""
    assert text_of(content) == text
