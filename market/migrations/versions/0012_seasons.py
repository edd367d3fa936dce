"""Halts, linked accounts and members of the leaderboard

Revision: 0012, after 0011
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

# SQLite gives out row numbers only for a column that is spelled INTEGER.
BIGINT = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
APPEND_ONLY = ("halt_event", "link_event")


def upgrade() -> None:
    op.create_table(
        "halt_event",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("board_id", BIGINT, nullable=False),
        sa.Column("term_id", BIGINT, nullable=True),
        sa.Column("period", sa.String(10), nullable=True),
        sa.Column("is_on", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(400), nullable=False),
        sa.Column("operator", sa.String(80), nullable=False),
        sa.Column("after_entry", BIGINT, nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "reason <> '' AND operator <> '' AND after_entry >= 0", name=op.f("ck_halt_event_is_accounted_for")
        ),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_halt_event_board_id")),
        sa.ForeignKeyConstraint(["term_id"], ["term.id"], name=op.f("fk_halt_event_term_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_halt_event")),
    )
    op.create_index(op.f("ix_halt_event_board_id"), "halt_event", ["board_id"])
    op.create_table(
        "link_event",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("first_id", BIGINT, nullable=False),
        sa.Column("second_id", BIGINT, nullable=False),
        sa.Column("is_on", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(400), nullable=False),
        sa.Column("operator", sa.String(80), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("first_id < second_id", name=op.f("ck_link_event_pair_in_order")),
        sa.CheckConstraint("reason <> '' AND operator <> ''", name=op.f("ck_link_event_is_accounted_for")),
        sa.ForeignKeyConstraint(["first_id"], ["trader.id"], name=op.f("fk_link_event_first_id")),
        sa.ForeignKeyConstraint(["second_id"], ["trader.id"], name=op.f("fk_link_event_second_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_link_event")),
    )
    op.create_table(
        "leaderboard_member",
        sa.Column("trader_id", BIGINT, nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["trader_id"], ["trader.id"], name=op.f("fk_leaderboard_member_trader_id")),
        sa.PrimaryKeyConstraint("trader_id", name=op.f("pk_leaderboard_member")),
    )
    op.add_column("contract", sa.Column("is_halted", sa.Boolean(), server_default=sa.false(), nullable=False))
    _refuse_changes()


def _refuse_changes() -> None:
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
    op.execute("ALTER TABLE contract DROP COLUMN is_halted")
    for table in ("leaderboard_member", "link_event", "halt_event"):
        op.drop_table(table)
