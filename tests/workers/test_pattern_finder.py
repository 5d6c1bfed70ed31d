"""The Pattern-finder's tick: communities are read once, what comes back rests on facts, and rewordings stay one pattern."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import psycopg
import pytest

from tests.llm.scripted import Reply, Request, ScriptedModel
from tests.support import count
from tests.workers.crew_support import context, tick
from tests.workers.layers import an_office, associated, decisions, ground, living
from thoth_substrate.consolidate.patterns import CommunityState
from thoth_substrate.db.pool import Database
from thoth_workers.crew.pattern_finder import AGENT, due
from thoth_workers.lines import named
from thoth_workers.replay import replay

REWORDED = (
    "Maya and Ben both work at Acme and like tea.", "Tea is liked by Ben and Maya, who work at Acme.",
    "At Acme, Ben and Maya are drinkers of tea.", "The two colleagues share a taste.",
)  # fmt: skip


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


def _facts(request: Request) -> list[str]:
    return re.findall(r"^(f\d+)\b.*(?:tea|Acme)", request.user, re.MULTILINE)


def _saying(model: ScriptedModel) -> None:
    """Each time the same pattern in other words, on the first two facts."""
    words = itertools.cycle(REWORDED)

    def script(request: Request) -> Reply:
        return {"patterns": [{"statement": next(words), "facts": _facts(request)[:2], "confidence": 0.8}]}

    model.always(script)


async def test_a_pattern_rests_on_the_facts_that_bear_it_out(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    an_office(await ground(db, sql))
    await associated(db)
    assert (await tick(AGENT, context(db, model))).did == 1
    rows = sql.execute(
        "select p.statement, array_agg(f.statement order by f.statement), p.valid_from <= p.valid_to"
        " from thoth.substrate_patterns p join thoth.substrate_supports s on s.row_id = p.pattern_id"
        " join thoth.substrate_relationships f on f.relationship_id = s.support_id group by p.statement, p.valid_from, p.valid_to"
    ).fetchall()
    assert rows
    assert all(len(supports) >= 2 and dated for _, supports, dated in rows)
    found = sql.execute(
        "select count(*) from thoth.substrate_statements s join thoth.substrate_statement_postings p using (row_id)"
        " where s.layer = 'pattern' and p.term = 'acm'"
    ).fetchone()
    assert found is not None
    assert found[0] >= 1


async def test_while_the_facts_are_the_same_nobody_is_asked_again(
    db: Database, sql: psycopg.Connection, model: ScriptedModel
) -> None:
    """faults: rewordings of one pattern multiplying overnight."""
    an_office(await ground(db, sql))
    await associated(db)
    _saying(model)
    for _ in range(20):
        await tick(AGENT, context(db, model))
    assert len(model.chats) == 1
    assert living(sql) == [(REWORDED[0], 0)]


async def test_said_in_other_words_as_facts_come_in_it_stays_one(
    db: Database, sql: psycopg.Connection, model: ScriptedModel
) -> None:
    """faults: rewordings of one pattern multiplying overnight."""
    facts = await ground(db, sql)
    an_office(facts)
    _saying(model)
    for night in range(20):
        facts.fact("Maya", "met", f"guest {night}", value=True)
        facts.fact("Ben", "met", f"guest {night}", value=True)
        await associated(db)
        await tick(AGENT, context(db, model))
    assert len(model.chats) > 10
    found = living(sql)
    assert len(found) <= 2
    told = [one["applied"] for one in decisions(sql, "patternfinder")]
    assert sum(one["made"] + one["reworded"] + one["unsupported"] for one in told) == len(model.chats)
    assert sum(reworded for _, reworded in found) == sum(one["reworded"] for one in told) > 8


async def test_what_names_no_facts_or_one_is_dropped_and_counted(
    db: Database, sql: psycopg.Connection, model: ScriptedModel
) -> None:
    """faults: an index or id that does not exist."""
    an_office(await ground(db, sql))
    await associated(db)
    model.then({"patterns": [
        {"statement": "Everyone likes tea.", "facts": ["f1", "f99"]}, {"statement": "Nothing is known.", "facts": []},
        {"statement": "Maya and Ben like tea.", "facts": ["f4", "f5", "p2"]}, {"statement": "x", "facts": "f1"},
    ]})  # fmt: skip
    await tick(AGENT, context(db, model))
    assert living(sql) == [("Maya and Ben like tea.", 0)]
    (told,) = decisions(sql, "patternfinder")
    assert told["applied"]["unknown_ids"] == 2
    assert told["applied"]["unsupported"] == 3


async def test_a_pattern_falls_with_its_support(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    facts = await ground(db, sql)
    told = an_office(facts)
    await associated(db)
    model.then({"patterns": [{"statement": "Maya and Ben like tea.", "facts": ["f4", "f5"], "confidence": 0.9}]})
    await tick(AGENT, context(db, model))
    facts.retract(told[3])
    facts.fact("Maya", "likes", "rain", value=True)
    facts.fact("Ben", "likes", "rain", value=True)
    await associated(db)
    model.always({"patterns": []})
    await tick(AGENT, context(db, model))
    assert living(sql) == []
    assert sql.execute("select retract_reason from thoth.substrate_patterns").fetchall() == [("its support fell under two",)]
    assert sql.execute("select count(*) from thoth.substrate_statements where layer = 'pattern'").fetchone() == (0,)


async def test_a_community_that_makes_every_reply_fail_is_passed_over(
    db: Database, sql: psycopg.Connection, model: ScriptedModel
) -> None:
    """faults: one poisoned item that fails identically forever."""
    an_office(await ground(db, sql))
    await associated(db)
    model.always("I cannot say.")
    for _ in range(10):
        await tick(AGENT, context(db, model, THOTH_BREAKER_FAILURES=1000))
    assert len(decisions(sql, "patternfinder")) == 3
    assert decisions(sql, "patternfinder")[-1]["applied"]["passed_over"] == 1
    assert living(sql) == []


async def test_without_a_model_it_is_silent_and_free(db: Database, sql: psycopg.Connection) -> None:
    an_office(await ground(db, sql))
    await associated(db)
    assert (await tick(AGENT, context(db, None))).did == 0
    assert decisions(sql, "patternfinder") == []
    assert count(sql, "substrate_agent_cost") == 0


async def test_a_decision_can_be_run_again(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    an_office(await ground(db, sql))
    await associated(db)
    await tick(AGENT, context(db, model))
    row = sql.execute(
        "select slice_id from thoth.substrate_slices where session_id = 'diary' and payload ->> 'agent' = 'patternfinder'"
    ).fetchone()
    assert row is not None
    replayed = await replay(db, "default", row[0])
    assert (replayed.same, replayed.diff) == (True, "")


def test_a_community_is_read_when_enough_of_it_is_unread() -> None:
    assert due([CommunityState(1, 2, 2)]) is None, "too few facts to hold anything across"
    assert due([CommunityState(1, 100, 5)]) is None, "too few of them are unread"
    assert due([CommunityState(1, 40, 4), CommunityState(2, 10, 9)]) == CommunityState(2, 10, 9)


def test_a_model_names_rows_in_its_own_ways() -> None:
    assert named(["f1", "F2", "[f3]", 2, "#3"], "f", [10, 20, 30]) == ([10, 20, 30], 0)
    assert named(["f4", "f0", "p1", "", "the first"], "f", [10, 20, 30]) == ([], 5)
