"""What was fetched, and where it goes on

Revision: 0004, after 0003
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

BIGINT = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "fetch_state",
        sa.Column("board_id", BIGINT, nullable=False),
        sa.Column("source", sa.String(16), nullable=False),
        sa.Column("cursor", sa.Text(), nullable=False),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("succeeded_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_fetch_state_board_id")),
        sa.PrimaryKeyConstraint("board_id", "source", name=op.f("pk_fetch_state")),
    )


def downgrade() -> None:
    op.drop_table("fetch_state")
