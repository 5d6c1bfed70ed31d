"""A block goes into one turn's text, and nothing else in the bytes moves."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoth_substrate.integrations.proxy.splice import with_block

BLOCK = '<memory-context>\n412 Maya: "naïve" \\ 東京\n</memory-context>'
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
CONTENTS = st.text() | st.lists(st.dictionaries(st.text(), VALUES, max_size=3), max_size=4)


def test_words_get_the_block_behind_them() -> None:
    body = b'{"messages" : [ {"role":"user","content":"h\\u00e9 \\ud83d" , "n":1.50e3} ],"a":1}'
    made = with_block(body, "messages", 0, "text", BLOCK)
    assert made is not None
    inserted = json.dumps(f"\n\n{BLOCK}", ensure_ascii=False)[1:-1].encode()
    assert made == body.replace(b"\\ud83d", b"\\ud83d" + inserted)


def test_parts_get_another_part_behind_them() -> None:
    body = b'{"messages":[{"content":[ {"type":"image","source":{}} ,{"type":"text","text":"x"}\n],"role":"user"}]}'
    made = with_block(body, "messages", 0, "text", "B")
    assert made == body.replace(b'"x"}', b'"x"},{"type":"text","text":"B"}')
    assert with_block(b'{"input":[{"content":[]}]}', "input", 0, "input_text", "B") == (
        b'{"input":[{"content":[{"type":"input_text","text":"B"}]}]}'
    )


def test_words_that_had_the_block_as_a_part_before_become_a_part() -> None:
    body = b'{"messages":[ {"role":"user","content" : "h\\u00e9" , "n":1.50e3} ],"a":1}'
    made = with_block(body, "messages", 0, "text", "B", as_part=True)
    assert made == body.replace(b'"h\\u00e9"', b'[{"type":"text","text":"h\\u00e9"},{"type":"text","text":"B"}]')
    parts = b'{"messages":[{"content":[{"type":"text","text":"x"}]}]}'
    assert with_block(parts, "messages", 0, "text", "B", as_part=True) == with_block(parts, "messages", 0, "text", "B")
    assert with_block(b'{"input":"x"}', "input", None, "input_text", "B", as_part=True) == b'{"input":"x\\n\\nB"}'


def test_an_input_that_is_one_string_is_the_turn() -> None:
    assert with_block(b'{"input": "hi" }', "input", None, "input_text", "B") == b'{"input": "hi\\n\\nB" }'


def test_of_a_key_that_stands_twice_the_last_counts_as_it_does_for_parsers() -> None:
    body = b'{"messages":[{"content":"first"}],"messages":[{"content":"x","content":"last"}]}'
    made = with_block(body, "messages", 0, "text", "B")
    assert made == body.replace(b"last", b"last\\n\\nB")


@pytest.mark.parametrize(
    "body",
    [
        b"", b"nothing", b"[]", b'{"messages":', b'{"messages":{}}', b'{"messages":[{"content":null}]}', b'{"messages":[]}',
        b'{"messages":[{"role":"user"}]}', b'{"messages":[{"content":7}]}', b'\xff{"messages":[]}', b'{"messages" [1]}',
        b'{"messages":[{"content":"x"} {"content":"y"}]}', b'{"messages":[' + b"[" * 100_000, b"{1:2}",
        b'{"n":' + b"1" * 10_000 + b',"messages":[{"content":"x"}]}',
    ],
)  # fmt: skip
def test_what_is_no_such_request_is_left_alone(body: bytes) -> None:
    assert with_block(body, "messages", 0, "text", BLOCK) is None


@given(
    before=st.dictionaries(st.text(), VALUES, max_size=3),
    turns=st.lists(st.fixed_dictionaries({"role": st.just("user"), "content": CONTENTS}), min_size=1, max_size=4),
    index=st.integers(0, 3),
    indent=st.sampled_from([None, 0, 2]),
    plain=st.booleans(),
)
def test_whatever_the_request_only_the_turn_changes(
    before: dict[str, Any], turns: list[dict[str, Any]], index: int, indent: int | None, plain: bool
) -> None:
    index = min(index, len(turns) - 1)
    wanted = before | {"messages": turns}
    body = json.dumps(wanted, indent=indent, ensure_ascii=plain).encode("utf-8", "surrogatepass")
    made = with_block(body, "messages", index, "text", BLOCK)
    if made is None:  # a lone surrogate, raw: no UTF-8
        assert not plain
        return
    content = turns[index]["content"]
    turns[index]["content"] = f"{content}\n\n{BLOCK}" if isinstance(content, str) else [*content, {"type": "text", "text": BLOCK}]
    assert json.loads(made) == wanted
    start = next(at for at in range(len(body) + 1) if body[at : at + 1] != made[at : at + 1])
    added = len(made) - len(body)
    assert any(made[at + added :] == body[at:] for at in range(max(0, start - added), start + 1))
