"""The pool: roles, tenants, the pinned clock."""

from __future__ import annotations

import psycopg
import pytest

from tests import servers
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import DatabaseUnavailable, SchemaOutdated


async def test_a_tenant_sees_only_its_own_rows(db: Database, sql: psycopg.Connection) -> None:
    sql.execute("insert into thoth.substrate_tenants(tenant_id) values ('a'), ('b')")
    async with db.tenant("a") as tx:
        rows = await tx._connection.fetch("select tenant_id from thoth.substrate_tenants")
    assert [row[0] for row in rows] == ["a"]


async def test_sql_takes_the_pinned_clock_for_now(db: Database) -> None:
    async with db.tenant("a") as tx:
        now = await tx._connection.fetchval("select thoth.substrate_now()")
    assert now == db.clock.now()


@pytest.mark.parametrize(
    "more", ["?connect_timeout=7", "?channel_binding=prefer&keepalives=1", "?application_name=x", "?target_session_attrs=any"]
)
async def test_what_only_libpq_knows_of_a_dsn_does_no_harm(dsn: str, more: str) -> None:
    await _answers(dsn.partition("?")[0] + more)


async def test_a_dsn_of_keywords_is_taken_like_a_url(dsn: str) -> None:
    await _answers(psycopg.conninfo.make_conninfo(dsn))


async def test_a_dsn_that_cannot_be_read_is_one_sentence() -> None:
    with pytest.raises(DatabaseUnavailable, match=r"DATABASE_URL cannot be read \(invalid .*\): correct it"):
        await Database.open("postgresql://localhost/x?pgbouncer=true")


async def test_a_database_in_which_nothing_was_migrated_is_said_to_be_one(server_dsn: str) -> None:
    with servers.empty_database(server_dsn) as dsn:
        database = await Database.open(dsn)
        with pytest.raises(SchemaOutdated, match="run `thoth substrate migrate`"):
            async with database.tenant("a"):
                pass
        await database.close()


async def _answers(dsn: str) -> None:
    database = await Database.open(dsn)
    async with database.tenant("a") as tx:
        assert await tx._connection.fetchval("select current_setting('search_path')") == "thoth, public"
    await database.close()
