"""Bring a database to the schema of this version, or say how far it is from it.

Alembic runs over a direct connection (psycopg); a second one holds the lock that lets one migrator in at a time. Each
migration is one transaction. It waits shortly for its locks and is tried again, so that it never queues in front of the
readers of a busy database.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psycopg
import sqlalchemy
import tenacity
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from psycopg import sql

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.errors import BadInput, DatabaseUnavailable, DatabaseUnsuitable, SchemaOutdated, StatementRefused

OLDEST_SERVER = 17
EXTENSIONS = {"vector": "pgvector", "pg_trgm": "postgresql-contrib", "pgcrypto": "postgresql-contrib"}
ROLES = ("thoth_app", "thoth_worker")
CONNECT_PATIENCE_S = 5
OTHER_MIGRATOR_PATIENCE = "10min"
LOCK_PATIENCE = "3s"
LOCK_ATTEMPTS = 10


@dataclass(frozen=True, slots=True)
class SchemaState:
    """Where a database stands: its revision (None when empty), the one this version needs, and the server's version."""

    current: str | None
    needed: str
    server_version: str

    @property
    def up_to_date(self) -> bool:
        return self.current == self.needed


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """What is asked of a server before it is used. `installed` names each extension's schema."""

    username: str
    database: str
    in_recovery: bool
    read_only: bool
    migrated: bool
    installed: Mapping[str, str]
    available: Sequence[str]
    may_become: Sequence[str]


@dataclass(frozen=True, slots=True)
class Revision:
    """The revision that a database is at."""

    revision: str


_FACTS = query(__package__, "server_facts", ServerFacts)
_REVISION = query(__package__, "schema_revision", Revision)
_one_thread = threading.Lock()
_LOCK: Query[None] = query(__package__, "migration_lock")


def migrations_folder() -> Path:
    """`migrations/` of the checkout, or of the installed wheel."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "migrations"
    return installed if installed.is_dir() else package.parent / "migrations"


def revisions() -> list[str]:
    """Every revision, oldest first."""
    return [script.revision for script in reversed(list(ScriptDirectory(str(migrations_folder())).walk_revisions()))]


def head() -> str:
    """The revision that this version of Thoth works with."""
    return revisions()[-1]


def state(dsn: str) -> SchemaState:
    """Ask a database for its revision. Raises DatabaseUnavailable, or DatabaseUnsuitable for a server that is too old."""
    with _connected(dsn) as connection:
        version = _checked_version(connection)
        return SchemaState(_current(connection), head(), version)


def server_version(dsn: str) -> str:
    """The version of the server that answers there. Raises DatabaseUnavailable, or DatabaseUnsuitable when it is too old."""
    with _connected(dsn) as connection:
        return _checked_version(connection)


def require_current(dsn: str) -> None:
    """Raise SchemaOutdated unless the database is exactly at this version's revision, and usable by this user."""
    with _connected(dsn) as connection:
        _checked_version(connection)
        _refuse_unwritable(_facts(connection))
        current = _current(connection)
        _refuse_newer(current)
        if current != head():
            raise SchemaOutdated(
                f"The schema is at revision {current or 'none'}{_behind(current)} and this Thoth needs {head()}:"
                " run `thoth substrate migrate`."
            )
        _refuse_powerless(_facts(connection))


async def revision(db: Database) -> str | None:
    """The revision that a database is at, by its pool; None when everything was taken back. Raises DatabaseError."""
    async with db.owner() as tx:
        found = await tx.fetch_one(_REVISION)
    return found.revision if found else None


def migrate(dsn: str, to: str = "head") -> tuple[str | None, str | None]:
    """Upgrade or downgrade to revision `to` (`base` empties); answers the revisions before and after.

    Creates the extensions when it may. A second migrator waits for the first and then finds the work done. Raises
    BadInput for an unknown revision, DatabaseUnsuitable when the server or this user cannot carry Thoth, SchemaOutdated
    when the database is of a newer Thoth, DatabaseUnavailable when nothing answers, nothing may be written there now, or
    somebody else's locks did not go away.
    """
    with _connected(dsn) as connection:
        _checked_version(connection)
        _refuse_unwritable(_facts(connection))
        if to == "head" and (current := _current(connection)) == head():
            _refuse_powerless(_facts(connection))
            return current, current
        with _alone(dsn):
            before = _current(connection)
            _refuse_newer(before)
            _create_extensions(connection)
            _run(connection, to, before)
            _refuse_powerless(_facts(connection))
            return before, _current(connection)


def check_version(number: int, version: str) -> None:
    """Raise DatabaseUnsuitable for a server older than OLDEST_SERVER. `number` is `server_version_num`."""
    if number // 10_000 < OLDEST_SERVER:
        raise DatabaseUnsuitable(
            f"This is PostgreSQL {version}, and Thoth needs {OLDEST_SERVER} or 18: upgrade the server, or unset"
            " DATABASE_URL to use the embedded one; nothing was changed."
        )


def missing_extensions(facts: ServerFacts) -> list[str]:
    """The extensions still to be created. Raises DatabaseUnsuitable when one is not there for the taking."""
    for extension, package in EXTENSIONS.items():
        if extension not in facts.installed and extension not in facts.available:
            raise DatabaseUnsuitable(
                f"This server has no extension {extension}: install {package} for it, or use a server that has it (the image"
                " pgvector/pgvector:pg17, or the embedded one by unsetting DATABASE_URL); nothing was changed."
            )
        if facts.installed.get(extension, "public") != "public":
            raise DatabaseUnsuitable(
                f"The extension {extension} is in schema {facts.installed[extension]} and Thoth looks for it in public: have its"
                f" owner run ALTER EXTENSION {extension} SET SCHEMA public; nothing was changed."
            )
    return [extension for extension in EXTENSIONS if extension not in facts.installed]


def _run(connection: sqlalchemy.Connection, to: str, before: str | None) -> None:
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
    go = command.downgrade if _is_older(to, before) else command.upgrade
    attempts = tenacity.Retrying(
        retry=tenacity.retry_if_exception(_was_kept_waiting),
        wait=tenacity.wait_random_exponential(multiplier=0.2, max=5),
        stop=tenacity.stop_after_attempt(LOCK_ATTEMPTS),
        after=lambda _: connection.rollback(),
        reraise=True,
    )
    try:
        attempts(go, config, to)
    except CommandError as error:
        raise BadInput(f"There is no revision {to}; `thoth substrate migrate --check` prints those there are.") from error
    except sqlalchemy.exc.DBAPIError as error:
        raise _explained(error, connection) from error
    except psycopg.Error as error:
        raise _explained(error, connection) from error


def _explained(error: Exception, connection: sqlalchemy.Connection) -> Exception:
    """The sentence for a migration that failed. Every migration is one transaction: the schema is as it was before it."""
    cause = error.orig if isinstance(error, sqlalchemy.exc.DBAPIError) else error
    reason = str(cause).split("\n", 1)[0]
    if isinstance(cause, psycopg.errors.InsufficientPrivilege):
        return DatabaseUnsuitable(
            f"This user lacks a right that migrating needs ({reason}): let it own the database and have CREATEROLE, or have a"
            f" superuser run CREATE ROLE {ROLES[0]} NOLOGIN NOINHERIT; CREATE ROLE {ROLES[1]} NOLOGIN NOINHERIT;"
            f" GRANT {', '.join(ROLES)} TO it WITH INHERIT FALSE, SET TRUE; nothing was changed."
        )
    if _was_kept_waiting(error):
        return DatabaseUnavailable(
            f"The migration could not get its locks in {LOCK_ATTEMPTS} attempts, as other sessions hold them; nothing was"
            " changed. End long transactions (pg_stat_activity shows them) and run it again."
        )
    if isinstance(cause, psycopg.OperationalError) and connection.invalidated:
        return DatabaseUnavailable(f"PostgreSQL went away during the migration ({reason}); nothing of it remains: run it again.")
    state = getattr(cause, "sqlstate", None)
    return StatementRefused(f"PostgreSQL refused the migration and nothing of it remains: {reason}", state)


def _was_kept_waiting(error: BaseException) -> bool:
    cause = error.orig if isinstance(error, sqlalchemy.exc.DBAPIError) else error
    return isinstance(cause, psycopg.errors.LockNotAvailable)


def _is_older(to: str, before: str | None) -> bool:
    order = revisions()
    return to == "base" or (to in order and before in order and order.index(to) < order.index(before))


def _behind(revision: str | None) -> str:
    order = revisions()
    missing = len(order) - 1 - order.index(revision) if revision in order else 0
    return f", {missing} revisions behind" if missing > 1 else ""


def _refuse_newer(revision: str | None) -> None:
    if revision is not None and revision not in revisions():
        raise SchemaOutdated(
            f"The database is at revision {revision}, which this Thoth does not know: it was migrated by a newer"
            " version, so install that version here; nothing was changed."
        )


def _refuse_unwritable(facts: ServerFacts) -> None:
    if facts.in_recovery:
        raise DatabaseUnavailable(
            "This PostgreSQL is in recovery (a replica, or a primary that is not ready yet) and takes no writes: point"
            " DATABASE_URL at the primary, or wait until it is promoted; nothing was changed."
        )
    if facts.read_only:
        raise DatabaseUnavailable(
            "This PostgreSQL takes no writes now (default_transaction_read_only is on): turn it off, or point DATABASE_URL at a"
            " server that may be written to; nothing was changed."
        )


def _refuse_powerless(facts: ServerFacts) -> None:
    missing = [role for role in ROLES if role not in facts.may_become]
    if facts.migrated and missing:
        raise DatabaseUnsuitable(
            f"User {facts.username} may not act as {' and '.join(missing)}, under which row-level security binds Thoth: have a"
            f" superuser run GRANT {', '.join(missing)} TO {facts.username} WITH INHERIT FALSE, SET TRUE."
        )


@contextmanager
def _connected(dsn: str) -> Iterator[sqlalchemy.Connection]:
    # The driver reads the DSN, so that every form of it works that works elsewhere; SQLAlchemy never sees it.
    engine = sqlalchemy.create_engine("postgresql+psycopg://", poolclass=sqlalchemy.NullPool, creator=lambda: _connect(dsn))
    sqlalchemy.event.listen(engine, "begin", _begin)
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def _connect(dsn: str) -> psycopg.Connection:
    try:
        return psycopg.connect(dsn, connect_timeout=CONNECT_PATIENCE_S, prepare_threshold=None, application_name="thoth migrate")
    except psycopg.Error as error:
        reason = " ".join(str(error).split())
        raise DatabaseUnavailable(
            f"No PostgreSQL can be used at the configured address ({reason}); nothing was changed. Start it, or correct"
            " DATABASE_URL."
        ) from error


def _begin(connection: sqlalchemy.Connection) -> None:
    connection.exec_driver_sql("select set_config('lock_timeout', %s, true)", (LOCK_PATIENCE,))


@contextmanager
def _alone(dsn: str) -> Iterator[None]:
    """Keep other migrators of this database waiting until we are done, and other threads, as Alembic has globals."""
    with _one_thread, _connect(dsn) as connection:
        connection.execute("select set_config('lock_timeout', %s, true)", (OTHER_MIGRATOR_PATIENCE,))
        try:
            connection.execute(_LOCK.text.encode())
        except psycopg.errors.LockNotAvailable as error:
            raise DatabaseUnavailable(
                f"Another process has been migrating this database for {OTHER_MIGRATOR_PATIENCE}: wait for it, or end it; nothing"
                " was changed."
            ) from error
        yield


def _checked_version(connection: sqlalchemy.Connection) -> str:
    """The server's version, as it says when one connects: an old server does not understand what is asked next."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    version = driver.info.parameter_status("server_version") or str(driver.info.server_version)
    check_version(driver.info.server_version, version)
    return version


def _facts(connection: sqlalchemy.Connection) -> ServerFacts:
    found = connection.exec_driver_sql(_FACTS.text).one()
    connection.rollback()
    return ServerFacts(*found)


def _current(connection: sqlalchemy.Connection) -> str | None:
    found = connection.exec_driver_sql(_REVISION.text).first() if _facts(connection).migrated else None
    connection.rollback()
    return Revision(*found).revision if found else None


def _create_extensions(connection: sqlalchemy.Connection) -> None:
    for extension in missing_extensions(_facts(connection)):
        statement = sql.SQL("create extension if not exists {} schema public").format(sql.Identifier(extension))
        try:
            connection.exec_driver_sql(statement.as_string())
            connection.commit()
        except sqlalchemy.exc.DBAPIError as error:
            connection.rollback()
            reason = str(error.orig).split("\n", 1)[0]
            raise DatabaseUnsuitable(
                f"The extension {extension} is missing and could not be created ({reason}): have a superuser run CREATE EXTENSION"
                f" {extension} in database {_facts(connection).database}; nothing was changed."
            ) from error


def run_statements(bind: sqlalchemy.Connection, revision_file: str, direction: Literal["up", "down"]) -> None:
    """Run the `.up.sql` or `.down.sql` beside a revision's file, within its migration's transaction."""
    statements = Path(revision_file).with_suffix(f".{direction}.sql").read_text(encoding="utf-8")
    # The driver's own connection: SQLAlchemy would read the percent signs of format() as placeholders.
    driver = bind.connection.driver_connection
    assert driver is not None
    driver.execute(statements)
