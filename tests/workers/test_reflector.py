"""The Reflector's tick: insights rest on rows of several sessions, and the mind says of itself what its figures say."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import psycopg
import pytest

from tests.consolidate.facts import Facts
from tests.llm.scripted import Reply, Request, ScriptedModel
from tests.support import count
from tests.workers.crew_support import context, tick
from tests.workers.layers import associated, decisions, ground, living
from thoth_substrate.db.pool import Database
from thoth_workers.crew.critic import AGENT as CRITIC
from thoth_workers.crew.reflector import AGENT
from thoth_workers.replay import replay

REWORDED = (
    "Maya is drawn to the sea wherever she goes.", "Wherever Maya goes, it is the sea that draws her.",
    "The sea is what Maya looks for.", "Her travels lead to the coast.",
)  # fmt: skip


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


def _pattern(sql: psycopg.Connection, statement: str, supports: list[int]) -> int:
    row = sql.execute(
        "insert into thoth.substrate_patterns (tenant_id, kind, statement, norm, valid_from, valid_to, stated_confidence,"
        " confidence, agent, asserted_at) values ('default', 'pattern', %s, %s, '2026-05-01', '2026-05-02', .8, .8,"
        " 'patternfinder', '2026-05-15 12:00Z') returning pattern_id",
        (statement, statement.lower()),
    ).fetchone()
    assert row is not None
    for support in supports:
        sql.execute("insert into thoth.substrate_supports values ('default', %s, %s)", (row[0], support))
    return int(row[0])


def _travels(facts: Facts, number: int = 2) -> list[int]:
    """Patterns of the sea, each of two sessions of its own."""
    made = []
    for trip in range(number):
        places = [
            facts.fact("Maya", "went_to", f"beach {facts.slices}", value=True, sessions=(f"trip {facts.slices}",),
                       statement=f"Maya went to the sea at beach {facts.slices}.")
            for _ in range(2)
        ]  # fmt: skip
        made.append(_pattern(facts.sql, f"Maya spends holiday {trip}{facts.slices} by the sea.", places))
    return made


async def test_an_insight_rests_on_rows_of_several_sessions(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    facts = await ground(db, sql)
    one, other = _travels(facts)
    same = facts.fact("Maya", "bought", "sunglasses", value=True, sessions=("trip 0",))
    model.then({"insights": [
        {"statement": "Maya is drawn to the sea.", "rows": ["r5", "r6"], "confidence": 0.7},
        {"statement": "Nothing bears this out.", "rows": []},
        {"statement": "From one row only.", "rows": ["r1"]},
    ]})  # fmt: skip
    await tick(AGENT, context(db, model))
    assert living(sql, "insight") == [("Maya is drawn to the sea.", 0)]
    (told,) = decisions(sql, "reflector")
    assert told["applied"]["unsupported"] == 2
    supports = sql.execute(
        "select count(*) from thoth.substrate_supports s join thoth.substrate_patterns p on p.pattern_id = s.row_id"
        " where p.kind = 'insight'"
    ).fetchone()
    assert supports == (2,)
    assert {one, other, same}


async def test_what_comes_from_one_session_is_no_insight(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    facts = await ground(db, sql)
    told = [facts.fact("Maya", "likes", f"thing {n}", value=True, sessions=("s1",)) for n in range(4)]
    _pattern(sql, "Maya likes things.", told[:2])
    _pattern(sql, "Maya likes other things.", told[2:])
    model.then({"insights": [{"statement": "Maya is content.", "rows": ["r5", "r6"]}]})
    await tick(AGENT, context(db, model))
    assert living(sql, "insight") == []


async def test_while_nothing_is_new_nobody_is_asked(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    _travels(await ground(db, sql))
    for _ in range(20):
        await tick(AGENT, context(db, model))
    assert len(model.chats) == 1
    assert len(decisions(sql, "reflector")) == 1


async def test_said_in_other_words_night_after_night_it_stays_one(
    db: Database, sql: psycopg.Connection, model: ScriptedModel
) -> None:
    """faults: rewordings of one pattern multiplying overnight; a summary summarised."""
    facts = await ground(db, sql)
    words = itertools.cycle(REWORDED)

    def script(_: Request) -> Reply:
        return {"insights": [{"statement": next(words), "rows": ["r1", "r2", "r3"], "confidence": 0.8}]}

    model.always(script)
    for _ in range(20):
        _travels(facts)
        await tick(AGENT, context(db, model))
    assert len(model.chats) == 20
    assert len(living(sql, "insight")) <= 5 + 0.1 * count(sql, "substrate_relationships")
    assert len(living(sql, "insight")) <= len(REWORDED)


async def test_the_mind_says_of_itself_what_its_figures_say(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    facts = await ground(db, sql)
    for number in range(12):
        facts.retract(facts.fact("Maya", "owns", f"thing {number}", value=True, stated=0.95), "corrected by the user")
        facts.fact("Maya", "likes", f"thing {number}", value=True, stated=0.95, sessions=("s1", "s2"))
    await associated(db)
    await tick(CRITIC, context(db, None))
    for _ in range(20):
        await tick(AGENT, context(db, model))
    said = sql.execute(
        "select statement from thoth.substrate_observations where kind = 'self' and retracted_at is null"
    ).fetchall()
    assert sorted(row[0] for row in said) == [
        "My calibration is at about 55 %: the confidences I state come true less often, or more often, than they say.",
        "The parser is overconfident about facts of owns: stated at about 95 %, about 0 % held; trust them less.",
        "The parser is overconfident about its facts: stated at about 95 %, about 50 % held; trust them less.",
    ]
    unsupported = sql.execute(
        "select count(*) from thoth.substrate_observations o where kind = 'self' and not exists"
        " (select from thoth.substrate_supports s where s.row_id = o.observation_id)"
    ).fetchone()
    assert unsupported == (0,)
    assert model.chats == []
    assert len(decisions(sql, "reflector")) == 1


async def test_what_no_longer_holds_of_itself_is_taken_back(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    facts = await ground(db, sql)
    told = [facts.fact("Maya", "owns", f"thing {n}", value=True, stated=0.95) for n in range(12)]
    for fact in told:
        facts.retract(fact, "corrected by the user")
    await tick(CRITIC, context(db, None))
    await tick(AGENT, context(db, model))
    before = count(sql, "substrate_observations")
    for number in range(200):
        facts.fact("Maya", "owns", f"other {number}", value=True, stated=0.95, sessions=("s1", "s2"))
    await tick(CRITIC, context(db, None))
    await tick(AGENT, context(db, model))
    living_selves = sql.execute(
        "select statement from thoth.substrate_observations where kind = 'self' and retracted_at is null"
        " and detail ->> 'topic' like 'calibration%'"
    ).fetchall()
    assert living_selves == []
    assert count(sql, "substrate_observations") >= before


async def test_a_decision_can_be_run_again(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    _travels(await ground(db, sql))
    await tick(AGENT, context(db, model))
    row = sql.execute(
        "select slice_id from thoth.substrate_slices where session_id = 'diary' and payload ->> 'agent' = 'reflector'"
    ).fetchone()
    assert row is not None
    replayed = await replay(db, "default", row[0])
    assert (replayed.same, replayed.diff) == (True, "")


async def test_without_a_model_it_is_silent_and_free(db: Database, sql: psycopg.Connection) -> None:
    _travels(await ground(db, sql))
    assert (await tick(AGENT, context(db, None))).did == 0
    assert count(sql, "substrate_agent_cost") == 0
