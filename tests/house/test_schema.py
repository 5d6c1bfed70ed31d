"""`migrations/schema.sql` is what the migrations make, and makes what they make."""

from __future__ import annotations

import psycopg

from tests import servers
from tests.house import write_schema
from thoth_substrate.db.migrate import EXTENSIONS


def test_the_schema_file_is_what_the_migrations_leave(dsn: str) -> None:
    assert write_schema.written(dsn) == write_schema.schema_file().read_text(encoding="utf-8"), "run `make schema`"


def test_the_schema_file_makes_what_the_migrations_make(server_dsn: str, template: str) -> None:
    assert template, "it made the roles"
    statements = write_schema.schema_file().read_text(encoding="utf-8")
    with servers.empty_database(server_dsn) as dsn:
        with psycopg.connect(dsn) as connection:
            for extension in EXTENSIONS:
                connection.execute(f"create extension {extension}".encode())
            connection.execute(statements.encode())
        assert write_schema.written(dsn) == statements
