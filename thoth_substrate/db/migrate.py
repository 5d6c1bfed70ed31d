"""Bring a database to the schema of this version, or say how far it is from it.

Alembic runs over a direct connection of its own (psycopg), one migrator at a time by advisory lock.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError

from thoth_substrate.errors import BadInput, DatabaseUnavailable, DatabaseUnsuitable, SchemaOutdated

OLDEST_SERVER = 17
EXTENSIONS = {"vector": "pgvector", "pg_trgm": "postgresql-contrib", "pgcrypto": "postgresql-contrib"}


@dataclass(frozen=True, slots=True)
class SchemaState:
    """Where a database stands: its revision (None when empty), the one this version needs, and the server's version."""

    current: str | None
    needed: str
    server_version: str

    @property
    def up_to_date(self) -> bool:
        return self.current == self.needed


def migrations_folder() -> Path:
    """`migrations/` of the checkout, or of the installed wheel."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "migrations"
    return installed if installed.is_dir() else package.parent / "migrations"


def state(dsn: str) -> SchemaState:
    """Ask a database for its revision. Raises DatabaseUnavailable or DatabaseUnsuitable."""
    with _connected(dsn) as connection:
        version = _checked_version(connection)
        return SchemaState(_current(connection), head(), version)


def head() -> str:
    """The revision that this version of Thoth works with."""
    found = ScriptDirectory(str(migrations_folder())).get_current_head()
    assert found is not None
    return found


def migrate(dsn: str, to: str = "head") -> tuple[str | None, str | None]:
    """Upgrade or downgrade to revision `to` (`base` empties); answers the revisions before and after.

    Creates the extensions when it may. Raises BadInput for an unknown revision, DatabaseUnsuitable when the server
    cannot carry Thoth, SchemaOutdated when the database is of a newer Thoth than this one.
    """
    with _connected(dsn) as connection:
        _checked_version(connection)
        _create_extensions(connection)
        before = _current(connection)
        _refuse_newer(before)
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", str(migrations_folder()))
        try:
            go = command.downgrade if _is_older(to, before) else command.upgrade
            go(config, to)
        except CommandError as error:
            raise BadInput(f"There is no revision {to}; `thoth substrate migrate --check` prints those there are.") from error
        return before, _current(connection)


def require_current(dsn: str) -> None:
    """Raise SchemaOutdated unless the database is exactly at this version's revision."""
    found = state(dsn)
    _refuse_newer(found.current)
    if not found.up_to_date:
        raise SchemaOutdated(
            f"The schema is at revision {found.current or 'none'} and this Thoth needs {found.needed}:"
            " run `thoth substrate migrate`."
        )


def revisions() -> list[str]:
    """Every revision, oldest first."""
    return [script.revision for script in reversed(list(ScriptDirectory(str(migrations_folder())).walk_revisions()))]


def _is_older(to: str, before: str | None) -> bool:
    order = revisions()
    return to == "base" or (to in order and before in order and order.index(to) < order.index(before))


def _refuse_newer(revision: str | None) -> None:
    if revision is not None and revision not in revisions():
        raise SchemaOutdated(
            f"The database is at revision {revision}, which this Thoth does not know: it was migrated by a newer"
            " version, so install that version here; nothing was changed."
        )


@contextmanager
def _connected(dsn: str) -> Iterator[sqlalchemy.Connection]:
    url = dsn if "://" in dsn else "postgresql://"
    engine = sqlalchemy.create_engine(
        url.replace("postgresql://", "postgresql+psycopg://", 1),
        poolclass=sqlalchemy.NullPool,
        connect_args={"connect_timeout": 5, "prepare_threshold": None} | ({} if "://" in dsn else _keywords(dsn)),
    )
    try:
        with engine.connect() as connection:
            yield connection
    except sqlalchemy.exc.OperationalError as error:
        reason = " ".join(str(error.orig).split())
        raise DatabaseUnavailable(
            f"No PostgreSQL answers at the configured address ({reason}); nothing was changed. Start it, or correct DATABASE_URL."
        ) from error
    finally:
        engine.dispose()


def _keywords(dsn: str) -> dict[str, str]:
    from psycopg.conninfo import conninfo_to_dict

    return {key: str(value) for key, value in conninfo_to_dict(dsn).items() if value is not None}


def _checked_version(connection: sqlalchemy.Connection) -> str:
    number, version = connection.exec_driver_sql(
        "select current_setting('server_version_num')::int, current_setting('server_version')"
    ).one()
    connection.rollback()
    if number // 10_000 < OLDEST_SERVER:
        raise DatabaseUnsuitable(
            f"This is PostgreSQL {version}, and Thoth needs {OLDEST_SERVER} or 18: upgrade the server, or unset"
            " DATABASE_URL to use the embedded one; nothing was changed."
        )
    return str(version)


def _current(connection: sqlalchemy.Connection) -> str | None:
    there = connection.exec_driver_sql("select to_regclass('thoth.substrate_schema_version')").scalar_one()
    row = connection.exec_driver_sql("select version_num from thoth.substrate_schema_version").first() if there else None
    connection.rollback()
    return row[0] if row else None


def _create_extensions(connection: sqlalchemy.Connection) -> None:
    for extension, package in EXTENSIONS.items():
        try:
            connection.exec_driver_sql(f"create extension if not exists {extension}")
            connection.commit()
        except sqlalchemy.exc.DBAPIError as error:
            connection.rollback()
            reason = str(error.orig).split("\n", 1)[0]
            raise DatabaseUnsuitable(
                f"The extension {extension} is missing and could not be created ({reason}): install {package} for this"
                f" server, or have a superuser run CREATE EXTENSION {extension}; nothing was changed."
            ) from error
