"""Items: values that hosts keep in a store of their own, their vectors, and whose words are to be forgotten.

Reversible: the downgrade drops the stores. Safe under load: it only adds.
"""

from __future__ import annotations

from alembic import op

from thoth_substrate.db.migrate import run_statements

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_statements(op.get_bind(), __file__, "up")


def downgrade() -> None:
    run_statements(op.get_bind(), __file__, "down")
