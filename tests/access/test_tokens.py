"""Tokens: shown once, known by their hash, good until revoked or expired."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import psycopg
import pytest

from thoth_substrate.access import tokens
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput
from thoth_substrate.model.clock import PinnedClock


async def test_a_token_is_recognised_and_never_stored(db: Database, sql: psycopg.Connection) -> None:
    assert not await tokens.any_live(db)
    made = await tokens.create(db, "acme", ["write", "read"], "the dashboard")
    assert await tokens.any_live(db)
    caller = await tokens.recognise(db, made.token)
    assert caller is not None
    assert (caller.tenant_id, sorted(caller.scopes), caller.token_id, caller.any_tenant) == (
        "acme",
        ["read", "write"],
        made.token_id,
        False,
    )
    stored = sql.execute("select t::text from thoth.substrate_tokens t").fetchone()
    assert stored is not None
    assert made.token not in stored[0]
    assert made.token.removeprefix("thoth_") not in stored[0]


async def test_an_unknown_token_is_nobody(db: Database) -> None:
    await tokens.create(db, "acme", ["read"])
    assert await tokens.recognise(db, "thoth_" + "x" * 43) is None
    assert await tokens.recognise(db, "\ud83d") is None


async def test_a_token_expires(db: Database, clock: PinnedClock) -> None:
    made = await tokens.create(db, "acme", ["read"], expires_at=clock.now() + timedelta(hours=1))
    assert await tokens.recognise(db, made.token) is not None
    clock.advance(timedelta(hours=1))
    assert await tokens.recognise(db, made.token) is None
    assert not await tokens.any_live(db)


async def test_a_token_is_revoked_once(db: Database) -> None:
    made = await tokens.create(db, "acme", ["read"])
    assert await tokens.revoke(db, "acme", made.token_id)
    assert not await tokens.revoke(db, "acme", made.token_id)
    assert await tokens.recognise(db, made.token) is None
    (listed,) = await tokens.of_tenant(db, "acme")
    assert listed.revoked_at is not None


async def test_a_tenant_neither_sees_nor_revokes_another_s(db: Database) -> None:
    made = await tokens.create(db, "acme", ["read"])
    assert await tokens.of_tenant(db, "rival") == []
    with pytest.raises(BadInput, match="has no token"):
        await tokens.revoke(db, "rival", made.token_id)
    with pytest.raises(BadInput, match="has no token"):
        await tokens.revoke(db, "acme", uuid4())


async def test_what_cannot_be_used_makes_no_token(db: Database, clock: PinnedClock) -> None:
    for tenant, scopes, name, until in (
        ("acme", ["root"], "", None),
        ("a b", ["read"], "", None),
        ("acme", ["read"], "n\x00", None),
        ("acme", ["read"], "", clock.now()),
    ):
        with pytest.raises(BadInput):
            await tokens.create(db, tenant, scopes, name, until)
    assert not await tokens.any_live(db)


async def test_its_last_use_is_noted_every_few_minutes(db: Database, clock: PinnedClock) -> None:
    made = await tokens.create(db, "acme", ["read"])
    first = clock.now()
    await tokens.recognise(db, made.token)
    clock.advance(timedelta(minutes=1))
    await tokens.recognise(db, made.token)
    (listed,) = await tokens.of_tenant(db, "acme")
    assert listed.last_used_at == first
    clock.advance(timedelta(minutes=10))
    await tokens.recognise(db, made.token)
    (listed,) = await tokens.of_tenant(db, "acme")
    assert listed.last_used_at == clock.now()
