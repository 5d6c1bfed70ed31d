"""The watcher's files: what lies in watched folders, how far each is taken in, and what of it is live. Withdrawn citations.

Reversible: the downgrade forgets which files were watched; what was taken in of them stays. Safe under load: it adds tables,
and a column without a default to one that is there, which is locked for an instant.
"""

from __future__ import annotations

from alembic import op

from thoth_substrate.db.migrate import run_statements

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_statements(op.get_bind(), __file__, "up")


def downgrade() -> None:
    run_statements(op.get_bind(), __file__, "down")
