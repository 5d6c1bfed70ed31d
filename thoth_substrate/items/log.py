"""A namespace as a log: entries that come one after another, read from the end, taken back from the end.

Values come back exactly, also those that JSON in PostgreSQL has no words for (NUL, halves of characters, NaN).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from thoth_substrate.db.pool import Tx
from thoth_substrate.db.queries import Query, query
from thoth_substrate.items.item import Names, Written, path_of
from thoth_substrate.items.read import ItemRow, Store, item_of

_ONE_AT_A_TIME: Query[None] = query(__package__, "log_one_at_a_time")
_APPENDED = query(__package__, "log_appended", Written)
_LATEST = query(__package__, "log_latest", ItemRow)
_POPPED = query(__package__, "log_popped", ItemRow)
_UNTOLD = (
    "\\u0000",
    "\\ud",
    "NaN",
    "Infinity",
)  # in the text of a value: what jsonb refuses, and now and then what it would take


@dataclass(frozen=True, slots=True)
class Cleared:
    number: int
    noted: int | None


_CLEARED = query(__package__, "log_cleared", Cleared)


@dataclass(frozen=True, slots=True)
class Entry:
    """A value to be appended; `said` as in `Put`."""

    value: Any
    said: str | None = None


async def append(tx: Tx, store: Store, namespace: Names, entries: Sequence[Entry]) -> list[Written]:
    """Add entries in their order, together. Raises TypeError for a value that is no JSON."""
    given = json.dumps([{"value": _kept(entry.value), "said": entry.said} for entry in entries])
    await tx.execute(_ONE_AT_A_TIME, store.tenant, store.name, path_of(namespace))
    written = await tx.fetch(_APPENDED, store.tenant, store.name, path_of(namespace), list(namespace), given)
    return sorted(written, key=lambda one: one.number)


async def latest(tx: Tx, store: Store, namespace: Names, limit_rows: int | None = None) -> list[Any]:
    """The last values, the oldest of them first; all of them without a limit."""
    rows = await tx.fetch(_LATEST, store.tenant, store.name, path_of(namespace), limit_rows)
    return [_given(row) for row in reversed(rows)]


async def pop(tx: Tx, store: Store, namespace: Names) -> list[Any]:
    """Take the last value back: a list of it, empty when there is none."""
    await tx.execute(_ONE_AT_A_TIME, store.tenant, store.name, path_of(namespace))
    return [_given(row) for row in await tx.fetch(_POPPED, store.tenant, store.name, path_of(namespace))]


async def clear(tx: Tx, store: Store, namespace: Names) -> list[int]:
    """Take all away; answers the changes whose words were perceived."""
    await tx.execute(_ONE_AT_A_TIME, store.tenant, store.name, path_of(namespace))
    rows = await tx.fetch(_CLEARED, store.tenant, store.name, path_of(namespace))
    return [row.noted for row in rows if row.noted is not None]


def _kept(value: Any) -> dict[str, Any]:
    text = json.dumps(value)
    return {"json": text} if any(mark in text for mark in _UNTOLD) else {"value": value}


def _given(row: ItemRow) -> Any:
    kept = item_of(row).value
    return json.loads(kept["json"]) if "json" in kept else kept["value"]
