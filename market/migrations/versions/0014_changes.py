"""Which papers a change of a term's forms can touch: a signature of the words of each

The first change of a term's forms makes those of the papers that are stored.

Revision: 0014, after 0013
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

BIGINT = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "paper_words",
        sa.Column("paper_id", BIGINT, nullable=False),
        sa.Column("signature_version", sa.Integer(), nullable=False),
        sa.Column("signature", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_paper_words_paper_id")),
        sa.PrimaryKeyConstraint("paper_id", name=op.f("pk_paper_words")),
    )


def downgrade() -> None:
    op.drop_table("paper_words")
