"""Months: the only place that composes DETACH CONCURRENTLY, which must be a statement of its own at the top level.

Everything else about a month (making, marking, dropping) is a database function that quotes its names with format().
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query

AHEAD = 3  # months there are beyond the current one
PATIENCE = timedelta(seconds=5)  # how long a detach waits for the readers of the table before it is tried again later
_CHILD = re.compile(r"(substrate_(?:slices|salience_events|recall_log))_y\d{4,}m\d{2}")


@dataclass(frozen=True, slots=True)
class Month:
    """A partition: `first` is its first day (UTC). Detached ones are listed only while they carry a month's name."""

    parent: str
    child: str
    first: date
    attached: bool
    detaching: bool
    marked: bool


@dataclass(frozen=True, slots=True)
class DefaultPartition:
    """A DEFAULT partition, which Thoth never makes: rows are an estimate."""

    parent: str
    child: str
    rows: int


@dataclass(frozen=True, slots=True)
class Answer:
    yes: bool


@dataclass(frozen=True, slots=True)
class Count:
    n: int


_MONTHS = query(__package__, "months", Month)
_MADE = query(__package__, "months_made", Count)
_SPENT = query(__package__, "month_spent", Answer)
_MARKED = query(__package__, "month_marked", Answer)
_DROPPED = query(__package__, "month_dropped", Answer)
_BUILDS = query(__package__, "index_builds", Count)
_DEFAULTS = query(__package__, "defaults", DefaultPartition)


async def months(db: Database) -> list[Month]:
    """Every month there is, by parent and time."""
    async with db.owner() as tx:
        return await tx.fetch(_MONTHS)


async def ensure(db: Database, at: datetime, ahead: int = 0) -> int:
    """Make the month of `at` (aware) and `ahead` more, for all that is kept by month; answers how many were missing.

    Safe to call at any time and by several hosts at once. Raises StatementRefused where a DEFAULT partition made by
    hand holds rows of that month.
    """
    async with db.worker() as tx:
        made = await tx.fetch_one(_MADE, at.astimezone(UTC).date(), ahead)
    return made.n if made else 0


async def is_spent(db: Database, month: Month) -> bool:
    """Whether the month has ended and no tenant has anything alive in it."""
    async with db.worker() as tx:
        answer = await tx.fetch_one(_SPENT, month.child)
    return answer is not None and answer.yes


async def mark(db: Database, month: Month) -> bool:
    """Mark a month for dropping if it is spent, else take its mark away; answers which."""
    async with db.owner() as tx:
        answer = await tx.fetch_one(_MARKED, month.child)
    return answer is not None and answer.yes


async def detach(db: Database, month: Month, patience: timedelta = PATIENCE) -> None:
    """Detach without stopping readers or writers. An interrupted one is finished, never begun again.

    Raises StatementRefused (sqlstate 55P03) when readers keep it waiting longer than `patience`: nothing is lost, the
    next call goes on from there. 42501 when the connecting user does not own the table, 55000 when another detach is under way.
    """
    how = "FINALIZE" if month.detaching else "CONCURRENTLY"
    statement = " ".join(("ALTER TABLE", _quoted(month.parent), "DETACH PARTITION", _quoted(month.child), how))
    await db.top_level(statement, lock_timeout=patience)


async def drop(db: Database, month: Month) -> bool:
    """Drop a detached month that was marked and is still spent. False when it came alive and was attached again."""
    async with db.owner() as tx:
        answer = await tx.fetch_one(_DROPPED, month.child)
    return answer is not None and answer.yes


async def index_build_runs(db: Database) -> bool:
    """Whether an index is being built in this database now."""
    async with db.owner() as tx:
        found = await tx.fetch_one(_BUILDS)
    return found is not None and found.n > 0


async def default_partitions(db: Database) -> list[DefaultPartition]:
    """DEFAULT partitions that somebody made by hand; `doctor` says so, because months cannot be detached beside one."""
    async with db.owner() as tx:
        return await tx.fetch(_DEFAULTS)


def _quoted(name: str) -> str:
    if not (_CHILD.fullmatch(name) or name in ("substrate_slices", "substrate_salience_events", "substrate_recall_log")):
        raise ValueError(f"{name!r} is not kept by month")
    return 'thoth."' + name + '"'
