"""Memories: which version replaced which, and the keys under which a request may be repeated.

Reversible: the downgrade drops the links; the slices stay. Safe under load: it only adds tables.
"""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def _run(direction: str) -> None:
    statements = Path(__file__).with_suffix(f".{direction}.sql").read_text(encoding="utf-8")
    # The driver's own connection: SQLAlchemy would read the percent signs of format() as placeholders.
    driver = op.get_bind().connection.driver_connection
    assert driver is not None
    driver.execute(statements)


def upgrade() -> None:
    _run("up")


def downgrade() -> None:
    _run("down")
