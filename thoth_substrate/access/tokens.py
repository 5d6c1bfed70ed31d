"""Tokens: made, shown once, listed, revoked, recognised."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from thoth_substrate.access.caller import TENANT_SHAPE, Caller, rights
from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.errors import BadInput

PREFIX = "thoth_"
SECRET_BYTES = 32
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is listed. The token itself is not there: it was shown once."""

    token_id: UUID
    name: str
    scopes: list[str]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token just made. `token` is seen here and never again."""

    token_id: UUID
    tenant_id: str
    name: str
    scopes: list[str]
    expires_at: datetime | None
    token: str


@dataclass(frozen=True, slots=True)
class Known:
    """A presented token that is good; `stale`: its last use was noted some minutes ago."""

    tenant_id: str
    token_id: UUID
    name: str
    scopes: list[str]
    stale: bool


@dataclass(frozen=True, slots=True)
class Live:
    """Whether there is any token that is good."""

    any_live: bool


_INSERT: Query[Any] = query(__package__, "token_insert")
_OF = query(__package__, "tokens_of", Token)
_REVOKE: Query[Any] = query(__package__, "token_revoke")
_KNOWN = query(__package__, "token_of", Known)
_USED: Query[Any] = query(__package__, "token_used")
_LIVE = query(__package__, "tokens_live", Live)


async def create(
    db: Database, tenant_id: str, scopes: Iterable[str], name: str = "", expires_at: datetime | None = None
) -> NewToken:
    """A new token of a tenant. An empty list of scopes makes one that allows nothing.

    Raises BadInput for an unknown scope, a tenant that is no name, or an expiry that has passed.
    """
    allowed: list[str] = sorted(rights(list(scopes)))
    if not TENANT_SHAPE.fullmatch(tenant_id):
        raise BadInput(f"{tenant_id!r} is not a tenant's name: letters, digits and . : @ _ - make one, 64 at most.")
    if expires_at is not None and expires_at <= db.clock.now():
        raise BadInput("The token would have expired already: give a later time.")
    if len(name) > LONGEST_NAME or "\x00" in name:
        raise BadInput(f"A token's name has at most {LONGEST_NAME} characters, and no NUL: give another.")
    secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    made = NewToken(uuid4(), tenant_id, name or "unnamed", allowed, expires_at, secret)
    async with db.tenant(tenant_id) as tx:
        await tx.execute(_INSERT, tenant_id, made.token_id, made.name, _hash(secret), allowed, expires_at)
    return made


async def of_tenant(db: Database, tenant_id: str) -> list[Token]:
    """Every token of a tenant, those revoked or expired too, the newest first."""
    async with db.tenant(tenant_id) as tx:
        return await tx.fetch(_OF, tenant_id)


async def revoke(db: Database, tenant_id: str, token_id: UUID) -> bool:
    """Take a token back; False when it was taken back before. Raises BadInput when the tenant has no such token."""
    async with db.tenant(tenant_id) as tx:
        if await tx.execute(_REVOKE, tenant_id, token_id):
            return True
        if not any(token.token_id == token_id for token in await tx.fetch(_OF, tenant_id)):
            raise BadInput(f"Tenant {tenant_id} has no token {token_id}: `thoth token list` shows those it has.")
    return False


async def recognise(db: Database, presented: str) -> Caller | None:
    """Who presents a token, or None when it is not good: unknown, revoked or expired. Notes its use."""
    async with db.worker() as tx:
        known = await tx.fetch_one(_KNOWN, _hash(presented))
        if known is None:
            return None
        if known.stale:
            await tx.execute(_USED, _hash(presented))
    return Caller(known.tenant_id, rights(known.scopes), known.token_id, known.name)


async def any_live(db: Database) -> bool:
    """Whether any tenant has a token that is good."""
    async with db.worker() as tx:
        found = await tx.fetch_one(_LIVE)
    return found is not None and found.any_live


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
