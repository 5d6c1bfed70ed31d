"""The substrate: perception, attention, search, workers' state, audit chain.

Reversible: the downgrade drops the schema and everything in it. Safe under load: nothing was there before.
"""

from __future__ import annotations

from alembic import op

from thoth_substrate.db.migrate import run_statements

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_statements(op.get_bind(), __file__, "up")


def downgrade() -> None:
    run_statements(op.get_bind(), __file__, "down")
