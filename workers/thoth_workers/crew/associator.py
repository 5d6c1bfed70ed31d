"""The Associator: entities whose facts changed are weighed anew, and when none is left, communities are found anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from thoth_substrate.consolidate.associate import AGENT as NAME
from thoth_substrate.consolidate.associate import associate, due, unassociated
from thoth_substrate.consolidate.communities import cluster
from thoth_substrate.consolidate.cursors import position_of
from thoth_substrate.db.pool import Tx
from thoth_substrate.model.knowledge import Maker
from thoth_workers.agent import Agent, CrewContext, Reply

BATCH_ROWS = 200  # entities in one transaction


@dataclass(frozen=True, slots=True)
class Waiting:
    """Entities whose facts changed, and whether communities are older than the associations."""

    entity_ids: tuple[int, ...]
    stale: bool


@dataclass(frozen=True, slots=True)
class Weighing:
    """How many queued entities to weigh. What comes of it is a function of the facts."""

    entities: int


async def gather(ctx: CrewContext, tenant_id: str) -> Waiting | None:
    """The next of the queue."""
    async with ctx.database.tenant(tenant_id) as tx:
        waiting = await due(tx, tenant_id, ctx.rows(BATCH_ROWS))
        stale = bool((await position_of(tx, tenant_id, NAME)).get("stale"))
    return Waiting(tuple(waiting), stale) if waiting or stale else None


def decide(gathered: Waiting, _: Sequence[Reply]) -> Weighing:
    """All that was gathered."""
    return Weighing(len(gathered.entity_ids))


async def apply(tx: Tx, tenant_id: str, _: Waiting, weighing: Weighing, __: Maker) -> Mapping[str, Any]:
    """Weigh; and when the queue is empty then, find communities."""
    applied: dict[str, Any] = {}
    if weighing.entities and (done := await associate(tx, tenant_id, weighing.entities)) is not None:
        applied = asdict(done)
    if not await due(tx, tenant_id, 1) and (found := await cluster(tx, tenant_id)) is not None:
        applied["communities"] = asdict(found)
    return applied


async def tenants(ctx: CrewContext) -> Sequence[str]:
    """Whoever has something queued."""
    return await unassociated(ctx.database)


AGENT = Agent(
    name=NAME,
    role="enrichment",
    reads="facts and what they cite",
    writes="associations and communities",
    version="associator-1",
    gathered=Waiting,
    proposals=Weighing,
    gather=gather,
    decide=decide,
    apply=apply,
    tenants=tenants,
    every=timedelta(seconds=15),
    limit=timedelta(minutes=5),
)
