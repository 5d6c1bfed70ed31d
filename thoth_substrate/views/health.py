"""How the memory is: facts gathered from the queues, the workers, the months, the log of recalls and the catalogue.

What they mean is decided by `health_checks`, which is pure. Facts of recall and of files are of one tenant. Those of queues are
of every tenant for who answers for all, and of the same one for anybody else: others' numbers are no business of theirs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from thoth_substrate.db.pool import Database, Tx
from thoth_substrate.db.queries import query
from thoth_substrate.views.agents import AgentLine, agents
from thoth_substrate.views.unread import UNREAD, Unread


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits: counts and the oldest. `given_up` passages wait for `embed retry`."""

    tenants: int
    pending: int
    oldest_pending: datetime | None
    unindexed: int
    oldest_unindexed: datetime | None
    unembedded: int
    oldest_unembedded: datetime | None
    failing: int
    given_up: int


@dataclass(frozen=True, slots=True)
class MonthsAhead:
    """A table kept by month: whether this month's partition exists and how many of the next twelve do."""

    table: str
    current: bool
    ahead: int


@dataclass(frozen=True, slots=True)
class RecallHour:
    """The recalls of one tenant in the last hour: how many, how many showed something, and their times (ms)."""

    recalls: int
    shown: int
    p50_ms: float | None
    p95_ms: float | None


@dataclass(frozen=True, slots=True)
class EmptyCount:
    """Recalls of the last hour that showed nothing, by reason."""

    reason: str
    recalls: int


@dataclass(frozen=True, slots=True)
class TableSize:
    """A table with its partitions and indexes: bytes, and rows as PostgreSQL last estimated them."""

    table: str
    bytes: int
    rows_estimate: int


@dataclass(frozen=True, slots=True)
class ActiveModel:
    """The model whose vectors recall searches."""

    model: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class Quarantined:
    """Slices in quarantine."""

    slices: int


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that the database says about how it is, at `now`. `whole`: queues are of every tenant; else of `tenant`."""

    now: datetime
    tenant: str
    backlog: Backlog
    months: list[MonthsAhead]
    agents: list[AgentLine]
    recall: RecallHour
    empties: list[EmptyCount] = field(default_factory=list)
    sizes: list[TableSize] = field(default_factory=list)
    active_model: ActiveModel | None = None
    quarantined: int = 0
    whole: bool = True
    unread: Unread = field(default_factory=Unread)


_BACKLOG = query(__package__, "backlog", Backlog)
_MONTHS = query(__package__, "months_ahead", MonthsAhead)
_RECALL = query(__package__, "recall_last_hour", RecallHour)
_EMPTIES = query(__package__, "empty_last_hour", EmptyCount)
_SIZES = query(__package__, "table_sizes", TableSize)
_ACTIVE = query(__package__, "active_model", ActiveModel)
_QUARANTINED = query(__package__, "quarantined", Quarantined)


async def backlog(db: Database) -> Backlog:
    """What waits of every tenant, alone: a few counts of narrow tables. Raises DatabaseUnavailable."""
    async with db.worker() as tx:
        return await _waiting(tx)


async def gather(db: Database, tenant_id: str, *, whole: bool = True) -> Facts:
    """Ask the database how it is. Not `whole`: the role lets the same statements see this tenant's rows only.

    Raises DatabaseUnavailable when it does not answer.
    """
    if whole:
        async with db.worker() as tx:
            waiting, quarantined = await _waiting(tx), await tx.fetch_one(_QUARANTINED)
    else:
        async with db.tenant(tenant_id) as tx:
            waiting, quarantined = await _waiting(tx), await tx.fetch_one(_QUARANTINED)
    async with db.worker() as tx:
        active = await tx.fetch_one(_ACTIVE)
    async with db.owner() as tx:
        months = await tx.fetch(_MONTHS)
        sizes = await tx.fetch(_SIZES)
    async with db.tenant(tenant_id) as tx:
        recall = await tx.fetch_one(_RECALL, tenant_id)
        empties = await tx.fetch(_EMPTIES, tenant_id)
        files = await tx.fetch_one(UNREAD, tenant_id)
    assert recall is not None
    return Facts(
        db.clock.now(), tenant_id, waiting, months, await agents(db), recall, empties, sizes, active,
        quarantined.slices if quarantined else 0, whole, files or Unread(),
    )  # fmt: skip


async def _waiting(tx: Tx) -> Backlog:
    found = await tx.fetch_one(_BACKLOG)
    assert found is not None, "the statement always answers one row"
    return found
