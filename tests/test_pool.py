"""The pool: roles, tenants, the pinned clock."""

from __future__ import annotations

import psycopg

from thoth_substrate.db.pool import Database


async def test_a_tenant_sees_only_its_own_rows(db: Database, sql: psycopg.Connection) -> None:
    sql.execute("insert into thoth.substrate_tenants(tenant_id) values ('a'), ('b')")
    async with db.tenant("a") as tx:
        rows = await tx._connection.fetch("select tenant_id from thoth.substrate_tenants")
    assert [row[0] for row in rows] == ["a"]


async def test_sql_takes_the_pinned_clock_for_now(db: Database) -> None:
    async with db.tenant("a") as tx:
        now = await tx._connection.fetchval("select thoth.substrate_now()")
    assert now == db.clock.now()
