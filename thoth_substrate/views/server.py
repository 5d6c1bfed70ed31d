"""What doctor asks of a PostgreSQL: settings, extensions, roles, row-level security, partitions. Read-only, as the owner."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from thoth_substrate.db.inspect import MissingIndex, missing_indexes
from thoth_substrate.db.months import DefaultPartition, default_partitions
from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query


@dataclass(frozen=True, slots=True)
class ServerRow:
    """The server and this connection. Sizes in bytes; `backend_pid` is the server process's own."""

    version: str
    version_num: int
    database: str
    user: str
    is_superuser: bool
    encoding: str
    in_recovery: bool
    read_only: bool
    fsync: bool
    full_page_writes: bool
    max_connections: int
    connections: int
    database_bytes: int
    backend_pid: int


@dataclass(frozen=True, slots=True)
class ExtensionRow:
    """An extension that Thoth needs: the version installed in this database and the one this server could install."""

    extension: str
    installed: str | None
    available: str | None


@dataclass(frozen=True, slots=True)
class RoleRow:
    """A run-time role: whether it is there, whether this user may take it, and whether it could see past policies."""

    role: str
    exists: bool
    may_take: bool
    bypasses: bool


@dataclass(frozen=True, slots=True)
class UnguardedRow:
    """A table that holds tenants' rows and whose row-level security is not as it should be."""

    table: str
    enabled: bool
    forced: bool
    policies: int


@dataclass(frozen=True, slots=True)
class InvalidIndexRow:
    """An index that PostgreSQL does not use: a build that was interrupted."""

    table: str
    index: str


@dataclass(frozen=True, slots=True)
class ServerClock:
    """The server's clock."""

    at: datetime


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """What the catalogue says. The clocks are the host's just before and after the server was asked for its own.

    `client_pid` is the server process as this side of the connection knows it: another one than the server's own word
    (`backend_pid`) means that a pooler stands between.
    """

    server: ServerRow
    extensions: list[ExtensionRow]
    roles: list[RoleRow]
    unguarded: list[UnguardedRow]
    defaults: list[DefaultPartition]
    invalid_indexes: list[InvalidIndexRow]
    missing_indexes: list[MissingIndex]
    asked_at: datetime
    server_at: datetime
    answered_at: datetime
    client_pid: int


_SERVER = query(__package__, "server", ServerRow)
_EXTENSIONS = query(__package__, "extensions", ExtensionRow)
_ROLES = query(__package__, "roles", RoleRow)
_UNGUARDED = query(__package__, "unguarded_tables", UnguardedRow)
_INVALID = query(__package__, "invalid_indexes", InvalidIndexRow)
_CLOCK = query(__package__, "server_clock", ServerClock)


async def examine(db: Database) -> ServerFacts:
    """Ask the catalogue of a migrated database. Raises DatabaseUnavailable when it does not answer."""
    async with db.owner() as tx:
        server, known_as = await tx.fetch_one(_SERVER), tx.server_pid
        asked = db.clock.now()
        clock = await tx.fetch_one(_CLOCK)
        answered = db.clock.now()
        assert server is not None
        assert clock is not None
        extensions, roles = await tx.fetch(_EXTENSIONS), await tx.fetch(_ROLES)
        unguarded, invalid = await tx.fetch(_UNGUARDED), await tx.fetch(_INVALID)
    return ServerFacts(
        server=server,
        extensions=extensions,
        roles=roles,
        unguarded=unguarded,
        defaults=await default_partitions(db),
        invalid_indexes=invalid,
        missing_indexes=await missing_indexes(db),
        asked_at=asked,
        server_at=clock.at,
        answered_at=answered,
        client_pid=known_as,
    )
