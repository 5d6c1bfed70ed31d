"""Knowledge: layers 1 to 4, the handshake, the ledger of the crew, purge receipts.

Reversible: the downgrade drops the upper layers; slices keep their states. Safe under load: it only adds tables, and columns
with constant defaults to one queue, which are written nowhere and locked for an instant.
"""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0002"
down_revision = "0001"
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
