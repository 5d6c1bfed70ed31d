"""A purge goes by while an agent thinks: nothing of what it had read comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg

from tests.support import Said, count, perceived
from tests.workers.crew_support import context
from tests.workers.support import decisions
from thoth_substrate.db.pool import Database, Tx
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.knowledge import Maker
from thoth_substrate.purge.purge import purge
from thoth_workers.agent import Agent, CrewContext, run_unit


@dataclass(frozen=True, slots=True)
class Read:
    text: str


class Reader:
    """An agent that reads everything, thinks while `meanwhile` happens, and says what it read."""

    def __init__(self, purged: UUID, *, thinking: bool) -> None:
        self.purged, self.thinking = purged, thinking
        self.applied, self.let_gone = 0, 0
        self.writing, self.go_on = asyncio.Event(), asyncio.Event()

    @property
    def agent(self) -> Agent[Read, Read]:
        return Agent(
            name="reader", role="enrichment", reads="-", writes="-", version="1", gathered=Read, proposals=Read,
            gather=self.gather, decide=lambda read, _: read, enrich=self.enrich, apply=self.apply, let_go=self.let_go,
        )  # fmt: skip

    async def gather(self, _: CrewContext, tenant_id: str) -> Read | None:
        return Read(f"Zinaida, says {tenant_id}")

    async def enrich(self, ctx: CrewContext, tenant_id: str, _: Read, proposals: Read) -> Read:
        if self.thinking:
            await purge(ctx.database, tenant_id, [self.purged])
        return proposals

    async def apply(self, tx: Tx, tenant_id: str, _: Read, proposals: Read, maker: Maker) -> Mapping[str, Any]:
        self.applied += 1
        self.writing.set()
        await self.go_on.wait()
        return {"said": proposals.text}

    async def let_go(self, *_: Any) -> None:
        self.let_gone += 1


def some(sql: psycopg.Connection, clock: PinnedClock) -> UUID:
    return perceived(sql, clock.now(), [Said("Zinaida called.", state="passed")])[0]


def told(sql: psycopg.Connection) -> list[dict[str, Any]]:
    return [one for one in decisions(sql) if "Zinaida" in str(one)]


async def test_what_was_read_before_a_purge_is_not_written_after_it(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    reader = Reader(some(sql, clock), thinking=True)
    reader.go_on.set()
    assert (await run_unit(reader.agent, context(db, None), "default")).did is None
    assert (reader.applied, reader.let_gone) == (0, 1)
    assert count(sql, "substrate_purges") == 1
    reader.thinking = False
    assert (await run_unit(reader.agent, context(db, None), "default")).did is not None


async def test_a_purge_waits_for_an_agent_that_is_writing_and_then_takes_out_what_it_wrote(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    reader = Reader(some(sql, clock), thinking=False)
    unit = asyncio.ensure_future(run_unit(reader.agent, context(db, None), "default"))
    await reader.writing.wait()
    purging = asyncio.ensure_future(purge(db, "default", [reader.purged]))
    waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'advisory'"
    while not sql.execute(waiting).fetchall():
        await asyncio.sleep(0)
    reader.go_on.set()
    await asyncio.gather(unit, purging)
    assert told(sql) == []
    row = sql.execute("select count(*) from thoth.substrate_slices where actor = 'reader' and payload is null").fetchone()
    assert row == (1,)
