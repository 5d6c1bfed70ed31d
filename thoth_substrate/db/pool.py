"""Connections, transactions, and the roles that bind them. One `Database` belongs to one event loop.

Every statement runs inside a transaction that has taken a run-time role and, for content, a tenant: row-level security
then holds even for an owner or a superuser. Settings are local to the transaction, so a transaction pooler is harmless.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, LiteralString, TypeVar
from urllib.parse import quote, urlencode

import asyncpg
import orjson
import psycopg
from pgvector.asyncpg import register_vector
from psycopg.conninfo import conninfo_to_dict

from thoth_substrate.db.connecting import Connecting
from thoth_substrate.db.queries import Query
from thoth_substrate.errors import DatabaseUnavailable, DatabaseUnsuitable, SchemaOutdated, StatementRefused
from thoth_substrate.model.clock import Clock, SystemClock

T = TypeVar("T")

APP_ROLE = "thoth_app"
WORKER_ROLE = "thoth_worker"
_ENTER: LiteralString = (
    "select set_config('role', $1, true), set_config('thoth.tenant', $2, true), set_config('thoth.now', $3, true),"
    " set_config('statement_timeout', $4, true), set_config('search_path', 'thoth, public', true)"
)
# What the driver understands of a DSN. libpq knows more, and the driver would send the rest to the server as settings.
_UNDERSTOOD = ("host", "port", "user", "password", "passfile", "sslmode", "sslcert", "sslkey", "sslrootcert", "sslcrl",
               "target_session_attrs", "options")  # fmt: skip
_GONE = (OSError, TimeoutError, asyncpg.InterfaceError, asyncpg.PostgresConnectionError, asyncpg.CannotConnectNowError,
         asyncpg.AdminShutdownError, asyncpg.CrashShutdownError, asyncpg.InvalidAuthorizationSpecificationError,
         asyncpg.InvalidCatalogNameError, asyncpg.TooManyConnectionsError, asyncpg.ReadOnlySQLTransactionError)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PoolOptions:
    """How a pool is made. `statement_timeout_ms` 0 means none; `statement_cache` 0 suits an old transaction pooler."""

    size: int = 4
    statement_cache: int = 200
    connect_timeout_s: float = 5.0
    statement_timeout_ms: int = 0
    application: str = "thoth"


class Tx:
    """A transaction under one role. Queries come from `.sql` files; their rows are the queries' dataclasses."""

    def __init__(self, connection: asyncpg.pool.PoolConnectionProxy[asyncpg.Record]) -> None:
        self._connection = connection

    async def fetch(self, query: Query[T], *arguments: Any) -> list[T]:
        """All rows. Raises StatementRefused or DatabaseUnavailable; the transaction is then lost."""
        assert query.row is not None, f"{query.name} returns nothing: use execute"
        with door():
            records = await self._connection.fetch(query.text, *arguments)
        return [query.row(*record) for record in records]

    async def fetch_one(self, query: Query[T], *arguments: Any) -> T | None:
        """The first row, or None."""
        rows = await self.fetch(query, *arguments)
        return rows[0] if rows else None

    async def execute(self, query: Query[Any], *arguments: Any) -> int:
        """Run a statement; answers how many rows it touched (0 where PostgreSQL does not say)."""
        with door():
            status = await self._connection.execute(query.text, *arguments)
        last = status.rsplit(" ", 1)[-1]
        return int(last) if last.isdigit() else 0

    @property
    def server_pid(self) -> int:
        """The server's process as it was named when the connection was made; a pooler names another than the server itself."""
        pid: int = self._connection.get_server_pid()
        return pid

    def kill(self) -> None:
        """Cut the connection at once, without waiting for a server that may be frozen. The pool replaces it."""
        with contextlib.suppress(asyncpg.InterfaceError):  # given back to the pool in this very moment: nothing to cut
            if not self._connection.is_closed():
                self._connection.terminate()


class Database:
    """A pool of connections on the running event loop. Connects when first used; never raises at creation."""

    def __init__(self, pool: asyncpg.Pool, connecting: Connecting, options: PoolOptions, clock: Clock) -> None:
        self._pool, self._connecting, self._options, self._clock = pool, connecting, options, clock

    @classmethod
    async def open(cls, dsn: str, options: PoolOptions | None = None, clock: Clock | None = None) -> Database:
        """A pool for `dsn`. No connection is made yet, so that a database that is away stops nobody."""
        chosen, connecting = options or PoolOptions(), Connecting(_prepare_connection)
        with door():
            pool = await asyncpg.create_pool(
                for_driver(dsn), min_size=0, max_size=chosen.size, timeout=chosen.connect_timeout_s,
                statement_cache_size=chosen.statement_cache, connect=connecting, reset=_as_it_is,
                server_settings={"application_name": chosen.application},
            )  # fmt: skip
        return cls(pool, connecting, chosen, clock or SystemClock())

    @property
    def clock(self) -> Clock:
        return self._clock

    @contextlib.asynccontextmanager
    async def tenant(self, tenant_id: str, opened: Callable[[Tx], None] | None = None) -> AsyncIterator[Tx]:
        """A transaction that sees this tenant's rows only. Commits at the end, rolls back on any error.

        `opened` is told of it as soon as it has a connection, before anything is asked of the server: who holds a
        deadline can then cut it even where the server never answers.
        """
        async with self._transaction(APP_ROLE, tenant_id, opened) as tx:
            yield tx

    @contextlib.asynccontextmanager
    async def worker(self) -> AsyncIterator[Tx]:
        """A transaction that sees queues, states, salience and months of every tenant, and no content."""
        async with self._transaction(WORKER_ROLE, "") as tx:
            yield tx

    @contextlib.asynccontextmanager
    async def owner(self) -> AsyncIterator[Tx]:
        """A transaction as the connecting user, for catalogues and maintenance. Content is still behind policies."""
        async with self._transaction("none", "") as tx:
            yield tx

    async def top_level(self, statement: str, lock_timeout: timedelta) -> None:
        """Run one statement outside any transaction. Only `db/months.py`, which composes DETACH, may call this.

        Raises StatementRefused (sqlstate 55P03) when it waits for a lock longer than `lock_timeout`.
        """
        with door():
            async with self._pool.acquire() as connection:
                milliseconds = str(lock_timeout // timedelta(milliseconds=1))
                # For the session, since there is no transaction to set it in.
                await connection.execute("select set_config('lock_timeout', $1, false)", milliseconds)
                try:
                    await connection.execute(statement)
                finally:
                    await connection.reset()

    async def close(self, patience_s: float = 2.0) -> None:
        """Close politely for `patience_s`, then cut what is left."""
        left = asyncio.create_task(self._connecting.close(patience_s))
        try:
            await asyncio.wait_for(self._pool.close(), patience_s)
        except TimeoutError:
            self._pool.terminate()
        await left

    @contextlib.asynccontextmanager
    async def _transaction(
        self, role: str, tenant_id: str, opened: Callable[[Tx], None] | None = None
    ) -> AsyncIterator[Tx]:  # fmt: skip
        pinned = self._clock.pinned_at
        with door():
            async with self._pool.acquire() as connection:
                tx = Tx(connection)
                if opened is not None:
                    opened(tx)
                async with connection.transaction():
                    await connection.execute(
                        _ENTER, role, tenant_id, pinned.isoformat() if pinned else "", str(self._options.statement_timeout_ms)
                    )
                    yield tx


def for_driver(dsn: str) -> str:
    """A DSN of any form that libpq takes, as the URL that the pool's driver takes. Raises DatabaseUnavailable."""
    try:
        known = conninfo_to_dict(dsn)
    except psycopg.ProgrammingError as error:
        raise DatabaseUnavailable(f"DATABASE_URL cannot be read ({' '.join(str(error).split())}): correct it.") from error
    path = quote(str(known.get("dbname") or ""), safe="")
    return f"postgresql:///{path}?" + urlencode({key: known[key] for key in _UNDERSTOOD if known.get(key) is not None})


@contextlib.contextmanager
def door() -> Iterator[None]:
    """Turn what the driver raises into the errors that the rest of Thoth knows. Once, here."""
    try:
        yield
    except _GONE as error:
        raise DatabaseUnavailable(
            f"PostgreSQL does not answer ({type(error).__name__}: {error}); what is perceived waits in the journal"
            " until it does. `thoth substrate doctor` says what to look at."
        ) from error
    except (asyncpg.InvalidSQLStatementNameError, asyncpg.DuplicatePreparedStatementError) as error:
        raise DatabaseUnsuitable(
            "A pooler in transaction mode stands before this PostgreSQL and does not keep prepared statements: set"
            " THOTH_PG_STATEMENT_CACHE=0, or max_prepared_statements in a pgbouncer of 1.21 or newer."
        ) from error
    except asyncpg.PostgresError as error:
        raise StatementRefused(f"PostgreSQL refused a statement: {error}", error.sqlstate) from error


async def _as_it_is(connection: object) -> None:
    """Return a connection to the pool without asking the server to reset it: every setting was its transaction's own."""


async def _prepare_connection(connection: asyncpg.Connection) -> None:
    await connection.set_type_codec("jsonb", encoder=str, decoder=orjson.loads, schema="pg_catalog")
    try:
        await register_vector(connection)
    except ValueError as error:
        raise SchemaOutdated(
            "There is no extension vector in schema public of this database, so nothing of Thoth is in it yet: run"
            " `thoth substrate migrate`."
        ) from error


def as_rows(columns: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Rows turned into the arrays that `unnest` takes: one list a column."""
    return [list(column) for column in zip(*columns, strict=True)]
