"""Layer 2: how strongly entities hang together. A weight is a function of the facts, computed anew and never added to.

Promotions queue the entities whose facts they changed. A run takes some of them and computes every pair they are in. A pair
changes by a fact of one of its two ends, so that is enough, but for two things that reach a step further and queue others:
an entity that began or ceased to be a hub (through whom two of its neighbours share nothing any longer), and a merge, which
gives neighbours to an entity without a new fact. When the queue is empty, each weight is what one run over all would give.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

import orjson

from thoth_substrate.consolidate.cursors import hold, move
from thoth_substrate.db.pool import Database, Tx, as_rows
from thoth_substrate.db.queries import Query, query

AGENT = "associator"
HUB = 16  # with more neighbours than this, to have one in common says nothing
Pair: TypeAlias = tuple[int, int]
Neighbours: TypeAlias = Mapping[int, Mapping[int, int]]  # entity → neighbour → how often


@dataclass(frozen=True, slots=True)
class Queued:
    entity_id: int


@dataclass(frozen=True, slots=True)
class Waiting:
    tenant_id: str


@dataclass(frozen=True, slots=True)
class Standing:
    entity_id: int
    stands_for: int


@dataclass(frozen=True, slots=True)
class Linked:
    entity_id: int
    other_id: int
    facts: int


@dataclass(frozen=True, slots=True)
class Cited:
    entity_id: int
    slice_id: UUID


@dataclass(frozen=True, slots=True)
class Association:
    """Two entities, the smaller number first: slices that cite both, living facts between them, neighbours they share."""

    left_id: int
    right_id: int
    weight: float
    together: int
    linked: int
    shared: int


@dataclass(frozen=True, slots=True)
class Associated:
    """What a run did. `queued` others are to be computed because of it; `digest` tells two results apart."""

    entities: int
    written: int
    removed: int
    queued: int
    digest: str


_DUE = query(__package__, "association_due", Queued)
_TENANTS = query(__package__, "association_tenants", Waiting)
_CLAIM = query(__package__, "association_claim", Queued)
_LIVING = query(__package__, "association_living", Standing)
_LINKS = query(__package__, "association_links", Linked)
_CITED = query(__package__, "association_cited", Cited)
_NAMED = query(__package__, "association_named", Cited)
_STORED = query(__package__, "association_stored", Association)
_WRITE: Query[None] = query(__package__, "association_write")
_REMOVE: Query[None] = query(__package__, "association_remove")
_DONE: Query[None] = query(__package__, "association_done")
_QUEUE: Query[None] = query(__package__, "association_queue")


def weight(together: int, linked: int, shared: int) -> float:
    """0..1, rising with each count and never reaching 1: a fact counts twice a slice that cites both, a shared neighbour half.

    A single fact with the slice it stands in makes .6, a shared neighbour alone .2.
    """
    evidence = together + 2.0 * linked + 0.5 * shared
    return evidence / (evidence + 2.0)


def associations(of: Collection[int], together: Neighbours, links: Neighbours, hubs: Collection[int]) -> dict[Pair, Association]:
    """Every pair that an entity of `of` is in. `links` holds the neighbours of these and of their neighbours. Pure."""
    found: dict[Pair, Association] = {}
    for entity in of:
        near, shared = links.get(entity, {}), defaultdict[int, int](int)
        for between in near:
            if between not in hubs:
                for other in links.get(between, {}):
                    shared[other] += other != entity
        for other in {*near, *together.get(entity, {}), *(other for other, count in shared.items() if count)}:
            counts = together.get(entity, {}).get(other, 0), near.get(other, 0), shared.get(other, 0)
            pair = (min(entity, other), max(entity, other))
            found[pair] = Association(*pair, weight(*counts), *counts)
    return found


async def unassociated(db: Database) -> list[str]:
    """The tenants that have entities to associate, or communities to find anew."""
    async with db.worker() as tx:
        return [waiting.tenant_id for waiting in await tx.fetch(_TENANTS)]


async def due(tx: Tx, tenant_id: str, limit_rows: int) -> list[int]:
    """The entities that the next run would take, at most `limit_rows`, in order."""
    return [queued.entity_id for queued in await tx.fetch(_DUE, tenant_id, limit_rows)]


async def associate(tx: Tx, tenant_id: str, limit_rows: int) -> Associated | None:
    """Compute the associations of up to `limit_rows` queued entities, in the caller's transaction. None: none is queued.

    One run at a time for a tenant. Queue rows go in the same transaction, so that a run that is killed is run again.
    """
    position = await hold(tx, tenant_id, AGENT)
    claimed = {queued.entity_id for queued in await tx.fetch(_CLAIM, tenant_id, limit_rows)}
    if not claimed:
        return None
    standing = await tx.fetch(_LIVING, tenant_id, sorted(claimed))
    of = {one.stands_for for one in standing}
    links = await _links(tx, tenant_id, of)
    before_hubs = set(map(int, position.get("hubs", ())))
    hubs = (before_hubs - claimed - of) | {entity for entity in of if len(links.get(entity, {})) > HUB}
    stored = {(row.left_id, row.right_id): row for row in await tx.fetch(_STORED, tenant_id, sorted(claimed | of))}
    reached = _reached(claimed | of, stored.values(), links, before_hubs ^ hubs) - of - claimed
    between = {near for entity in of for near in links.get(entity, {})} - of - hubs
    wanted = associations(of, await _together(tx, tenant_id, of), {**links, **await _links(tx, tenant_id, between)}, hubs)
    written, removed = await _write(tx, tenant_id, stored, wanted)
    await tx.execute(_DONE, tenant_id, sorted(claimed))
    await tx.execute(_QUEUE, tenant_id, sorted(reached))
    stale = bool(position.get("stale") or written or removed)
    runs = int(position.get("runs", 0)) + 1  # whoever reads facts by their communities sees by it that some may have changed
    await move(tx, tenant_id, AGENT, {**position, "hubs": sorted(hubs), "stale": stale, "runs": runs})
    return Associated(len(of), written, removed, len(reached), _digest(wanted.values()))


def _reached(changed: set[int], stored: Iterable[Association], links: Neighbours, crossed: set[int]) -> set[int]:
    """Whom a change reaches beyond the changed: those who gained or lost one of them as a neighbour, and all neighbours of one
    that became a hub or is none any longer.
    """
    before: dict[int, set[int]] = defaultdict(set)
    for row in stored:
        if row.linked:
            before[row.left_id].add(row.right_id)
            before[row.right_id].add(row.left_id)
    reached: set[int] = set()
    for entity in changed:
        now = set(links.get(entity, {}))
        reached |= (before[entity] | now) if entity in crossed else (before[entity] ^ now)
    return reached


async def _links(tx: Tx, tenant_id: str, of: Collection[int]) -> dict[int, dict[int, int]]:
    found: dict[int, dict[int, int]] = defaultdict(dict)
    for row in await tx.fetch(_LINKS, tenant_id, sorted(of)) if of else ():
        found[row.entity_id][row.other_id] = row.facts
    return found


async def _together(tx: Tx, tenant_id: str, of: Collection[int]) -> dict[int, dict[int, int]]:
    """How many slices cite each of these together with each other entity."""
    if not of:
        return {}
    cited = await tx.fetch(_CITED, tenant_id, sorted(of))
    named: dict[UUID, list[int]] = defaultdict(list)
    for row in await tx.fetch(_NAMED, tenant_id, sorted({row.slice_id for row in cited})):
        named[row.slice_id].append(row.entity_id)
    found: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for row in cited:
        for other in named[row.slice_id]:
            if other != row.entity_id:
                found[row.entity_id][other] += 1
    return found


async def _write(
    tx: Tx, tenant_id: str, stored: Mapping[Pair, Association], wanted: Mapping[Pair, Association]
) -> tuple[int, int]:
    gone = sorted(stored.keys() - wanted.keys())
    new = [wanted[pair] for pair in sorted(wanted) if pair not in stored or not _same(stored[pair], wanted[pair])]
    if gone:
        await tx.execute(_REMOVE, tenant_id, *as_rows(gone))
    if new:
        rows = [(a.left_id, a.right_id, a.weight, a.together, a.linked, a.shared) for a in new]
        await tx.execute(_WRITE, tenant_id, *as_rows(rows))
    return len(new), len(gone)


def _same(one: Association, other: Association) -> bool:
    counts = (one.together, one.linked, one.shared) == (other.together, other.linked, other.shared)
    return counts and math.isclose(one.weight, other.weight, abs_tol=1e-5)  # kept as real


def _digest(rows: Iterable[Association]) -> str:
    counts = sorted((row.left_id, row.right_id, row.together, row.linked, row.shared) for row in rows)
    return hashlib.sha256(orjson.dumps(counts)).hexdigest()[:16]
