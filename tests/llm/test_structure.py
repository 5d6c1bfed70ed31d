"""Reading what models really write: each malformed reply is salvaged item by item, or said to have failed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from thoth_substrate.llm.structure import MOST_CHARS, Read, read_reply


class Thing(BaseModel):
    name: str
    kind: str = "thing"
    confidence: float = Field(default=1.0, ge=0, le=1)
    quotes: list[str] = []


class Reply(BaseModel):
    things: list[Thing] = []
    links: list[str] = []
    summary: str = ""


class Strict(BaseModel):
    things: list[Thing]
    importance: float


GOOD = '{"things": [{"name": "mill"}, {"name": "ship", "quotes": ["a ship"]}], "links": ["mill-ship"], "summary": "s"}'


def names(found: Read[Reply]) -> list[str]:
    assert found.value is not None, found.problem
    return [thing.name for thing in found.value.things]


def test_a_good_reply_is_read_as_it_is() -> None:
    found = read_reply(Reply, GOOD)
    assert (names(found), found.dropped, found.mended) == (["mill", "ship"], 0, False)
    empty = read_reply(Reply, '{"things": [], "links": []}')
    assert (empty.value, empty.dropped) == (Reply(), 0)


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{GOOD}\n```",
        f"Sure! Here is the JSON you asked for:\n\n```json\n{GOOD}\n```\nLet me know if you need anything else {{smile}}.",
        f"Here you go: {GOOD}",
        f'The reply should look like {{"name": "x"}}. So:\n{GOOD}',
        f'<think>First {{"things": [{{"name": "draft"}}]}}? No.</think>\n{GOOD}',
        f"<|channel|>final<|message|>{GOOD}<|end|>",
        f"```\n{GOOD}",
        f"\ufeff{GOOD}",
        GOOD.replace('"}]', '",}]').replace('"s"}', '"s",}').replace('"ship"]', '"ship",]'),
        GOOD.replace('"', "'"),
        GOOD.replace('"things"', "things"),
        GOOD.replace("}, {", "} {"),
        GOOD.replace(": ", ":\n\t// a note\n "),
        json.dumps(GOOD),
        json.dumps({"name": "reply", "arguments": GOOD}),
        json.dumps({"name": "reply", "parameters": json.loads(GOOD)}),
        json.dumps({"result": json.loads(GOOD)}),
        json.dumps([json.loads(GOOD)]),
        GOOD.replace("things", "Things").replace("summary", "SUMMARY"),
        # as open models of several makers write when they call a tool in words
        f'<tool_call>\n{{"name": "reply", "arguments": {GOOD}}}\n</tool_call>',
        f'[TOOL_CALLS][{{"name": "reply", "arguments": {GOOD}}}]',
        f'<|python_tag|>{{"name": "reply", "parameters": {GOOD}}}',
        f"Thought: I should call the tool.\nAction: reply\nAction Input: {GOOD}\nObservation:",
        f"**Answer**\n\n1. The JSON:\n\n    {GOOD}\n\n2. Notes: [none]",
        f"<think>\nThe user wants {{things}}… I'd say: ```json\n{{}}\n```\n</think>\n\n```json\n{GOOD}\n```",
        GOOD.replace("{", "{\n  ").replace(", ", ",\n  ").replace("}", "\n}"),
        GOOD + "\n" + GOOD[:0] + "\nIs there anything else?",
        GOOD + "<|im_end|><|endoftext|>",
    ],
    ids=range(28),
)
def test_a_reply_wrapped_or_written_badly_loses_nothing(text: str) -> None:
    """faults: prose, fences, prefix chatter, trailing commas, single quotes."""
    found = read_reply(Reply, text)
    assert (names(found), found.dropped) == (["mill", "ship"], 0)
    assert found.value is not None
    assert (found.value.links, found.value.summary) == (["mill-ship"], "s")


@pytest.mark.parametrize(
    "text", ["", "  \n", "I am sorry, I cannot help with that.", "null", "[]", "{}", '""', "42", "{{{{", '{"', "```json\n```",
             '{"answer": "yes"}', '{"error": {"code": 5}}', "<html><body>502 {bad} gateway</body></html>", "things", "[1, 2, 3]",
             '{"things": "none"}', '{"things": [1, 2]}', '{"things": [{"nom": "mill"}]}'],
)  # fmt: skip
def test_a_failure_is_never_an_empty_result(text: str) -> None:
    """faults: an empty reply, a schema ignored."""
    found = read_reply(Reply, text)
    assert found.value is None
    assert found.problem


def test_one_bad_item_never_discards_its_neighbours() -> None:
    things: list[Any] = [{"name": "mill"}, {"nom": "x"}, None, {"name": "ship", "quotes": ["a", None, {"b": 1}]}, {"name": ["y"]},
                         {"name": "sea", "confidence": 7}]  # fmt: skip
    found = read_reply(Reply, json.dumps({"things": things, "links": {"a": 1}, "summary": None}))
    assert names(found) == ["mill", "ship"]
    assert found.value is not None
    assert found.value.things[1].quotes == ["a"]
    assert found.dropped == 4 + 2 + 1 + 1


def test_what_can_be_understood_is_not_dropped() -> None:
    found = read_reply(Reply, '{"things": {"name": 1984, "confidence": "0.5", "quotes": "once"}, "links": "a-b"}')
    assert found.value == Reply(things=[Thing(name="1984", confidence=0.5, quotes=["once"])], links=["a-b"])
    assert found.dropped == 0


def test_a_bare_list_becomes_the_one_list_that_was_asked_for() -> None:
    class One(BaseModel):
        things: list[Thing] = []

    expected = One(things=[Thing(name="mill"), Thing(name="ship")])
    assert read_reply(One, '[{"name": "mill"}, {"name": "ship"}]').value == expected
    assert read_reply(One, '{"name": "mill"}\n{"name": "ship"}').value == expected
    assert read_reply(One, '{"things": [{"name": "mill"}]}\n\n{"things": [{"name": "ship"}]}').value == expected


def test_a_remark_in_brackets_is_no_list_of_texts() -> None:
    class Links(BaseModel):
        links: list[str] = []

    assert read_reply(Links, "[Note] I cannot see any links.").value is None
    assert read_reply(Links, '["a-b", "b-c"]').value == Links(links=["a-b", "b-c"])


def test_what_is_missing_and_has_no_default_is_a_failure() -> None:
    assert "importance (missing)" in read_reply(Strict, '{"things": []}').problem
    assert "things (missing)" in read_reply(Strict, '{"importance": 1}').problem
    assert read_reply(Strict, '{"things": [], "importance": "high"}').value is None


@pytest.mark.parametrize("cut", range(12, len(GOOD)))
def test_a_reply_truncated_anywhere_keeps_finished_items_only(cut: int) -> None:
    """faults: truncated mid-string. Half a statement may say the opposite of the whole."""
    found = read_reply(Reply, GOOD[:cut])
    if found.value is not None:
        assert found.dropped == 1
        assert [
            thing for thing in found.value.things if thing not in (Thing(name="mill"), Thing(name="ship", quotes=["a ship"]))
        ] == []
        assert set(found.value.links) <= {"mill-ship"}
        assert found.value.summary == ""
    else:
        assert cut < GOOD.index("}") + 1


def test_escapes_that_json_does_not_know_are_read_as_they_stand() -> None:
    r"""faults: `\e`."""
    found = read_reply(Reply, r'{"things": [{"name": "C:\elsewhere"}, {"name": "it\'s"}], "summary": "a\qb"}')
    assert names(found) == [r"C:\elsewhere", "it's"]


def test_nul_and_lone_surrogates_become_what_a_database_takes() -> None:
    """faults: a NUL in a model's reply; a lone surrogate."""
    text = '{"things": [{"name": "a\\u0000b"}, {"name": "\\ud83d abc"}, {"name": "\\ud83d\\udc4d"}, {"name": "raw\x00nul"}]}'
    found = names(read_reply(Reply, text))
    assert found == ["a\ufffdb", "\ufffd abc", "👍", "raw\ufffdnul"]


def test_control_characters_in_strings_are_kept() -> None:
    assert names(read_reply(Reply, '{"things": [{"name": "two\nlines\tand a tab"}]}')) == ["two\nlines\tand a tab"]


@pytest.mark.parametrize("text", ["[" * 100_000, '{"things":' * 100_000, '{"things": [' + '{"name": "a", ' * 20_000, "{" * 5000,
                                  '{"a": "' * 3000, "\n{" * 4000])  # fmt: skip
def test_a_model_that_repeats_itself_is_a_failure_and_no_crash(text: str) -> None:
    assert read_reply(Reply, text[:MOST_CHARS]).value is None
    assert "longer" in read_reply(Reply, "x" * (MOST_CHARS + 1)).problem


def test_a_problem_never_holds_content() -> None:
    for text in ('{"importance": "SECRET"}', '{"things": [{"nom": "SECRET"}]}', "SECRET", '{"SECRET": 1}'):
        assert "SECRET" not in read_reply(Strict, text).problem


@given(st.text(max_size=300))
def test_reading_never_raises(text: str) -> None:
    for written in (text, '{"things": [' + text, GOOD[: len(text)] + text):
        read = read_reply(Reply, written)
        assert (read.value is None) == bool(read.problem)  # a value, or what is wrong: never neither, never both
