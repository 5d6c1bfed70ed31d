"""What the crew did, and its decisions run again, as an operator asks for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from tests.cli.conftest import Thoth
from tests.llm.scripted import ScriptedModel
from tests.support import Said
from tests.workers.crew_support import context, tick, told
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import PinnedClock
from thoth_workers.crew.parser import AGENT

PRICES = '{"scripted": [1.0, 2.0]}'
Parse = Callable[..., None]


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as scripted:
        yield scripted


@pytest.fixture
def parse(dsn: str, sql: psycopg.Connection, model: ScriptedModel) -> Parse:
    """Let the Parser have one tick, of slices said before if there are any. Commands want a loop of their own, so it has one."""

    async def once(said: Sequence[Said], given: dict[str, Any]) -> None:
        db = await Database.open(dsn, clock=PinnedClock(datetime.now(UTC)))
        try:
            await told(db, sql, said)
            await tick(AGENT, context(db, model, THOTH_PRICES=PRICES, **given))
        finally:
            await db.close()

    return lambda *said, **given: asyncio.run(once(said, given))


@pytest.fixture
def parsed(parse: Parse) -> None:
    """A session that the Parser has read."""
    parse(Said("I live in Lisbon.", actor="Ana"), Said("How nice!"))


@pytest.mark.parametrize("word", ["parser", "associator", "patterns", "critic", "reflector", "dreamer", "summarizer", "indexer"])
def test_an_agent_that_did_nothing_yet_says_so(thoth: Thoth, seeded: psycopg.Connection, word: str) -> None:
    assert "has decided nothing here yet" in thoth("substrate", word).err
    assert thoth("substrate", word, "recent", "--json").json == []


@pytest.mark.usefixtures("parsed")
def test_a_decision_is_listed_with_inputs_outputs_and_cost(thoth: Thoth) -> None:
    [line] = thoth("substrate", "parser", "--json").json
    assert (line["slices"], line["model"], line["outcomes"], line["calls"]) == (2, "scripted", {"ok": 1}, 1)
    assert line["proposed"] == {"entities": 2, "relationships": 1, "digests": 2, "verdicts": 2}
    assert (line["applied"]["relationships"], line["applied"]["consolidated"]) == (1, 2)
    assert line["tokens"] > 100
    assert line["usd"] > 0
    shown = " ".join(thoth("substrate", "parser", "recent").out.split())
    assert "relationships 1" in shown
    assert "ok 1" in shown


@pytest.mark.usefixtures("parsed")
def test_a_decision_is_replayed_by_the_beginning_of_its_id(thoth: Thoth, sql: psycopg.Connection) -> None:
    [line] = thoth("substrate", "parser", "--json").json
    ran = thoth("substrate", "replay", line["decision_id"])
    assert ran.out.startswith(f"same: decision {line['decision_id']} of the parser.")
    sql.execute("update thoth.substrate_slices set text = 'I live in Porto.' where text = 'I live in Lisbon.'")
    found = thoth("substrate", "replay", line["decision_id"], "--json", expect=1).json
    assert (found["same"], found["agent"]) == (False, "parser")
    assert thoth("substrate", "audit", "verify").code == 0


@pytest.mark.usefixtures("parsed")
def test_an_edited_decision_is_different_and_named_by_the_audit(thoth: Thoth, sql: psycopg.Connection) -> None:
    [line] = thoth("substrate", "parser", "--json").json
    sql.execute(
        "update thoth.substrate_slices set payload = jsonb_set(payload, '{decision,inputs,0,content_hash}', '\"00\"')"
        " where slice_id = %s",
        [line["decision_id"]],
    )
    assert "different" in thoth("substrate", "replay", line["decision_id"], expect=1).out
    assert "Entry 1" in thoth("substrate", "audit", "verify", expect=1).out


def test_a_slice_that_is_no_decision_is_misuse(thoth: Thoth, seeded: psycopg.Connection) -> None:
    ran = thoth("substrate", "replay", "ffff0000", expect=2)
    assert (ran.out, len(ran.err.strip().splitlines())) == ("", 1)


def test_dead_letters_are_tried_anew(thoth: Thoth, parse: Parse, sql: psycopg.Connection, model: ScriptedModel) -> None:
    good = model._script
    model.always("no")
    parse(Said("I live in Lisbon.", actor="Ana"), THOTH_PARSER_ATTEMPTS=1)
    assert thoth("substrate", "parser", "retry", "--json").json == {"agent": "parser", "revived": 1}
    assert "0 slices" in thoth("substrate", "parser", "retry").out
    model.always(good)
    parse(THOTH_PARSER_QUIET_MS=0)
    assert sql.execute("select count(*) from thoth.substrate_relationships").fetchone() == (1,)
