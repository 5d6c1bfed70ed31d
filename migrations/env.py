"""Alembic's entry: the connection that `db/migrate.py` passes in, one transaction for each migration."""

from __future__ import annotations

from alembic import context
from sqlalchemy import text


def run() -> None:
    """Run what `db/migrate.py` asked for. It holds the lock that keeps other migrators out."""
    connection = context.config.attributes["connection"]
    if not connection.execute(text("select to_regnamespace('thoth') is not null")).scalar_one():
        connection.execute(text("create schema thoth"))  # the version table lives there
    connection.commit()
    context.configure(
        connection=connection,
        transaction_per_migration=True,
        version_table="substrate_schema_version",
        version_table_schema="thoth",
    )
    with context.begin_transaction():
        context.run_migrations()


run()
