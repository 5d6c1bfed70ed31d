"""What workers see of changed memories: whose change was cut off before the older version was retired.

Reversible: the downgrade takes the sight away; then such a change waits for the tenant's next one. Safe under load: a policy
and a grant.
"""

from __future__ import annotations

from alembic import op

from thoth_substrate.db.migrate import run_statements

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_statements(op.get_bind(), __file__, "up")


def downgrade() -> None:
    run_statements(op.get_bind(), __file__, "down")
