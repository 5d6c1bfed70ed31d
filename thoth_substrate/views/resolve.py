"""What a person types for a slice or a recall: an id, the beginning of one, or the handle of a line that was shown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from uuid import UUID

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query
from thoth_substrate.errors import BadInput, UnknownSlice
from thoth_substrate.model.ids import ingest_time

NEWEST = "last"
SHORT_ID_CHARS = 18
_HANDLE = re.compile(r"[1-9]\d{2,4}")  # an id begins with 0 for some centuries yet
_ROW = re.compile(r"row:(\d{1,18})")
_PREFIX = re.compile(r"[0-9a-fA-F-]{4,36}")


@dataclass(frozen=True, slots=True)
class Found:
    """An id that was found."""

    id: UUID


@dataclass(frozen=True, slots=True)
class Handled:
    """What a handle stood for: a slice, or a row of what is known."""

    slice_id: UUID | None
    row_id: int | None


_BY_HANDLE = query(__package__, "by_handle", Handled)
_BY_PREFIX = query(__package__, "by_prefix", Found)
_RECALL_BY_PREFIX = query(__package__, "recall_by_prefix", Found)
_NEWEST_RECALL = query(__package__, "newest_recall", Found)


def short(identifier: UUID) -> str:
    """The beginning of an id that tells it from every other of the same process: its time and counter."""
    return str(identifier)[:SHORT_ID_CHARS]


async def slice_id(db: Database, tenant_id: str, word: str) -> UUID:
    """The slice that `word` means: the handle of a line (of the newest recall that showed it) or the beginning of an id.

    Raises UnknownSlice when there is none, BadInput when `word` cannot be an id, several begin so, or it means a fact.
    """
    meant = await anything(db, tenant_id, word)
    if isinstance(meant, int):
        raise BadInput(
            f"{word.strip()} is no slice but something known: `thoth substrate show {word.strip()}` says what it rests on."
        )
    return meant


async def anything(db: Database, tenant_id: str, word: str) -> UUID | int:
    """The slice that `word` means, as `slice_id` does, or the number of a fact: by its handle, or as `row:88`."""
    text = word.strip().strip("[]#")
    if by_number := _ROW.fullmatch(text):
        return int(by_number[1])
    if _HANDLE.fullmatch(text):
        async with db.tenant(tenant_id) as tx:
            row = await tx.fetch_one(_BY_HANDLE, tenant_id, text)
        meant = (row.slice_id or row.row_id) if row else None
        if meant is None:
            raise UnknownSlice(f"No recent recall of tenant {tenant_id} showed the handle {text}: give the id, or recall again.")
        return meant
    low, high = _bounds(text)
    async with db.tenant(tenant_id) as tx:
        rows = await tx.fetch(_BY_PREFIX, tenant_id, low, high, ingest_time(low), ingest_time(high))
    if not rows:
        raise UnknownSlice(
            f"No slice of tenant {tenant_id} begins with {text}: `thoth substrate slices` lists the most recent ones."
        )
    return _only(text, rows)


async def recall_id(db: Database, tenant_id: str, word: str) -> UUID:
    """The logged recall that `word` means: the beginning of its id, or `last`. Raises BadInput when there is none."""
    text = word.strip()
    async with db.tenant(tenant_id) as tx:
        if text == NEWEST:
            rows = await tx.fetch(_NEWEST_RECALL, tenant_id)
        else:
            rows = await tx.fetch(_RECALL_BY_PREFIX, tenant_id, *_bounds(text))
    if not rows:
        raise BadInput(f"No recall of tenant {tenant_id} is logged as {text}: `thoth substrate recall recent` lists them.")
    return _only(text, rows)


def _bounds(text: str) -> tuple[UUID, UUID]:
    bare = text.replace("-", "")
    if not _PREFIX.fullmatch(text) or not 4 <= len(bare) <= 32:
        raise BadInput(
            f"{text!r} is not an id: give its first characters (four or more), all of it, or the digits of a line that was shown."
        )
    return UUID(bare.ljust(32, "0")), UUID(bare.ljust(32, "f"))


def _only(text: str, rows: list[Found]) -> UUID:
    if len(rows) > 1:
        several = ", ".join(str(row.id) for row in rows[:4])
        raise BadInput(f"Several ids begin with {text}: give more of one of them ({several}{', …' if len(rows) > 4 else ''}).")
    return rows[0].id
