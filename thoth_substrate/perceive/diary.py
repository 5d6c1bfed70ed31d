"""The diary: what the workers decided, as slices of `substrate.self_state` in a chain that can be verified.

Each entry's link is SHA-256 over the link before it and the digest of its payload (`content_hash`), so that an edited,
missing or inserted entry shows, while a purged payload or a dropped month leaves the chain whole. `views/audit.py` walks it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson

from thoth_substrate.db.again import again
from thoth_substrate.db.pool import Database, Tx
from thoth_substrate.db.queries import query
from thoth_substrate.errors import UnknownStream


@dataclass(frozen=True, slots=True)
class Head:
    seq: int


@dataclass(frozen=True, slots=True)
class Appended:
    slice_id: UUID


_HEAD = query(__package__, "diary_head", Head)
_APPEND = query(__package__, "diary_append", Appended)


async def record(
    db: Database, tenant_id: str, agent: str, decision: Mapping[str, Any], slice_id: UUID | None = None
) -> UUID:  # fmt: skip
    """Append a decision to the tenant's diary in a transaction of its own; answers its slice id. See `append`."""

    async def once() -> UUID:
        async with db.tenant(tenant_id) as tx:
            return await append(tx, tenant_id, agent, decision, slice_id)

    return await again(db, once)


async def append(tx: Tx, tenant_id: str, agent: str, decision: Mapping[str, Any], slice_id: UUID | None = None) -> UUID:
    """Append a decision within the caller's transaction of that tenant, as its last deed: it locks the head of the chain.

    `decision` holds JSON values; what JSON cannot hold is written as text, NULs and lone surrogates are replaced. One entry
    at a time for each tenant. A `slice_id` (UUIDv7, made when the work began) lets rows name the decision that made them.
    Raises UnknownStream before the streams are registered.
    """
    text = orjson.dumps(storable(decision), default=str, option=orjson.OPT_NON_STR_KEYS).decode()
    await tx.fetch_one(_HEAD, tenant_id)
    appended = await tx.fetch_one(_APPEND, tenant_id, agent, text, slice_id)
    if appended is None:
        raise UnknownStream("The stream substrate.self_state is not registered: boot registers it; nothing was recorded.")
    return appended.slice_id


def storable(value: Any) -> Any:
    """The same value with every text such that jsonb takes it: no NUL, no lone surrogate."""
    if isinstance(value, str):
        return value.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {storable(str(key)): storable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [storable(inner) for inner in value]
    return value
