"""Doing a transaction again when the server says that another try may succeed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from thoth_substrate.db.months import ensure
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import StatementRefused

T = TypeVar("T")

TRIES = 3
_CONTENDED = frozenset({"40001", "40P01"})  # serialization failure, deadlock: the other transaction has gone on
_NO_PARTITION = "23514"  # or a check that fails, which will fail again


async def again(db: Database, transaction: Callable[[], Awaitable[T]]) -> T:
    """Run `transaction` (a whole one, nothing outside it), at most three times.

    After a deadlock it simply runs again; when this month's partitions are missing they are made first. Any other
    refusal, and the last one, is raised.
    """
    for _ in range(TRIES - 1):
        try:
            return await transaction()
        except StatementRefused as error:
            if error.sqlstate == _NO_PARTITION:
                await ensure(db, db.clock.now())
            elif error.sqlstate not in _CONTENDED:
                raise
    return await transaction()
