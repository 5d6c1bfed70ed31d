"""The Python client against the real server: the same calls with asyncio and without it."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from tests.integrations.settling import settled
from tests.server.serving import Served, serving
from tests.server.tokens import token
from thoth_substrate.access.tokens import PREFIX
from thoth_substrate.client import SyncThothClient, ThothClient, answers
from thoth_substrate.errors import (
    AlreadyReplaced,
    BadInput,
    NotPermitted,
    RequestFailed,
    ServerUnavailable,
    TokenNeeded,
    UnknownConcept,
    UnknownSlice,
)
from thoth_substrate.settings import load


class Blocking:
    """`ThothClient` for a test without a loop: each call is run to its end on one of its own."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._runner = asyncio.Runner()
        self._client = ThothClient(*arguments, **options)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._client, {"close": "aclose"}.get(name, name))

        def called(*arguments: Any, **options: Any) -> Any:
            return self._runner.run(_whole(method(*arguments, **options)))

        return called

    def end(self) -> None:
        self.close()
        self._runner.close()


class Plain(SyncThothClient):
    """`SyncThothClient`, ended as the other one is."""

    def end(self) -> None:
        self.close()


async def _whole(answer: Any) -> Any:
    if inspect.isasyncgen(answer):
        return [one async for one in answer]
    return await answer


Made = Callable[..., Any]
NOBODY = UUID("019e2a3b-4c5d-7001-8a6b-1f0c9d2e4b77")


@pytest.fixture(params=[Blocking, Plain], ids=["with asyncio", "without"])
def connect(request: pytest.FixtureRequest) -> Iterator[Made]:
    """Makes clients of one kind, and ends them."""
    made: list[Any] = []

    def connected(*arguments: Any, **options: Any) -> Any:
        made.append(request.param(*arguments, **options))
        return made[-1]

    yield connected
    for client in made:
        client.end()


@pytest.fixture
def served(dsn: str, tmp_path: Path) -> Iterator[Served]:
    with serving(dsn, tmp_path) as running:
        yield running


@pytest.fixture
def thoth(connect: Made, served: Served) -> Any:
    return connect(served.url, timeout_s=60)


def test_a_memory_is_made_read_changed_and_deleted(thoth: Any) -> None:
    made = thoth.remember(
        {"fact": "Maya lives in Porto"}, session="s1", event_time=datetime(2026, 5, 1, tzinfo=UTC), metadata={"n": 1, "m": 1}
    )
    memory = thoth.memory(made.id)
    assert isinstance(made.id, UUID)
    assert (made.state, made.repeated, memory.content, memory.session) == (
        "pending",
        False,
        {"fact": "Maya lives in Porto"},
        "s1",
    )
    assert memory.event_time == datetime(2026, 5, 1, tzinfo=UTC)
    changed = thoth.change(made.id, "Maya lives in Lisbon", metadata={"m": None})
    assert (changed.replaces, changed.version, changed.memory.metadata) == (made.id, 2, {"n": 1})
    assert [(one.version, one.id) for one in thoth.history(changed.id)] == [(1, made.id), (2, changed.id)]
    with pytest.raises(AlreadyReplaced, match=str(changed.id)):
        thoth.change(made.id, "late")
    assert thoth.delete(changed.id).changed
    assert not thoth.delete(changed.id).changed
    assert thoth.delete(changed.id, purge=True).receipt.state == "done"
    with pytest.raises(UnknownSlice):
        thoth.memory(NOBODY)


def test_a_key_makes_one_memory_and_each_call_has_its_own(thoth: Any) -> None:
    first, again = (thoth.remember("once", idempotency_key="k1") for _ in range(2))
    assert (again.id, first.repeated, again.repeated) == (first.id, False, True)
    assert thoth.remember("once").id != thoth.remember("once").id


def test_memories_are_listed_by_filters_and_page_by_page(thoth: Any) -> None:
    for number in range(5):
        thoth.remember(f"note {number}", session="s1" if number % 2 else "s2", metadata={"n": number})
    page = thoth.memories(limit=2)
    assert [one.text for one in page.memories] == ["note 4", "note 3"]
    assert [one.text for one in thoth.memories(limit=2, cursor=page.next_cursor).memories] == ["note 2", "note 1"]
    assert [one.text for one in thoth.each_memory(limit=2)] == [f"note {n}" for n in (4, 3, 2, 1, 0)]
    assert [one.text for one in thoth.each_memory(session="s1", state=["pending", "passed"])] == ["note 3", "note 1"]
    assert [one.text for one in thoth.memories(metadata={"n": 2}, since=datetime(2020, 1, 1, tzinfo=UTC)).memories] == ["note 2"]


def test_recall_and_questions(thoth: Any, served: Served) -> None:
    thoth.remember("The parrot is called Zazu", actor="maya", stream="thoth.world.user_message.slack")
    settled(served.substrate, served.settings)
    found = thoth.recall("What is the parrot called?", deadline_ms=20_000, explain=True)
    (line,) = found.lines
    assert ("Zazu" in found.block, line.text, line.actor, type(line.slice_id)) == (
        True,
        "The parrot is called Zazu",
        "maya",
        UUID,
    )
    assert thoth.recall("ok").empty_reason == "trivial_query"
    answered = thoth.ask("What is the parrot called?", mode="search")
    assert (answered.outcome, answered.supported, [one.who for one in answered.citations]) == ("no_model", False, ["maya"])
    *words, whole = list(thoth.ask_streamed("What is the parrot called?", mode="search"))
    assert (whole.outcome, all(isinstance(word, str) for word in words)) == ("no_model", True)
    with pytest.raises(BadInput):
        list(thoth.ask_streamed(""))


def test_what_is_going_on(thoth: Any) -> None:
    concept = thoth.note_topic(["parrot show"], ["mail:<1@x>"], days=2)
    assert (concept.keywords, concept.sources[0].ref) == (["parrot show"], "<1@x>")
    aware = thoth.awareness()
    assert "parrot show" in aware.line
    assert [one.concept_id for one in aware.topics] == [concept.concept_id]
    assert thoth.look_up("parrots")[0].concept.concept_id == concept.concept_id
    assert thoth.read("mail:<1@x>").outside
    assert thoth.forget_topic(concept.concept_id).keywords == ["parrot show"]
    with pytest.raises(UnknownConcept):
        thoth.forget_topic(concept.concept_id)


def test_attention_layers_and_health(thoth: Any) -> None:
    one = thoth.remember("The parrot is called Zazu").id
    assert [thoth.pin(one), thoth.pin(one), thoth.unpin(one), thoth.forget(one), thoth.forget(str(one))] == [
        True,
        False,
        True,
        True,
        False,
    ]
    assert thoth.slice(one)["slice"]["slice_id"] == str(one)
    assert thoth.layers()["counts"]
    assert [thoth.layer(name).rows for name in ("entities", "facts", "associations", "patterns", "observations")] == [[]] * 5
    with pytest.raises(UnknownSlice):
        thoth.row(999_999)
    assert thoth.consolidate(wait_ms=0).outcome == thoth.consolidation().outcome
    status = thoth.status()
    assert (status.dormant, bool(status.checks)) == (False, True)
    assert thoth.ready()


def test_what_goes_wrong_is_raised_as_thoth_s_own_errors(thoth: Any, connect: Made, served: Served, dsn: str) -> None:
    """faults: a token for one tenant used on another."""
    with pytest.raises(BadInput, match="There is no stream"):
        thoth.remember("x", stream="thoth.world.nowhere")
    with pytest.raises(BadInput, match="limit"):
        thoth.memories(limit=0)
    with pytest.raises(UnknownSlice):
        thoth.pin(NOBODY)
    reading = token(dsn, "read")["authorization"].removeprefix("Bearer ")
    with pytest.raises(TokenNeeded):
        connect(served.url, PREFIX + "x" * 40, timeout_s=60).memories()
    may = connect(served.url, reading, timeout_s=60)
    assert may.memories().memories == []
    with pytest.raises(NotPermitted):
        may.remember("x")
    with pytest.raises(NotPermitted):
        connect(served.url, reading, tenant="another", timeout_s=60).memories()


def test_a_server_that_is_not_there(connect: Made) -> None:
    away = connect("http://127.0.0.1:1", attempts=2)
    assert not away.ready()
    for call in (away.memories, lambda: away.remember("x"), lambda: away.change(NOBODY, "x")):
        with pytest.raises(ServerUnavailable, match="thoth up"):
            call()


def test_the_scope_is_sent_with_every_call(connect: Made, served: Served) -> None:
    mine = connect(served.url, tenant="mine", agent="a1", session="talk", user="u1", timeout_s=60)
    made = mine.remember("here")
    memory = mine.memory(made.id)
    assert (memory.session, memory.metadata) == ("talk", {"agent": "a1", "user": "u1"})
    assert connect(served.url, tenant="theirs", timeout_s=60).memories().memories == []


async def test_it_finds_its_server_by_the_settings(served: Served) -> None:
    settings = load(THOTH_URL=served.url, THOTH_TOKEN="")
    async with ThothClient.from_settings(settings, timeout_s=60) as thoth:
        assert await thoth.ready()
    with SyncThothClient.from_settings(settings, timeout_s=60) as twin:
        assert twin.ready()


def test_waiting_for_a_memory_answers_it(thoth: Any) -> None:
    made = thoth.remember("Waited for", wait_ms=1)
    assert made.memory.text == "Waited for"


def test_answers_have_the_fields_that_the_server_gives() -> None:
    """A field that the server adds is to be seen here, and one that it takes away."""
    from thoth_substrate.ask.sources import Answer
    from thoth_substrate.awareness import keep, lookup, read
    from thoth_substrate.memories import listing, memory, versions
    from thoth_substrate.purge import receipts
    from thoth_substrate.server.routes import awareness, memories, recall, slices, status
    from thoth_substrate.views import check, layer_pages

    served: dict[Any, Any] = {
        answers.Memory: memory.Memory, answers.Named: memory.Named, answers.Stated: memory.Stated, answers.Page: listing.Page,
        answers.Version: versions.Version, answers.Made: memories.Made, answers.Changed: memories.Changed,
        answers.Deleted: memories.Deleted, answers.History: memories.History, answers.Receipt: receipts.Receipt,
        answers.RecalledLine: recall.RecalledLine, answers.RecallAnswer: recall.RecallAnswer, answers.Answered: Answer,
        answers.Concept: keep.Concept, answers.SourceLine: keep.SourceLine, answers.Aware: awareness.Aware,
        answers.Looked: awareness.Looked, answers.Taken: awareness.Taken, answers.Found: lookup.Found,
        answers.Reading: read.Reading, answers.Read: read.Read, answers.Moved: slices.Moved, answers.Status: status.Status,
        answers.Check: check.Check, answers.Rows: layer_pages.Rows,
    }  # fmt: skip
    differ = {
        ours.__name__: {field.name for field in dataclasses.fields(ours)} ^ {field.name for field in dataclasses.fields(theirs)}
        for ours, theirs in served.items()
    }
    assert {name: fields for name, fields in differ.items() if fields} == {}


def test_an_answer_of_another_version_says_so() -> None:
    known: dict[str, Any] = {"name": "x", "verdict": "ok", "says": "y", "added": 1}
    assert answers.as_answer(answers.Check, known) == answers.Check("x", "ok", "y")
    with pytest.raises(KeyError):
        answers.as_answer(answers.Check, {"name": "x"})
    assert issubclass(ServerUnavailable, RequestFailed)
