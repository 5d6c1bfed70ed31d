"""What may come twice: one key of the client's, or one thing of another system, makes one memory."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.errors import BadInput

KEPT = timedelta(days=1)
LONGEST_KEY_CHARS = 200
EXPIRED_ROWS = 100  # cleared by each request that brings a key
DIGEST_BYTES = 8  # enough to tell requests apart


@dataclass(frozen=True, slots=True)
class Taken:
    taken: bool


@dataclass(frozen=True, slots=True)
class Known:
    request: bytes
    slice_id: UUID | None


@dataclass(frozen=True, slots=True)
class Keyed:
    """The memory of a key, and whether it had been made before."""

    slice_id: UUID
    repeated: bool


@dataclass(frozen=True, slots=True)
class Made:
    slice_id: UUID


_TAKEN = query(__package__, "key_taken", Taken)
_KNOWN = query(__package__, "key_known", Known)
_EXTERNAL = query(__package__, "known_external", Made)
_USED: Query[None] = query(__package__, "key_used")
_EXPIRED: Query[None] = query(__package__, "keys_expired")


async def once(
    db: Database, tenant_id: str, key: str, request: bytes, make: Callable[[], Awaitable[UUID]]
) -> Keyed:  # fmt: skip
    """Let `make` make a memory unless the key has made one within the last day. Who comes meanwhile waits for the first.

    Raises BadInput for a key that was used for another request, or is no key.
    """
    if not key.strip() or len(key) > LONGEST_KEY_CHARS or not key.isprintable():
        raise BadInput(f"An idempotency key is 1 to {LONGEST_KEY_CHARS} printable characters; nothing was stored.")
    named = hashlib.sha256(key.encode()).hexdigest()  # whatever a client puts into its keys is not stored
    digest = hashlib.sha256(request).digest()[:DIGEST_BYTES]
    async with db.tenant(tenant_id) as tx:
        await tx.execute(_EXPIRED, tenant_id, db.clock.now() - KEPT, EXPIRED_ROWS)
        if await tx.fetch_one(_TAKEN, tenant_id, named, digest) is not None:
            slice_id = await make()
            await tx.execute(_USED, tenant_id, named, slice_id)
            return Keyed(slice_id, repeated=False)
        known = await tx.fetch_one(_KNOWN, tenant_id, named)
    if known is None or known.slice_id is None or known.request != digest:
        raise BadInput("This idempotency key was used for another request: take a new key for each memory; nothing was stored.")
    return Keyed(known.slice_id, repeated=True)


async def of_external(db: Database, tenant_id: str, source: str, external_id: str) -> UUID | None:
    """The memory that a thing of another system became; None when it is new, or still on its way into the database."""
    async with db.tenant(tenant_id) as tx:
        known = await tx.fetch_one(_EXTERNAL, tenant_id, source, external_id)
    return known.slice_id if known else None
