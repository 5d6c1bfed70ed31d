"""The watcher's files: what lies in watched folders, how far each is taken in, and what of it is live. Withdrawn citations.

Reversible: the downgrade forgets which files were watched; what was taken in of them stays. Safe under load: it adds tables,
and a column without a default to one that is there, which is locked for an instant.
"""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0006"
down_revision = "0005"
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
