"""Consolidation on demand: a request that the crew takes, and what came of it. It stands in a cursor, so that a restart goes on.

`asked` and `done` count requests; `upto` is the instant up to which memories were consolidated, `at` when that was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from thoth_substrate.consolidate import cursors
from thoth_substrate.db.again import again
from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query

AGENT = "consolidator"
COUNTED_ROWS = 10_000
INSIGHT_ROWS = 200
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class TenantAsking:
    tenant_id: str


@dataclass(frozen=True, slots=True)
class NewMemories:
    memories: int
    newest: datetime | None


@dataclass(frozen=True, slots=True)
class Insight:
    """What holds across facts. `memories` are the slices that it rests on; `confidence` is 0..1."""

    row_id: int
    kind: str
    statement: str
    confidence: float
    asserted_at: datetime
    memories: list[UUID]


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a tenant's consolidation stands. `memories` were read and are new since the last one; `newest` is of the last."""

    asked: int
    done: int
    at: datetime | None
    upto: datetime | None
    memories: int
    newest: datetime | None
    report: Mapping[str, Any]


_ASKED = query(__package__, "consolidation_asked", TenantAsking)
_NEW = query(__package__, "consolidation_new", NewMemories)
_INSIGHTS = query(__package__, "insights_since", Insight)


async def ask(db: Database, tenant_id: str) -> int:
    """Ask for a consolidation; answers the request's number. One that waits already serves both."""

    async def once() -> int:
        async with db.tenant(tenant_id) as tx:
            position = await cursors.hold(tx, tenant_id, AGENT)
            asked, done = int(position.get("asked", 0)), int(position.get("done", 0))
            if asked > done and not position.get("taken"):
                return asked
            await cursors.move(tx, tenant_id, AGENT, {**position, "asked": asked + 1, "taken": False})
        return asked + 1

    return await again(db, once)


async def asking(db: Database) -> list[str]:
    """The tenants with a request, the longest waiting first."""
    async with db.worker() as tx:
        return [one.tenant_id for one in await tx.fetch(_ASKED)]


async def standing(db: Database, tenant_id: str) -> Standing:
    """Where it stands, and what is new."""
    async with db.tenant(tenant_id) as tx:
        position = await cursors.position_of(tx, tenant_id, AGENT)
        upto = _instant(position.get("upto"))
        found = await tx.fetch_one(_NEW, tenant_id, _last_id(upto), COUNTED_ROWS)
    assert found is not None, "a count is always there"
    return Standing(
        int(position.get("asked", 0)), int(position.get("done", 0)), _instant(position.get("at")), upto, found.memories,
        found.newest, position.get("report", {}),
    )  # fmt: skip


async def begin(db: Database, tenant_id: str) -> int:
    """A run begins: requests that come from now on want another. Answers the number that this one serves."""

    async def once() -> int:
        async with db.tenant(tenant_id) as tx:
            position = await cursors.hold(tx, tenant_id, AGENT)
            await cursors.move(tx, tenant_id, AGENT, {**position, "taken": True})
        return int(position.get("asked", 0))

    return await again(db, once)


async def end(
    db: Database, tenant_id: str, serves: int, began: datetime, upto: datetime | None, report: Mapping[str, Any]
) -> None:
    """A run has ended. `upto` None leaves what is new as new, so that another run takes it."""

    async def once() -> None:
        async with db.tenant(tenant_id) as tx:
            position = await cursors.hold(tx, tenant_id, AGENT)
            done = max(serves, int(position.get("done", 0)))
            after = {**position, "done": done, "at": began.isoformat(), "report": {**report, "serves": serves}}
            if upto is not None:
                after["upto"] = upto.isoformat()
            await cursors.move(tx, tenant_id, AGENT, after)

    await again(db, once)


async def insights(db: Database, tenant_id: str, since: datetime, until: datetime) -> list[Insight]:
    """What came to be known across facts between two instants, and still is."""
    async with db.tenant(tenant_id) as tx:
        return await tx.fetch(_INSIGHTS, tenant_id, since, until, INSIGHT_ROWS)


def _last_id(upto: datetime | None) -> UUID:
    """The greatest id of that millisecond."""
    ms = 0 if upto is None else (upto - _EPOCH) // timedelta(milliseconds=1)
    return UUID(int=(ms << 80 | (1 << 80) - 1) if ms else 0)


def _instant(word: Any) -> datetime | None:
    return None if word is None else datetime.fromisoformat(word)
