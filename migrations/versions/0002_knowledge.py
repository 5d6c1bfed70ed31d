"""Knowledge: layers 1 to 4, the handshake, the ledger of the crew, purge receipts.

Reversible: the downgrade drops the upper layers; slices keep their states. Safe under load: it only adds tables, and columns
with constant defaults to one queue, which are written nowhere and locked for an instant.
"""

from __future__ import annotations

from alembic import op

from thoth_substrate.db.migrate import run_statements

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_statements(op.get_bind(), __file__, "up")


def downgrade() -> None:
    run_statements(op.get_bind(), __file__, "down")
