"""Layers 2 and 3 are functions of the facts: whoever computes them, when and how often, they come out the same."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from itertools import islice

import psycopg

from tests.journeys.crew import TURNS, tell
from tests.llm.scripted import ScriptedModel
from tests.support import Said
from tests.workers.crew_support import context, number
from thoth_substrate.db.pool import Database
from thoth_workers.agent import CrewContext, run_unit
from thoth_workers.crew import crew

SLICES = int(os.environ.get("THOTH_TEST_SLICES", "500"))
MANY = 100 if SLICES > 500 else 5
CIRCLE = 6  # people who know each other
ONCE, EAGER = "once", "eager"
Weights = dict[tuple[str, str], tuple[float, int, int, int]]


async def test_weights_are_the_same_however_often_agents_run_and_patterns_do_not_multiply(
    db: Database, sql: psycopg.Connection
) -> None:
    """faults: rewordings of one pattern multiplying overnight. The long form, 10,000 slices and a hundred runs: with
    THOTH_TEST_SLICES=10000 in the environment, and `--timeout 3600`."""
    with ScriptedModel() as model:
        ctx = context(db, model, THOTH_PARSER_BATCH_ROWS=100, THOTH_PARSER_PORTION_TOKENS=4000)
        assert ctx.chat is not None
        try:
            told = talk(SLICES)

            # One mind is told everything, parses it, and associates once at the end.
            await hear(db, sql, told, ONCE)
            await drained(ctx, "parser", ONCE)
            await drained(ctx, "associator", ONCE)
            weights, grouped = associations(sql, ONCE), communities(sql, ONCE)
            assert len(weights) > SLICES / 10
            assert len(grouped) >= 2

            # The other hears the same bit by bit, associates after every portion, and again and again.
            bit = len(told) // 10
            for begins in range(0, len(told), bit):
                await hear(db, sql, told[begins : begins + bit], EAGER)
                await drained(ctx, "parser", EAGER)
                await drained(ctx, "associator", EAGER)
            assert associations(sql, EAGER) == weights

            # Everything is weighed anew, many times over: not a weight moves, nor a community.
            await drained(ctx, "patternfinder", ONCE)
            patterns = living_patterns(sql)
            assert len(patterns) > 2
            for _ in range(MANY):
                sql.execute(
                    "insert into thoth.substrate_unassociated (tenant_id, entity_id) select tenant_id, entity_id"
                    " from thoth.substrate_entities where tenant_id = %s and merged_into is null", [ONCE],
                )  # fmt: skip
                await drained(ctx, "associator", ONCE)
                await drained(ctx, "patternfinder", ONCE)
            assert associations(sql, ONCE) == weights
            assert communities(sql, ONCE) == grouped
            assert living_patterns(sql) == patterns

            # And when the Pattern-finder reads all of it anew, as if for the first time, what it finds is there already.
            for _ in range(3):
                sql.execute("delete from thoth.substrate_cursors where agent = 'patternfinder'")
                await drained(ctx, "patternfinder", ONCE)
            assert living_patterns(sql) == patterns
        finally:
            await ctx.chat.close()


def talk(count: int) -> list[Said]:
    """Turns about people in circles: within one they know each other and like the same."""
    chance = random.Random(7)
    people = max(count // 10, 2 * CIRCLE)
    said = []
    for n in range(count):
        who = chance.randrange(people)
        other = who // CIRCLE * CIRCLE + chance.randrange(CIRCLE)
        text = chance.choice(
            (f"Ada{who} knows Ada{other}.", f"Ada{who} likes game {who // CIRCLE}.", f"Ada{who} lives in Town{who}.")
        )
        said.append(Said(text, session=f"s{n // TURNS}", actor="Ines"))
    return said


async def hear(db: Database, sql: psycopg.Connection, said: Sequence[Said], tenant: str) -> None:
    await tell(db, sql, [Said(one.text, session=one.session, actor=one.actor, tenant=tenant) for one in said])


async def drained(ctx: CrewContext, agent: str, tenant: str) -> None:
    """Let an agent work until it finds nothing to do."""
    for _ in islice(iter(int, 1), 10_000):
        unit = await run_unit(crew()[agent], ctx, tenant)
        if unit.did is None:
            return
    raise AssertionError(f"{agent} finds no end")


def associations(sql: psycopg.Connection, tenant: str) -> Weights:
    """Weight and what it is made of, by the names of the two."""
    rows = sql.execute(
        "select least(l.norm, r.norm), greatest(l.norm, r.norm), a.weight, a.together, a.linked, a.shared"
        " from thoth.substrate_associations a"
        " join thoth.substrate_entities l on l.tenant_id = a.tenant_id and l.entity_id = a.left_id"
        " join thoth.substrate_entities r on r.tenant_id = a.tenant_id and r.entity_id = a.right_id where a.tenant_id = %s",
        [tenant],
    )
    return {(row[0], row[1]): (round(row[2], 5), row[3], row[4], row[5]) for row in rows}


def communities(sql: psycopg.Connection, tenant: str) -> set[frozenset[str]]:
    """The communities, as sets of names."""
    rows = sql.execute(
        "select array_agg(e.norm) from thoth.substrate_communities c join thoth.substrate_entities e"
        " using (tenant_id, entity_id) where c.tenant_id = %s group by c.community_id",
        [tenant],
    )
    return {frozenset(row[0]) for row in rows}


def living_patterns(sql: psycopg.Connection) -> list[str]:
    """The statements of all living patterns, in order."""
    rows = sql.execute("select statement from thoth.substrate_patterns where retracted_at is null order by 1")
    found = [row[0] for row in rows]
    assert len(found) == number(sql, "select count(distinct norm) from thoth.substrate_patterns where retracted_at is null")
    return found
