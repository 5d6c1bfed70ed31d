"""Memories: which version replaced which, and the keys under which a request may be repeated.

Reversible: the downgrade drops the links; the slices stay. Safe under load: it only adds tables.
"""

from __future__ import annotations

from alembic import op

from thoth_substrate.db.migrate import run_statements

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_statements(op.get_bind(), __file__, "up")


def downgrade() -> None:
    run_statements(op.get_bind(), __file__, "down")
