"""How far each agent has read in a tenant's memory. Holding a cursor makes runs of the agent wait for one another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from thoth_substrate.db.pool import Tx
from thoth_substrate.db.queries import Query, query


@dataclass(frozen=True, slots=True)
class Cursor:
    position: Any


_MAKE: Query[None] = query(__package__, "cursor_make")
_HOLD = query(__package__, "cursor_hold", Cursor)
_READ = query(__package__, "cursor_read", Cursor)
_MOVE: Query[None] = query(__package__, "cursor_move")


LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)


def upto(position: Mapping[str, Any]) -> tuple[datetime, int]:
    """How far a position reads by the mind's time: the instant and, of what was asserted at it, the highest number."""
    return (datetime.fromisoformat(position["at"]), int(position["top"])) if "at" in position else (LONG_AGO, 0)


async def position_of(tx: Tx, tenant_id: str, agent: str) -> dict[str, Any]:
    """Where the agent stands; {} before its first run."""
    found = await tx.fetch_one(_READ, tenant_id, agent)
    return dict(found.position) if found else {}


async def hold(tx: Tx, tenant_id: str, agent: str) -> dict[str, Any]:
    """Where the agent stands, locked until the end of the transaction."""
    await tx.execute(_MAKE, tenant_id, agent)
    found = await tx.fetch_one(_HOLD, tenant_id, agent)
    return dict(found.position) if found else {}


async def move(tx: Tx, tenant_id: str, agent: str, position: Mapping[str, Any]) -> None:
    """Let the agent stand there. The transaction holds the cursor."""
    await tx.execute(_MOVE, tenant_id, agent, orjson.dumps(position, option=orjson.OPT_NON_STR_KEYS).decode())
