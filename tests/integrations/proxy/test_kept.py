"""Blocks are kept so many, so much and so long, and known by their turns wherever these stand."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from thoth_substrate.integrations.proxy import kept
from thoth_substrate.integrations.proxy.dialects import CHAT, MESSAGES, Dialect, conversation
from thoth_substrate.integrations.proxy.kept import Block, Kept, names
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.projection import Cited, Kind, Line, Projection

NOW = datetime(2026, 5, 15, tzinfo=UTC)
Message = dict[str, Any]


def a_block(text: str = "B") -> Block:
    return Block(text, False, UUID(int=1), 1, frozenset(), frozenset())


def named(*messages: Message, place: int = -1, session: str = "s", tenant: str = "t", dialect: Dialect = CHAT) -> tuple[str, ...]:
    found = conversation(dialect, json.dumps({"messages": messages}).encode())
    assert found is not None
    return names(tenant, session, found, list(found.turns())[place])


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def assistant(text: str) -> Message:
    return {"role": "assistant", "content": text}


def test_the_one_not_used_for_longest_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST_NAMES", 2)
    store = Kept(PinnedClock(NOW))
    first, second, third = (a_block(text) for text in "abc")
    store.keep(["1"], first)
    store.keep(["2"], second)
    store.keep(["1"], first)
    store.keep(["3"], third)
    assert [store.find([name]) for name in "123"] == [first, None, third]


def test_no_more_bytes_are_kept_than_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST_BYTES", 10)
    store = Kept(PinnedClock(NOW))
    for number in range(5):
        store.keep([str(number)], a_block("東東"[: 1 + number % 2]))
    assert len(store) == 2
    store.keep(["4"], a_block("x" * 11))
    assert len(store) == 0
    store.keep(["5"], a_block("x" * 10))
    assert store.find(["5"]) is not None


def test_what_was_not_used_for_an_hour_is_gone_and_each_use_counts() -> None:
    clock = PinnedClock(NOW)
    store = Kept(clock)
    store.keep(["1"], a_block())
    for _ in range(3):
        clock.advance(timedelta(minutes=59))
        found = store.find(["1"])
        assert found is not None
        store.keep(["1"], found)
    clock.advance(timedelta(minutes=61))
    assert store.find(["1"]) is None
    assert len(store) == 0


def test_a_block_that_is_let_go_is_gone_under_each_of_its_names() -> None:
    store = Kept(PinnedClock(NOW))
    one, other = a_block(), a_block()
    store.keep(["1", "2"], one)
    store.keep(["3"], other)
    store.forget(["2"])
    assert (store.find(["1"]), store.find(["2"])) == (one, None)
    store.keep(["1", "2"], one)
    store.let_go(one)
    assert [store.find([name]) for name in "123"] == [None, None, other]


def test_a_turn_has_the_same_name_wherever_it_stands_and_however_it_is_written() -> None:
    history = [user("one"), assistant("two"), user("three")]
    assert named(*history) == named(*history, assistant("four"), user("five"), place=2) == named(*history[1:])
    marked = {"role": "user", "content": [{"type": "text", "text": "three ", "cache_control": {"type": "ephemeral"}}]}
    assert named(*history[:2], marked, dialect=MESSAGES) == named(*history)
    assert named(history[2])[0] in named(*history)[1:]


def test_another_tenant_session_place_or_turn_has_another_name() -> None:
    history = [user("go on"), assistant("two"), user("go on")]
    result = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "c", "content": "x"}, {"type": "text", "text": "go on"}],
    }
    others = [
        named(*history, tenant="u"),
        named(*history, session="u"),
        named(*history[:2], user("go off")),
        named(*history[:1], assistant("three"), history[2]),
        named(*history[:2], result, dialect=MESSAGES),
        named(*history, place=0),
    ]
    firsts = {found[0] for found in (*others, named(*history))}
    assert len(firsts) == len(others) + 1


def test_a_block_knows_what_it_shows() -> None:
    quote = Line("1", UUID(int=5), 0, "s", "maya", NOW, "", "x", 1.0, 1.0)
    fact = replace(quote, slice_id=UUID(int=6), kind=Kind.FACT, row_id=7, sources=(Cited(UUID(int=6), 0),))
    block = Block.of(Projection("B", (quote, fact), recall_id=UUID(int=1)), is_part=True)
    assert block == Block("B", True, UUID(int=1), 2, frozenset({UUID(int=5)}), frozenset({7}))
