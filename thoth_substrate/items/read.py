"""Items by name, by branch, by value and by meaning, and which namespaces there are. All within the caller's transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from thoth_substrate.db.pool import Tx
from thoth_substrate.db.queries import Query, query
from thoth_substrate.items.item import Condition, Item, Likeness, Names, Page, branch_of, path_of


@dataclass(frozen=True, slots=True)
class ItemRow:
    namespace: list[str]
    key: str
    value: str
    created_at: datetime
    updated_at: datetime
    score: float | None


@dataclass(frozen=True, slots=True)
class NamespaceRow:
    labels: list[str]


_GET = query(__package__, "items_get", ItemRow)
_NEWEST = query(__package__, "items_newest", ItemRow)
_ALIKE = query(__package__, "items_alike", ItemRow)
_REFRESHED: Query[None] = query(__package__, "items_refreshed")
_NAMESPACES = query(__package__, "namespaces", NamespaceRow)


@dataclass(frozen=True, slots=True)
class Store:
    """One host's store of one tenant. `omit_expired` hides what has expired and was not swept yet."""

    tenant: str
    name: str
    omit_expired: bool = False


@dataclass(frozen=True, slots=True)
class Wanted:
    """An item to read; `refresh` begins its time anew, if it has any."""

    namespace: Names
    key: str
    refresh: bool = False


async def get(tx: Tx, store: Store, wanted: Sequence[Wanted]) -> dict[tuple[tuple[str, ...], str], Item]:
    """The items that there are, by namespace and key."""
    asked = json.dumps([{"path": path_of(one.namespace), "key": one.key, "refresh": one.refresh} for one in wanted])
    rows = await tx.fetch(_GET, store.tenant, store.name, asked, store.omit_expired)
    return {(item.namespace, item.key): item for item in map(item_of, rows)}


async def search(
    tx: Tx, store: Store, branch: Names, conditions: Sequence[Condition], page: Page, likeness: Likeness | None = None,
    *, refresh: bool = False,
) -> list[Item]:  # fmt: skip
    """Items at or below `branch` that meet every condition: the most alike first, or without a question the newest."""
    asked = json.dumps([asdict(one) for one in conditions])
    about = (store.tenant, store.name, *branch_of(branch), asked, store.omit_expired)
    if likeness is None:
        rows = await tx.fetch(_NEWEST, *about, page.limit_rows, page.skip_rows)
    else:
        rows = await tx.fetch(
            _ALIKE, *about, likeness.model, likeness.question, likeness.distance, likeness.limit_vectors, page.limit_rows,
            page.skip_rows,
        )  # fmt: skip
    if refresh and rows:
        names = json.dumps([{"path": path_of(row.namespace), "key": row.key} for row in rows])
        await tx.execute(_REFRESHED, store.tenant, store.name, names)
    return [item_of(row) for row in rows]


async def namespaces(
    tx: Tx, store: Store, patterns: Sequence[str], page: Page, depth: int | None = None
) -> list[tuple[str, ...]]:
    """The namespaces, written with dots, that every regular expression matches; cut to `depth` labels, each named once."""
    rows = await tx.fetch(
        _NAMESPACES, store.tenant, store.name, list(patterns), depth, store.omit_expired, page.limit_rows, page.skip_rows
    )
    return [tuple(row.labels) for row in rows]


def item_of(row: ItemRow) -> Item:
    """A row as an item: numbers of any size come back as they were put."""
    return Item(tuple(row.namespace), row.key, json.loads(row.value), row.created_at, row.updated_at, row.score)
