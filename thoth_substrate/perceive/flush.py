"""Records become rows: text, redaction, and one transaction a batch, whatever the database answers.

Every outcome is either "in the database", "set aside with a reason", or DatabaseUnavailable: try again later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

import orjson
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random

from thoth_substrate.db.pool import Database, Tx, as_rows
from thoth_substrate.db.queries import Query, query
from thoth_substrate.errors import DatabaseUnavailable, StatementRefused
from thoth_substrate.model.ids import ingest_time
from thoth_substrate.perceive.clean import clean, each_string, text_of
from thoth_substrate.perceive.record import VERSION, instant
from thoth_substrate.perceive.redact import redact, redact_json, suspicious

T = TypeVar("T")
STATEMENT_PATIENCE_S = 30.0
_ATTEMPTS = 5
# Deadlock, serialization failure, lock timeout: the same batch passes a moment later.
_PASSING = frozenset({"40P01", "40001", "55P03"})
_CHECK_VIOLATION = "23514"
# Data exception, integrity violation, program limit exceeded: a row is at fault. All else is the server's trouble.
_ROW_AT_FAULT = ("22", "23", "54")


class Row(NamedTuple):
    """A slice as `flush_batch.sql` takes it. `event_time` None means the ingest time, which the id carries."""

    slice_id: str
    stream: str
    session_id: str
    actor: str
    event_time: datetime | None
    event_offset_s: int | None
    text: str
    payload: str | None
    metadata: str
    source: str | None
    external_id: str | None


@dataclass(frozen=True, slots=True)
class Shaped:
    """A row, whose it is, and how many secrets were taken out of it."""

    tenant_id: str
    row: Row
    redacted: int


@dataclass(frozen=True, slots=True)
class Flushed:
    """What one batch came to, in rows. `announced` is 1 when a notification was sent."""

    written: int
    duplicates: int
    announced: int


@dataclass(frozen=True, slots=True)
class MadeMonth:
    """Whether this call created the month."""

    made: bool


@dataclass(frozen=True, slots=True)
class Patience:
    """The statement timeout of this transaction, and how far its commit is waited for."""

    statement_timeout: str
    synchronous_commit: str


@dataclass(slots=True)
class Outcome:
    """What became of some rows; `rejected` holds the ids of those that the database will never take, and why."""

    written: int = 0
    duplicates: int = 0
    rejected: dict[str, str] = field(default_factory=dict)

    def add(self, other: Outcome) -> None:
        """Take in what became of others."""
        self.written += other.written
        self.duplicates += other.duplicates
        self.rejected |= other.rejected


_FLUSH = query(__package__, "flush_batch", Flushed)
_MAKE_MONTH = query(__package__, "make_month", MadeMonth)
_PATIENCE = query(__package__, "flush_patience", Patience)


UNREADABLE = (ValueError, TypeError, AttributeError, OverflowError, RecursionError)


def shape(body: bytes, *, redacting: bool) -> Shaped:
    """The row of a record. Raises one of UNREADABLE when it is no record that this version can read."""
    fields = orjson.loads(body)
    if not isinstance(fields, list) or fields[:1] != [VERSION]:
        raise ValueError("not a record of this version of Thoth")
    if b"\\u0000" in body:
        fields = each_string(fields, clean)
    _, tenant_id, slice_id, stream, session, actor, at, offset_s, source, external_id, metadata, content = fields
    text, payload, found = _content(content, redacting)
    also, found_too = _json(metadata, redacting) if metadata else ("{}", 0)
    time = None if at is None else instant(at)
    row = Row(slice_id, stream, session, actor, time, offset_s, text, payload, also, source, external_id)
    return Shaped(tenant_id, row, found + found_too)


class Writer:
    """Writes rows through one database. One call at a time; `cut` may be called meanwhile."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._tx: Tx | None = None

    async def write(self, tenant_id: str, rows: Sequence[Row]) -> Outcome:
        """Each row ends in the database or rejected. Raises DatabaseUnavailable when that cannot be now."""
        outcome = Outcome()
        waiting = [list(rows)]
        while waiting:
            batch = waiting.pop()
            try:
                flushed = await self._written(tenant_id, batch)
            except StatementRefused as refusal:
                if not str(refusal.sqlstate).startswith(_ROW_AT_FAULT):
                    raise DatabaseUnavailable(
                        f"{refusal}; what is perceived waits in the journal until it can be written."
                    ) from refusal
                if len(batch) == 1:
                    outcome.rejected[batch[0].slice_id] = str(refusal)
                else:
                    # One bad row must not hold back the rest: halve until it stands alone.
                    waiting += [batch[len(batch) // 2 :], batch[: len(batch) // 2]]
            else:
                outcome.written += flushed.written
                outcome.duplicates += flushed.duplicates
        return outcome

    def cut(self) -> None:
        """Give up a statement that a frozen server does not answer: its connection is closed at once."""
        if self._tx is not None:
            self._tx.kill()

    async def _written(self, tenant_id: str, rows: Sequence[Row]) -> Flushed:
        arguments = (tenant_id, *as_rows(rows))
        try:
            return await self._fetch(tenant_id, _FLUSH, *arguments)
        except StatementRefused as refusal:
            # Also the answer when a month has no partition; only in the server's own language does it say which it is.
            if refusal.sqlstate != _CHECK_VIOLATION:
                raise
            for month in sorted({_month(row.slice_id) for row in rows}):
                await self._fetch("", _MAKE_MONTH, month)
            # Again, whoever made them: another host may have been a moment faster.
            return await self._fetch(tenant_id, _FLUSH, *arguments)

    async def _fetch(self, tenant_id: str, statement: Query[T], *arguments: Any) -> T:
        """The one row of a statement in a transaction of its own, tried again after a deadlock."""
        async for attempt in AsyncRetrying(
            retry=retry_if_exception(_passes), stop=stop_after_attempt(_ATTEMPTS), wait=wait_random(0.01, 0.1), reraise=True
        ):
            with attempt:
                async with self._db.tenant(tenant_id) as self._tx:
                    await self._tx.fetch_one(_PATIENCE, f"{STATEMENT_PATIENCE_S * 1000:.0f}")
                    row = await self._tx.fetch_one(statement, *arguments)
        self._tx = None
        assert row is not None
        return row


def _month(slice_id: str) -> date:
    return ingest_time(UUID(slice_id)).date().replace(day=1)


def _passes(error: BaseException) -> bool:
    return isinstance(error, StatementRefused) and error.sqlstate in _PASSING


def _content(content: Any, redacting: bool) -> tuple[str, str | None, int]:
    """Text, payload and secrets found. A plain text needs no payload."""
    if isinstance(content, str):
        text, found = redact(content) if redacting else (content, 0)
        return text, None, found
    payload, found = _json(content, redacting)
    text = text_of(orjson.loads(payload) if found else content)
    return redact(text)[0] if redacting else text, payload, found


def _json(value: Any, redacting: bool) -> tuple[str, int]:
    written = orjson.dumps(value).decode()
    if not redacting or not suspicious(written):
        return written, 0
    value, found = redact_json(value)
    return orjson.dumps(value).decode(), found
