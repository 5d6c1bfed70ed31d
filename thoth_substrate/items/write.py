"""Items put, deleted and swept, within the caller's transaction. What was perceived of them follows in `unsay`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from thoth_substrate.db.pool import Tx
from thoth_substrate.db.queries import Query, query
from thoth_substrate.db.vectors import halfvecs
from thoth_substrate.items.item import Names, Put, Written, path_of
from thoth_substrate.items.read import Store

_PUT = query(__package__, "items_put", Written)
_DELETED: Query[None] = query(__package__, "items_deleted")
_SWEPT: Query[None] = query(__package__, "items_swept")
_VECTORS_MADE: Query[None] = query(__package__, "vectors_made")


async def put(tx: Tx, store: Store, puts: Sequence[Put], model: str = "") -> list[Written]:
    """Keep items, no name twice; `model` made their vectors. Raises TypeError or ValueError for a value that is no JSON."""
    given = [
        {
            "path": path_of(one.namespace), "key": one.key, "namespace": list(one.namespace), "value": one.value,
            "said": one.said, "ttl_s": one.ttl.total_seconds() if one.ttl is not None else None,
        }
        for one in puts
    ]  # fmt: skip
    written = await tx.fetch(_PUT, store.tenant, store.name, json.dumps(given))
    await _index(tx, store, puts, model)
    return written


async def delete(tx: Tx, store: Store, names: Sequence[tuple[Names, str]]) -> int:
    """Take items away by namespace and key; answers how many there were."""
    return await tx.execute(_DELETED, store.tenant, store.name, _names(names))


async def sweep(tx: Tx, store: Store) -> int:
    """Take away what has expired; answers how many they were."""
    return await tx.execute(_SWEPT, store.tenant, store.name)


async def _index(tx: Tx, store: Store, puts: Sequence[Put], model: str) -> None:
    fields: list[dict[str, Any]] = []
    vectors: list[Any] = []
    for one in puts:
        for field in one.fields:
            fields.append({"path": path_of(one.namespace), "key": one.key, "field": field.name})
            vectors.append(field.vector)
    if fields:
        await tx.execute(_VECTORS_MADE, store.tenant, store.name, model, json.dumps(fields), halfvecs(vectors))


def _names(names: Sequence[tuple[Names, str]]) -> str:
    return json.dumps([{"path": path_of(namespace), "key": key} for namespace, key in names])
