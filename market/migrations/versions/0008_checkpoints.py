"""Checkpoints over the hash chains

Revision: 0008, after 0007
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

BIGINT = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
APPEND_ONLY = ("checkpoint", "checkpoint_head")


def upgrade() -> None:
    op.create_table(
        "checkpoint",
        sa.Column("number", BIGINT, nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("root", sa.String(64), nullable=False),
        sa.Column("signature", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_checkpoint")),
    )
    op.create_table(
        "checkpoint_head",
        sa.Column("number", BIGINT, nullable=False),
        sa.Column("chain", BIGINT, nullable=False),
        sa.Column("sequence", BIGINT, nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.ForeignKeyConstraint(["number"], ["checkpoint.number"], name=op.f("fk_checkpoint_head_number")),
        sa.PrimaryKeyConstraint("number", "chain", name=op.f("pk_checkpoint_head")),
    )
    op.create_index("ix_checkpoint_head_chain", "checkpoint_head", ["chain", "sequence"])
    for table in APPEND_ONLY:
        if op.get_bind().dialect.name == "sqlite":
            for change in ("UPDATE", "DELETE"):
                op.execute(
                    f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                    f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
                )
        else:
            op.execute(
                f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
                f"FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
            )


def downgrade() -> None:
    op.drop_table("checkpoint_head")
    op.drop_table("checkpoint")
