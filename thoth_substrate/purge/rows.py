"""Rows of any layer and all that hangs on them: locked in one order, taken away wholly, and said anew where they stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field
from uuid import UUID

from thoth_substrate.consolidate.free import free
from thoth_substrate.consolidate.statements import state_facts
from thoth_substrate.db.pool import Tx
from thoth_substrate.db.queries import Query, query
from thoth_substrate.fade.erase import keep_back


@dataclass(slots=True)
class Tally:
    """What a transaction did, for the receipt: rows gone and said anew, by table, and the numbers of those that are gone."""

    gone: Counter[str] = field(default_factory=Counter)
    anew: Counter[str] = field(default_factory=Counter)
    rows: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Locked:
    """Rows under lock, by layer."""

    entities: list[int]
    facts: list[int]
    patterns: list[int]
    observations: list[int]

    @property
    def all(self) -> list[int]:
        """Their numbers."""
        return [*self.entities, *self.facts, *self.patterns, *self.observations]


@dataclass(frozen=True, slots=True)
class Dropped:
    """Rows that went, by table; a field is a table's name without its prefix."""

    entities: int
    entity_aliases: int
    entity_merges: int
    relationships: int
    patterns: int
    observations: int
    citations: int
    supports: int
    outcomes: int
    associations: int
    communities: int


@dataclass(frozen=True, slots=True)
class Unstated:
    statements: int
    postings: int


@dataclass(frozen=True, slots=True)
class Stated:
    row_id: int


@dataclass(frozen=True, slots=True)
class Outlived:
    row_id: int
    living: bool
    ended_by_it: bool | None
    twin: bool


@dataclass(frozen=True, slots=True)
class EntityId:
    entity_id: int


_LOCK = query(__package__, "lock_rows", Locked)
_DROP = query(__package__, "drop_rows", Dropped)
_UNSTATED = query(__package__, "unstated", Unstated)
_STATED = query(__package__, "stated_with", Stated)
_OUTLIVED = query(__package__, "outlived", Outlived)
_REINSTATED: Query[None] = query(__package__, "reinstated")
_UNLINKED: Query[None] = query(__package__, "unlinked")
_UNMERGED: Query[None] = query(__package__, "unmerged")
_ENDS = query(__package__, "ends_of", EntityId)
_UNASSOCIATED: Query[None] = query(__package__, "unassociated")


async def lock(tx: Tx, tenant_id: str, row_ids: Collection[int]) -> Locked:
    """Lock rows of any layer until the transaction ends; answers those that are there."""
    locked = await tx.fetch_one(_LOCK, tenant_id, sorted(row_ids))
    assert locked is not None, "the statement always answers one row"
    return locked


async def drop(tx: Tx, tenant_id: str, row_ids: Collection[int], tally: Tally) -> list[int]:
    """Delete rows with all that names them; answers facts that are held again, since what they gave way to is gone."""
    going = sorted(row_ids)
    if not going:
        return []
    again = await _given_back(tx, tenant_id, going)
    beside = [row.entity_id for row in await tx.fetch(_ENDS, tenant_id, going)]
    await unstate(tx, tenant_id, going, tally)
    await tx.execute(_UNMERGED, tenant_id, going)
    dropped = await tx.fetch_one(_DROP, tenant_id, going)
    assert dropped is not None, "the statement always answers one row"
    tally.gone.update({f"substrate_{table}": n for table, n in asdict(dropped).items() if n})
    tally.rows += going
    await unassociate(tx, tenant_id, beside)
    return again


async def unstate(tx: Tx, tenant_id: str, row_ids: Sequence[int], tally: Tally) -> None:
    """Take statements out of the index of knowledge."""
    gone = await tx.fetch_one(_UNSTATED, tenant_id, row_ids)
    if gone is not None and gone.statements:
        tally.gone.update(substrate_statements=gone.statements, substrate_statement_postings=gone.postings)


async def state(tx: Tx, tenant_id: str, row_ids: Sequence[int], tally: Tally) -> None:
    """Let living facts be found by the words that they have now. Their vectors were of other words, and go."""
    if row_ids:
        await unstate(tx, tenant_id, row_ids, Tally())
        await state_facts(tx, tenant_id, row_ids)
        tally.anew["substrate_statements"] += len(row_ids)


async def stated_with(tx: Tx, tenant_id: str, terms: Collection[str]) -> set[int]:
    """Rows that are found by one of these words."""
    return {row.row_id for row in await tx.fetch(_STATED, tenant_id, sorted(terms))}


async def unassociate(tx: Tx, tenant_id: str, entity_ids: Sequence[int]) -> None:
    """Let the Associator count anew how strongly entities hang together."""
    if entity_ids:
        await tx.execute(_UNASSOCIATED, tenant_id, entity_ids)


async def promote_anew(tx: Tx, tenant_id: str, slice_ids: Collection[UUID], tally: Tally) -> None:
    """Queue what a dropped row also rested on: what it says by itself is found out again."""
    freed = await free(tx, tenant_id, sorted(slice_ids)) if slice_ids else []
    if freed:
        await keep_back(tx, tenant_id, freed)
        tally.anew["substrate_unconsolidated"] += len(freed)


async def _given_back(tx: Tx, tenant_id: str, going: Sequence[int]) -> list[int]:
    """Facts that gave way to what goes: held again unless another form of them is held, without the end that it gave them."""
    gave_way = await tx.fetch(_OUTLIVED, tenant_id, going)
    again = [row for row in gave_way if row.living or not row.twin]
    if again:
        unended = [row.row_id for row in again if row.ended_by_it]
        await tx.execute(_REINSTATED, tenant_id, [row.row_id for row in again], unended, list(going))
    await tx.execute(_UNLINKED, tenant_id, going)
    return [row.row_id for row in again]
