"""Alembic's entry: one connection, one transaction for each migration, one migrator at a time."""

from __future__ import annotations

from alembic import context
from sqlalchemy import text

MIGRATION_LOCK = 0x7407A


def run() -> None:
    """Run what `db/migrate.py` asked for on the connection that it passes in."""
    connection = context.config.attributes["connection"]
    # The lock belongs to the session, not the transaction: each migration commits by itself.
    connection.execute(text("select pg_advisory_lock(:key)"), {"key": MIGRATION_LOCK})
    connection.execute(text("create schema if not exists thoth"))
    connection.commit()
    try:
        context.configure(
            connection=connection,
            transaction_per_migration=True,
            version_table="substrate_schema_version",
            version_table_schema="thoth",
        )
        with context.begin_transaction():
            context.run_migrations()
    finally:
        connection.rollback()
        connection.execute(text("select pg_advisory_unlock(:key)"), {"key": MIGRATION_LOCK})
        connection.commit()


run()
