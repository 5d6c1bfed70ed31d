"""Migrations: up and down with rows, one migrator at a time, and a sentence for whatever stands in the way."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from psycopg import sql as compose

from tests import servers
from tests.db import rows
from tests.servers import at
from thoth_substrate.db import migrate as migrations
from thoth_substrate.db.embedded import EmbeddedServer
from thoth_substrate.db.migrate import EXTENSIONS, ServerFacts, head, migrate, require_current, state
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput, DatabaseUnavailable, DatabaseUnsuitable, SchemaOutdated, StatementRefused

Revisions = Callable[..., None]
OURS = head()


def later(number: int) -> str:
    """The name of the revision so many after ours."""
    return f"{int(OURS) + number:04}"


@pytest.fixture
def empty(server_dsn: str) -> Iterator[str]:
    """A database in which nothing has been migrated."""
    with servers.empty_database(server_dsn) as dsn:
        yield dsn


@pytest.fixture
def add_revisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Revisions:
    """Lets a test play a newer Thoth: revisions after ours whose upgrades are the given statements."""

    def add(*statements: str) -> None:
        folder = tmp_path / "migrations"
        shutil.copytree(migrations.migrations_folder(), folder, ignore=shutil.ignore_patterns("__pycache__"))
        for number, statement in enumerate(statements, start=1):
            (folder / "versions" / f"{later(number)}_more.py").write_text(
                f"from alembic import op\nrevision = '{later(number)}'\ndown_revision = '{later(number - 1)}'\n"
                f"def upgrade():\n    op.execute({statement!r})\ndef downgrade():\n    op.execute('select 1')\n"
            )
        monkeypatch.setattr(migrations, "migrations_folder", lambda: folder)

    return add


def test_from_nothing_to_the_newest_and_no_further(empty: str) -> None:
    assert state(empty).current is None
    assert migrate(empty) == (None, head())
    assert migrate(empty) == (head(), head())
    found = state(empty)
    assert (found.up_to_date, found.server_version.split(".")[0] in ("17", "18")) == (True, True)
    require_current(empty)


def test_down_and_up_again_with_rows_in_every_table(dsn: str, sql: psycopg.Connection) -> None:
    rows.fill(sql)
    counts = {table: _one(sql, f"select count(*) from thoth.{table}") for table in rows.tables(sql)}
    assert counts
    assert all(counts.values()), counts
    assert migrate(dsn, "base") == (head(), None)
    left = _one(
        sql,
        "select array_agg(relname::text) from pg_class where relnamespace = 'thoth'::regnamespace and relkind in ('r', 'p', 'S')",
    )
    assert left == ["substrate_schema_version"]
    assert _one(sql, "select count(*) from pg_proc where pronamespace = 'thoth'::regnamespace") == 0
    assert migrate(dsn) == (None, head())
    rows.fill(sql)


def test_knowledge_comes_and_goes_without_loss_to_the_rows_there_were(dsn: str, sql: psycopg.Connection) -> None:
    """0001 with a row in every table, to 0002 and back: what it had, it has at each station."""
    migrate(dsn, "0001")
    rows.fill(sql)
    before = _content(sql)
    assert all(before.values()), before
    assert migrate(dsn, "0002") == ("0001", "0002")
    with_knowledge = _content(sql)
    for table, had in before.items():
        assert [{**row, **old} for row, old in zip(with_knowledge[table], had, strict=True)] == with_knowledge[table], table
    (waiting,) = with_knowledge["substrate_unconsolidated"]
    assert (waiting["attempts"], waiting["not_before"], waiting["claim"]) == (0, "-infinity", None)
    assert migrate(dsn, "0001") == ("0002", "0001")
    assert _content(sql) == before


def test_knowledge_comes_while_the_queue_is_read_and_written(
    dsn: str, sql: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long reader keeps 0002 waiting, and nobody waits behind it for longer than its short patience."""
    migrate(dsn, "0001")
    monkeypatch.setattr(migrations, "LOCK_PATIENCE", "20ms")
    monkeypatch.setattr(migrations, "LOCK_ATTEMPTS", 3)
    with psycopg.connect(dsn) as reader, ThreadPoolExecutor(1) as thread:
        reader.execute("select * from thoth.substrate_unconsolidated")
        upgrade = thread.submit(migrate, dsn)
        sql.execute("set lock_timeout = '1s'")
        while not upgrade.done():
            _queue(sql)
        with pytest.raises(DatabaseUnavailable, match="could not get its locks in 3 attempts"):
            upgrade.result()
        assert state(dsn).current == "0001"
    assert migrate(dsn, "0002") == ("0001", "0002")
    _queue(sql)


def test_the_lock_on_the_queue_is_the_last_that_0002_takes(dsn: str, sql: psycopg.Connection) -> None:
    """While its tables are being made, the queue is written to."""
    migrate(dsn, "0001")
    with psycopg.connect(dsn) as namesake, ThreadPoolExecutor(1) as thread:
        namesake.execute("create table thoth.substrate_chat_models ()")  # the last that 0002 makes: it waits for us here
        upgrade = thread.submit(migrate, dsn, "0002")
        waiting = "select count(*) from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'"
        while not _one(sql, waiting):
            assert not upgrade.done()
        sql.execute("set lock_timeout = '1ms'")
        _queue(sql)
        namesake.rollback()
        assert upgrade.result() == ("0001", "0002")


def test_two_hosts_migrating_at_once_make_one_schema(empty: str) -> None:
    """faults: two hosts migrating at once."""
    assert sorted(_hosts_migrate(empty, empty, empty)) == [f"{head()} {head()}"] * 2 + [f"None {head()}"]


def test_databases_of_one_server_migrated_at_once_share_its_roles(home: Path) -> None:
    """faults: two hosts migrating at once. Roles belong to the server, and this one has none yet."""
    names = ("one", "two", "three")
    with EmbeddedServer(home) as server:
        with psycopg.connect(server.dsn, autocommit=True) as connection:
            for name in names:
                connection.execute(f"create database {name}".encode())
        assert _hosts_migrate(*(at(server.dsn, name) for name in names)) == [f"None {head()}"] * 3


def test_threads_of_one_process_may_migrate_at_once(empty: str) -> None:
    with ThreadPoolExecutor(3) as threads:
        assert {after for _, after in threads.map(migrate, [empty] * 3)} == {head()}


def test_several_revisions_behind_is_said_and_mended(dsn: str, add_revisions: Revisions) -> None:
    """faults: a database several revisions behind."""
    add_revisions("create table thoth.two ()", "create table thoth.three ()", "create table thoth.four ()")
    with pytest.raises(
        SchemaOutdated,
        match=f"at revision {OURS}, 3 revisions behind and this Thoth needs {later(3)}: run `thoth substrate migrate`",
    ):
        require_current(dsn)
    assert migrate(dsn, later(2)) == (OURS, later(2))
    assert migrate(dsn) == (later(2), later(3))
    assert migrate(dsn, later(1)) == (later(3), later(1))


def test_a_database_of_a_newer_thoth_is_left_alone(dsn: str, sql: psycopg.Connection) -> None:
    """faults: a database several revisions ahead."""
    sql.execute("update thoth.substrate_schema_version set version_num = '9999'")
    for attempt in (migrate, require_current, lambda dsn: migrate(dsn, "base")):
        with pytest.raises(SchemaOutdated, match="at revision 9999, which this Thoth does not know"):
            attempt(dsn)
    assert state(dsn).current == "9999"


def test_an_empty_database_is_not_current(empty: str) -> None:
    with pytest.raises(SchemaOutdated, match="at revision none and this Thoth needs"):
        require_current(empty)


def test_an_unknown_revision_is_bad_input(dsn: str) -> None:
    with pytest.raises(BadInput, match="There is no revision 4711"):
        migrate(dsn, "4711")


def test_a_migration_that_fails_leaves_nothing_of_itself(dsn: str, sql: psycopg.Connection, add_revisions: Revisions) -> None:
    add_revisions("create table thoth.two (); select 1/0")
    with pytest.raises(StatementRefused, match="refused the migration and nothing of it remains: division by zero"):
        migrate(dsn)
    assert (state(dsn).current, _one(sql, "select to_regclass('thoth.two')::text")) == (OURS, None)


def test_a_connection_that_dies_in_the_middle_leaves_nothing_half_done(dsn: str, add_revisions: Revisions) -> None:
    """faults: the connection dies mid-transaction."""
    add_revisions("create table thoth.two (); select pg_terminate_backend(pg_backend_pid())")
    with pytest.raises(DatabaseUnavailable, match="went away during the migration"):
        migrate(dsn)
    assert state(dsn).current == OURS


def test_a_migration_does_not_queue_before_readers_for_long(
    dsn: str, sql: psycopg.Connection, add_revisions: Revisions, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_revisions("alter table thoth.substrate_streams add column extra text")
    monkeypatch.setattr(migrations, "LOCK_PATIENCE", "20ms")
    monkeypatch.setattr(migrations, "LOCK_ATTEMPTS", 2)
    with sql.transaction():
        sql.execute("select * from thoth.substrate_streams")
        with pytest.raises(DatabaseUnavailable, match="could not get its locks in 2 attempts"):
            migrate(dsn)
    assert migrate(dsn) == (OURS, later(1))


def test_a_migrator_that_hangs_is_not_waited_for_for_ever(empty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrations, "OTHER_MIGRATOR_PATIENCE", "20ms")
    with psycopg.connect(empty) as other:
        other.execute(migrations._LOCK.text.encode())
        with pytest.raises(DatabaseUnavailable, match="Another process has been migrating this database"):
            migrate(empty)


def test_nothing_there_is_one_sentence_without_the_password() -> None:
    """faults: it is away at boot."""
    with pytest.raises(DatabaseUnavailable, match="No PostgreSQL can be used at the configured address") as caught:
        migrate("postgresql://somebody:hunter2@127.0.0.1:1/nothing")
    assert "hunter2" not in str(caught.value)
    assert caught.value.exit_code == 3


def test_a_server_that_is_in_recovery_is_said_to_be(home: Path) -> None:
    """faults: it is in recovery."""
    with EmbeddedServer(home) as server:
        migrate(server.dsn)
    server.place.write(server.place.data / "standby.signal", "")
    with EmbeddedServer(home) as replica:
        assert state(replica.dsn).up_to_date
        for attempt in (migrate, require_current):
            with pytest.raises(DatabaseUnavailable, match=r"is in recovery .* and takes no writes"):
                attempt(replica.dsn)


def test_a_database_that_takes_no_writes_is_said_to(dsn: str, sql: psycopg.Connection) -> None:
    sql.execute(f"alter database {_one(sql, 'select current_database()')} set default_transaction_read_only = on".encode())
    with pytest.raises(DatabaseUnavailable, match="default_transaction_read_only is on"):
        require_current(dsn)


@pytest.mark.parametrize(
    ("number", "version"), [(150_008, "15.8 (Debian 15.8-0+deb12u1)"), (160_004, "16.4"), (90_624, "9.6.24")]
)
def test_a_server_that_is_too_old_is_refused(number: int, version: str) -> None:
    with pytest.raises(
        DatabaseUnsuitable, match=f"^This is PostgreSQL {version.split(maxsplit=1)[0]}.* and Thoth needs 17 or 18"
    ):
        migrations.check_version(number, version)


def test_an_extension_that_is_not_there_is_named_with_its_package() -> None:
    with pytest.raises(DatabaseUnsuitable, match="no extension vector: install pgvector"):
        migrations.missing_extensions(_facts(available=["pg_trgm", "pgcrypto"]))
    assert migrations.missing_extensions(_facts(installed={"vector": "public"})) == ["pg_trgm", "pgcrypto"]


def test_an_extension_in_another_schema_is_said_how_to_move() -> None:
    with pytest.raises(DatabaseUnsuitable, match=r"in schema extensions .* ALTER EXTENSION vector SET SCHEMA public"):
        migrations.missing_extensions(_facts(installed={"vector": "extensions"}))


async def test_an_owner_who_is_no_superuser_can_do_all_that_is_needed(home: Path) -> None:
    with EmbeddedServer(home) as server:
        owner = _owned_database(server.dsn, "createrole")
        with pytest.raises(DatabaseUnsuitable, match="extension vector is missing and could not be created"):
            migrate(owner)
        _extend(server.dsn)
        assert migrate(owner) == (None, head())
        with psycopg.connect(at(server.dsn, "theirs"), autocommit=True) as connection:
            rows.fill(connection)
            connection.execute("update thoth.substrate_tokens set scopes = '{read,metrics}'")
        await _writes_and_reads_only_its_own(owner)
        assert migrate(owner, "0007") == (head(), "0007")
        with psycopg.connect(at(server.dsn, "theirs"), autocommit=True) as connection:
            assert _one(connection, "select scopes from thoth.substrate_tokens") == ["read"], "what 0007 knows of them"
        assert migrate(owner, "base") == ("0007", None)
        assert migrate(owner) == (None, head())


async def test_an_owner_without_any_right_is_told_what_to_ask_for_and_then_works(home: Path) -> None:
    with EmbeddedServer(home) as server:
        owner = _owned_database(server.dsn, "nocreaterole")
        _extend(server.dsn)
        with pytest.raises(
            DatabaseUnsuitable, match=r"lacks a right that migrating needs .*permission denied to create role"
        ) as caught:
            migrate(owner)
        asked_for = str(caught.value).split("superuser run ")[1].split("; nothing")[0].replace(" TO it ", " TO somebody ")
        with psycopg.connect(server.dsn, autocommit=True) as connection:
            connection.execute(asked_for.encode())
        assert migrate(owner) == (None, head())
        await _writes_and_reads_only_its_own(owner)


def test_a_user_who_may_not_take_the_run_time_roles_is_told_the_grant(home: Path) -> None:
    with EmbeddedServer(home) as server:
        migrate(server.dsn)
        with psycopg.connect(server.dsn, autocommit=True) as connection:
            connection.execute("create role stranger login password 'x'")
            connection.execute("grant usage on schema thoth to stranger")
            connection.execute("grant select on thoth.substrate_schema_version to stranger")
        with pytest.raises(DatabaseUnsuitable, match="GRANT thoth_app, thoth_worker TO stranger WITH INHERIT FALSE, SET TRUE"):
            require_current(_as(server.dsn, "stranger", "thoth"))


def _hosts_migrate(*dsns: str) -> list[str]:
    """What `migrate` answers in as many processes at once."""
    script = "import sys; from thoth_substrate.db.migrate import migrate; print(*migrate(sys.argv[1]))"
    hosts = [subprocess.Popen([sys.executable, "-c", script, dsn], stdout=subprocess.PIPE, text=True) for dsn in dsns]
    return [host.communicate(timeout=120)[0].strip() for host in hosts]


def _owned_database(superuser: str, right: str) -> str:
    with psycopg.connect(superuser, autocommit=True) as connection:
        connection.execute(f"create role somebody login {right} password 'x'".encode())
        connection.execute("create database theirs owner somebody")
    return _as(superuser, "somebody", "theirs")


def _extend(superuser: str) -> None:
    with psycopg.connect(at(superuser, "theirs"), autocommit=True) as connection:
        for extension in EXTENSIONS:
            connection.execute(compose.SQL("create extension if not exists {}").format(compose.Identifier(extension)))


async def _writes_and_reads_only_its_own(dsn: str) -> None:
    database = await Database.open(dsn)
    for tenant in ("a", "b"):
        async with database.tenant(tenant) as tx:
            await tx._connection.execute("insert into thoth.substrate_tenants (tenant_id) values ($1)", tenant)
            seen = await tx._connection.fetch("select tenant_id from thoth.substrate_tenants")
            assert [row["tenant_id"] for row in seen] == [tenant]
    async with database.worker() as tx:
        seen = await tx._connection.fetch("select tenant_id from thoth.substrate_tenants")
        assert {"a", "b"} <= {row["tenant_id"] for row in seen}
        assert await tx._connection.fetchval("select thoth.substrate_make_months('2031-01-01', 1)") == 6
    await database.close()


def _as(dsn: str, user: str, database: str) -> str:
    port = psycopg.conninfo.conninfo_to_dict(dsn)["port"]
    return f"postgresql://{user}:x@127.0.0.1:{port}/{database}?sslmode=disable"


def _facts(**given: object) -> ServerFacts:
    plain = {"username": "u", "database": "d", "in_recovery": False, "read_only": False, "migrated": False, "installed": {},
             "available": list(EXTENSIONS), "may_become": []}  # fmt: skip
    return ServerFacts(**(plain | given))  # type: ignore[arg-type]


def _content(connection: psycopg.Connection) -> dict[str, list[dict[str, object]]]:
    """Every row of every table, as JSON."""
    return {
        table: [row for (row,) in connection.execute(f"select to_jsonb(t) from thoth.{table} t order by 1".encode())]
        for table in rows.tables(connection)
    }


def _queue(connection: psycopg.Connection) -> None:
    """Read and write the queue of what waits for consolidation."""
    connection.execute("insert into thoth.substrate_unconsolidated (tenant_id, slice_id) values ('t', gen_random_uuid())")
    connection.execute("delete from thoth.substrate_unconsolidated where tenant_id = 't'")


def _one(connection: psycopg.Connection, statement: str) -> object:
    row = connection.execute(statement.encode()).fetchone()
    assert row is not None
    return row[0]
