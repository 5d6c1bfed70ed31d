"""Months: made three ahead, and dropped when nothing in them is alive.

What is rejected or diary expires by its profile; everything else must have been released. The logs' months expire by the
profile `log`. Each step is safe to run twice and to be killed after: a marked month is taken up where it stood.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from thoth_substrate.db import months as table
from thoth_substrate.db.months import Count, Month
from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.errors import StatementRefused
from thoth_substrate.model.clock import Clock

SLICES = "substrate_slices"
_LATER = {
    "55P03": "readers hold it",
    "55000": "another detach is under way",
    "42P01": "another host was quicker",
    "42501": "the connecting user does not own the tables",
    "40P01": "another transaction was in the way",
}


@dataclass(frozen=True, slots=True)
class Tenant:
    tenant_id: str


@dataclass(frozen=True, slots=True)
class MonthsReport:
    """What was done, by name. `waiting` is what could not be done now and why; the next tick tries again."""

    made: int = 0
    expired_slices: int = 0
    dropped: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()


_EXPIRING = query(__package__, "expiring", Tenant)
_EXPIRE = query(__package__, "expire", Count)
_TENANTS = query(__package__, "month_tenants", Tenant)
_ANCHORS: Query[None] = query(__package__, "month_anchors")


async def maintain(db: Database, clock: Clock, *, patience: timedelta = table.PATIENCE) -> MonthsReport:
    """Make months ahead, empty what has expired, drop what is spent. `patience` bounds each wait for readers."""
    made = await table.ensure(db, clock.now(), table.AHEAD)
    listed = await table.months(db)
    expired = 0
    for month in listed:
        if month.parent == SLICES and month.attached and _end(month.first) <= clock.now():
            expired += await _expire(db, month)
    hindrance = await _hindrance(db)
    dropped, waiting = [], [hindrance] if hindrance else []
    for month in [] if hindrance else listed:
        try:
            if await _drop_if_spent(db, month, patience):
                dropped.append(month.child)
        except StatementRefused as error:
            if error.sqlstate not in _LATER:
                raise
            waiting.append(f"{month.child}: {_LATER[error.sqlstate]}")
    return MonthsReport(made, expired, tuple(dropped), tuple(waiting))


async def _hindrance(db: Database) -> str | None:
    if await table.index_build_runs(db):
        return "an index is being built: no month is detached until it is done"
    by_hand = await table.default_partitions(db)
    return f"{by_hand[0].child} is a DEFAULT partition, made by hand: no month can be detached beside it" if by_hand else None


async def _drop_if_spent(db: Database, month: Month, patience: timedelta) -> bool:
    if month.detaching:
        await table.detach(db, month, patience)  # whoever began it: nothing else can be detached before it is finished
    elif month.attached:
        spent = await table.is_spent(db, month)
        if spent or month.marked:
            spent = await table.mark(db, month)
        if not spent:
            return False
        if month.parent == SLICES:
            await _save_anchors(db, month)
        await table.detach(db, month, patience)
    return await table.drop(db, month)


async def _expire(db: Database, month: Month) -> int:
    bounds = _start(month.first), _end(month.first)
    async with db.worker() as tx:
        tenants = await tx.fetch(_EXPIRING, *bounds)
    expired = 0
    for tenant in tenants:
        async with db.tenant(tenant.tenant_id) as tx:
            gone = await tx.fetch_one(_EXPIRE, tenant.tenant_id, *bounds)
        expired += gone.n if gone else 0
    return expired


async def _save_anchors(db: Database, month: Month) -> None:
    bounds = _start(month.first), _end(month.first)
    async with db.worker() as tx:
        tenants = await tx.fetch(_TENANTS, *bounds)
    for tenant in tenants:
        async with db.tenant(tenant.tenant_id) as tx:
            await tx.execute(_ANCHORS, tenant.tenant_id, month.first, *bounds)


def _start(first: date) -> datetime:
    return datetime.combine(first, time(), UTC)


def _end(first: date) -> datetime:
    return _start((first.replace(day=1) + timedelta(days=32)).replace(day=1))
