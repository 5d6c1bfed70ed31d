"""A scope of tokens for the numbers of all tenants, which an operator's monitoring reads.

Reversible: the downgrade takes the scope from the tokens that have it, which then allow what else they allowed. Safe under load:
a check of a table that holds a few rows.
"""

from __future__ import annotations

from alembic import op

from thoth_substrate.db.migrate import run_statements

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_statements(op.get_bind(), __file__, "up")


def downgrade() -> None:
    run_statements(op.get_bind(), __file__, "down")
