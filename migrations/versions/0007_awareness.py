"""The subconscious index: concepts that expire, their keywords, and where each was met.

Reversible: the downgrade drops the index, which the Indexer makes anew. Safe under load: it only adds tables.
"""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0007"
down_revision = "0006"
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
