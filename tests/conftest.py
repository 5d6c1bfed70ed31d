"""What every test may ask for: a server, a database of its own, a pinned clock.

The server is `THOTH_TEST_DSN`, else Docker through testcontainers if a daemon answers, else the embedded one.
Databases are copies of one migrated template, made in a few milliseconds each.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from tests import servers
from tests.servers import at
from thoth_substrate.db.embedded import EmbeddedServer
from thoth_substrate.db.migrate import migrate
from thoth_substrate.db.pool import Database, PoolOptions
from thoth_substrate.model.clock import PinnedClock

TENANT = "default"
_numbers = itertools.count()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def server_dsn() -> Iterator[str]:
    """A DSN of a running server whose user may create databases."""
    with servers.any_server() as dsn:
        yield dsn


@pytest.fixture(scope="session")
def made_server() -> Iterator[Path]:
    """The folder of an embedded server that was made and stopped: what `home` is copied from."""
    with servers.temporary_home() as first:
        with EmbeddedServer(first) as server:
            folder = server.place.root
        yield folder


@pytest.fixture
def home(made_server: Path) -> Iterator[Path]:
    """A THOTH_HOME of the test's own, in which an embedded server starts quickly."""
    with servers.temporary_home(made_server) as folder:
        yield folder


@pytest.fixture(scope="session")
def template(server_dsn: str) -> Iterator[str]:
    """The name of a migrated database that nobody writes to."""
    name = f"thoth_template_{os.getpid()}"
    _command(server_dsn, f'drop database if exists "{name}" with (force)', f'create database "{name}"')
    migrate(at(server_dsn, name))
    yield name
    _command(server_dsn, f'drop database if exists "{name}" with (force)')


@pytest.fixture
def dsn(server_dsn: str, template: str) -> Iterator[str]:
    """A database of the test's own, migrated and empty."""
    name = f"thoth_test_{os.getpid()}_{next(_numbers)}"
    _command(server_dsn, f'create database "{name}" template "{template}" strategy file_copy')
    yield at(server_dsn, name)
    _command(server_dsn, f'drop database if exists "{name}" with (force)')


@pytest.fixture
def clock() -> PinnedClock:
    """A clock that stands at noon on 15 May 2026 until it is moved."""
    return PinnedClock(datetime(2026, 5, 15, 12, tzinfo=UTC))


@pytest.fixture
async def db(dsn: str, clock: PinnedClock) -> AsyncIterator[Database]:
    """A pool on the test's own database, pinned to `clock`."""
    database = await Database.open(dsn, PoolOptions(size=4), clock)
    yield database
    await database.close()


@pytest.fixture
def sql(dsn: str) -> Iterator[psycopg.Connection]:
    """A superuser's connection, to look behind the scenes."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


def _command(dsn: str, *statements: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())
