"""Layer 2: communities, entities that hang together by their strongest associations. A function of these, found anew.

Leiden (Traag, Waltman and van Eck 2019) with the constant Potts model: unlike with modularity, how finely it divides does not
depend on how much else there is, so that a change in one corner moves nothing in another. See the decision on layers 2 to 4.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from graspologic_native import leiden

from thoth_substrate.consolidate.associate import AGENT
from thoth_substrate.consolidate.cursors import hold, move
from thoth_substrate.db.pool import Tx
from thoth_substrate.db.queries import Query, query

STRONGEST = 16  # associations of each entity that count
DENSITY = 0.05  # what pairs of a community weigh on average, at the least
SEED = 7


@dataclass(frozen=True, slots=True)
class Edge:
    left_id: int
    right_id: int
    weight: float


@dataclass(frozen=True, slots=True)
class Member:
    entity_id: int
    community_id: int


@dataclass(frozen=True, slots=True)
class Clustered:
    """What finding communities anew led to: how many there are, and how many entities changed theirs."""

    entities: int
    communities: int
    moved: int


_EDGES = query(__package__, "community_edges", Edge)
_STORED = query(__package__, "community_stored", Member)
_WRITE: Query[None] = query(__package__, "community_write")
_REMOVE: Query[None] = query(__package__, "community_remove")


def communities(edges: Sequence[Edge]) -> dict[int, int]:
    """By entity, its community: the smallest entity number in it. Pure, whatever the order of `edges`."""
    if not edges:
        return {}
    # Rounded: what is kept as real must not differ from what was computed.
    ordered = [(str(edge.left_id), str(edge.right_id), round(edge.weight, 4)) for edge in sorted(edges, key=_ends)]
    _, found = leiden(
        edges=ordered, starting_communities=None, resolution=DENSITY, randomness=0.001, iterations=2,
        use_modularity=False, seed=SEED, trials=1,
    )  # fmt: skip
    members: dict[int, list[int]] = defaultdict(list)
    for entity, number in found.items():
        members[number].append(int(entity))
    return {entity: min(together) for together in members.values() for entity in together}


async def cluster(tx: Tx, tenant_id: str) -> Clustered | None:
    """Find the tenant's communities anew if its associations changed, in the caller's transaction; else None.

    Reads all of the tenant's associations: half a second for 50,000 entities.
    """
    position = await hold(tx, tenant_id, AGENT)
    if not position.get("stale"):
        return None
    edges = await tx.fetch(_EDGES, tenant_id, STRONGEST)
    wanted = await asyncio.to_thread(communities, edges)
    stored = {member.entity_id: member.community_id for member in await tx.fetch(_STORED, tenant_id)}
    moved = sorted(entity for entity, community in wanted.items() if stored.get(entity) != community)
    gone = sorted(stored.keys() - wanted.keys())
    if moved:
        await tx.execute(_WRITE, tenant_id, moved, [wanted[entity] for entity in moved])
    if gone:
        await tx.execute(_REMOVE, tenant_id, gone)
    await move(tx, tenant_id, AGENT, {**position, "stale": False})
    return Clustered(len(wanted), len(set(wanted.values())), len(moved) + len(gone))


def _ends(edge: Edge) -> tuple[int, int]:
    return edge.left_id, edge.right_id
