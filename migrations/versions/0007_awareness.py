"""The subconscious index: concepts that expire, their keywords, and where each was met.

Reversible: the downgrade drops the index, which the Indexer makes anew. Safe under load: it only adds tables.
"""

from __future__ import annotations

from alembic import op

from thoth_substrate.db.migrate import run_statements

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_statements(op.get_bind(), __file__, "up")


def downgrade() -> None:
    run_statements(op.get_bind(), __file__, "down")
