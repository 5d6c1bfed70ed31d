"""What the crew's journeys share: hosts on one pinned clock, what is told to them, and what must never be."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import psycopg

from tests.support import Said
from tests.waiting import until
from tests.workers.crew_support import told
from thoth_substrate.db.pool import Database, PoolOptions
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.settings import Settings
from thoth_substrate.views.agents import agents
from thoth_substrate.views.crew_checks import checks
from thoth_substrate.views.crew_health import gather
from thoth_workers.crew import crew
from thoth_workers.crewing import Crewing
from thoth_workers.loop import Turn

WRONGS = Path(__file__).resolve().parents[2] / "bench/sql/crew_wrongs.sql"
TURNS = 5  # of a session
PATIENCE_S = 90.0  # with processes, which take seconds to start on a busy machine


@dataclass(frozen=True, slots=True)
class Host:
    """One process's crew, as far as it can be one within the test's own."""

    db: Database
    crewing: Crewing

    async def tick(self, *names: str) -> int:
        """One turn of each of these agents, or of all; answers how many did something. None may fail."""
        did = 0
        for name in names or crew():
            turn: Turn = await self.crewing.supervisor.run_once(name)
            assert turn.failure is None, (name, turn.failure)
            did += bool(turn.report and turn.report.did)
        return did


@contextlib.asynccontextmanager
async def hosts(dsn: str, clock: PinnedClock, settings: Settings, count: int = 1) -> AsyncIterator[list[Host]]:
    """So many hosts on the same database and clock, each with a pool and a chat of its own."""
    databases = [await Database.open(dsn, PoolOptions(size=3), clock) for _ in range(count)]
    found = [Host(database, Crewing(settings, database, None)) for database in databases]
    try:
        yield found
    finally:
        for host in found:
            await host.crewing.close()
            await host.db.close()


def facts(numbers: Iterator[int], count: int, *, tenant: str = "default") -> list[Said]:
    """Slices that tell a fact each, in sessions of a few turns."""
    chosen = [next(numbers) for _ in range(count)]
    return [
        Said(f"Person{n} works at Company{n}.", session=f"s{n // TURNS}", actor="Ines", tenant=tenant) for n in chosen
    ]  # fmt: skip


async def tell(db: Database, sql: psycopg.Connection, said: Sequence[Said]) -> None:
    """Have it perceived, passed and indexed, a while ago."""
    await told(db, sql, said)


async def health(db: Database, settings: Settings) -> dict[str, tuple[str, str]]:
    """What `health` says of the crew: status and sentence, by check."""
    found = await gather(db, settings, await agents(db))
    return {check.name: (check.verdict, check.says) for check in checks(found)}


def wrongs(sql: psycopg.Connection, now: datetime) -> list[tuple[str, str]]:
    """Everything that must not be: lost or doubled slices and facts, verdicts of nobody, an account that does not add up."""
    return [(row[0], row[1]) for row in sql.execute(WRONGS.read_bytes(), {"now": now})]


def by_hour(sql: psycopg.Connection) -> dict[datetime, int]:
    """Tokens of all calls by the hour they were made in: settled ones as they cost, others as they were set aside."""
    rows = sql.execute(
        "select date_trunc('hour', called_at, 'UTC'), sum(case outcome when 'reserved' then reserved_tokens"
        " else prompt_tokens + completion_tokens end) from thoth.substrate_agent_cost group by 1 order by 1"
    )
    return {row[0]: int(row[1]) for row in rows}


async def eventually(condition: Callable[[], bool]) -> None:
    """Look again and again until something has come about in another process."""
    await asyncio.to_thread(until, condition, patience_s=PATIENCE_S)
