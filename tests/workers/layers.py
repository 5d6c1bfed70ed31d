"""Layers above the facts, as tests of their agents need them."""

from __future__ import annotations

from typing import Any

import psycopg

from tests.consolidate.facts import Facts
from tests.workers.crew_support import context, tick
from thoth_substrate.db.months import ensure
from thoth_substrate.db.pool import Database
from thoth_substrate.perceive import streams
from thoth_workers.crew.associator import AGENT as ASSOCIATOR


async def ground(db: Database, sql: psycopg.Connection) -> Facts:
    """A tenant whose diary can be written."""
    await streams.register(db)
    await ensure(db, db.clock.now())
    return Facts(sql)


async def associated(db: Database) -> None:
    """Every association and community as the facts have it."""
    for _ in range(1000):
        if not (await tick(ASSOCIATOR, context(db, None))).did:
            return
    raise AssertionError("the Associator does not come to an end")


def decisions(sql: psycopg.Connection, agent: str) -> list[dict[str, Any]]:
    """What the agent told the diary, oldest first."""
    rows = sql.execute(
        "select payload -> 'decision' from thoth.substrate_slices where session_id = 'diary' and payload ->> 'agent' = %s"
        " order by slice_id",
        (agent,),
    )
    return [row[0] for row in rows]


def an_office(facts: Facts) -> list[int]:
    """Facts of one community: who works where, and what they like."""
    return [
        facts.fact("Maya", "works_at", "Acme", statement="Maya works at Acme.", sessions=("s1",)),
        facts.fact("Ben", "works_at", "Acme", statement="Ben works at Acme.", sessions=("s2",)),
        facts.fact("Maya", "knows", "Ben", statement="Maya knows Ben.", sessions=("s2",)),
        facts.fact("Maya", "likes", "tea", value=True, statement="Maya likes tea.", sessions=("s3",)),
        facts.fact("Ben", "likes", "tea", value=True, statement="Ben likes tea.", sessions=("s4",)),
    ]


def living(sql: psycopg.Connection, kind: str = "pattern") -> list[tuple[str, int]]:
    """Living patterns and how often each was reworded."""
    rows = sql.execute(
        "select statement, rewordings from thoth.substrate_patterns where kind = %s and retracted_at is null order by 1", (kind,)
    )
    return [(row[0], row[1]) for row in rows]
