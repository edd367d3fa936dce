"""What readers say of terms on selected text, what is decided about it, and operators

Revision: 0013, after 0012
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

# SQLite gives out row numbers only for a column that is spelled INTEGER.
BIGINT = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
APPEND_ONLY = ("judgement_event", "judgement_decision", "operator_event")
VERDICTS = "verdict IN ('term', 'not_a_term')"


def upgrade() -> None:
    _create_events()
    _create_decisions()
    _create_projection()
    _create_operators()
    _refuse_changes()


def downgrade() -> None:
    for table in ("operator_event", "judgement", "judgement_decision", "judgement_event"):
        op.drop_table(table)


def _create_events() -> None:
    op.create_table(
        "judgement_event",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("trader_id", BIGINT, nullable=False),
        sa.Column("board_id", BIGINT, nullable=False),
        sa.Column("paper_id", BIGINT, nullable=False),
        sa.Column("verdict", sa.String(12), nullable=False),
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("term_id", BIGINT, nullable=True),
        sa.Column("start_offset", BIGINT, nullable=False),
        sa.Column("end_offset", BIGINT, nullable=False),
        sa.Column("quote", sa.String(400), nullable=False),
        sa.Column("text_hash", sa.String(64), nullable=False),
        sa.Column("is_on", sa.Boolean(), nullable=False),
        sa.Column("recorded_at", MOMENT, nullable=False),
        sa.CheckConstraint(VERDICTS, name=op.f("ck_judgement_event_verdict_is_known")),
        sa.CheckConstraint(
            "verdict = 'term' OR term_id IS NOT NULL", name=op.f("ck_judgement_event_names_its_term")
        ),
        sa.CheckConstraint(
            "start_offset >= 0 AND end_offset > start_offset",
            name=op.f("ck_judgement_event_span_is_not_empty"),
        ),
        sa.CheckConstraint(
            "key <> '' AND length(text_hash) = 64", name=op.f("ck_judgement_event_is_anchored")
        ),
        sa.CheckConstraint(
            "typeof(start_offset) IN ('integer', 'null') AND typeof(end_offset) IN ('integer', 'null')",
            name=op.f("ck_judgement_event_whole_numbers"),
        ).ddl_if(dialect="sqlite"),
        *_refers("judgement_event", "trader", "board", "paper", "term"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judgement_event")),
    )
    op.create_index(op.f("ix_judgement_event_trader_id"), "judgement_event", ["trader_id"])
    op.create_index(
        "ix_judgement_event_board_id_verdict_key", "judgement_event", ["board_id", "verdict", "key"]
    )


def _create_decisions() -> None:
    op.create_table(
        "judgement_decision",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("board_id", BIGINT, nullable=False),
        sa.Column("verdict", sa.String(12), nullable=False),
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("is_accepted", sa.Boolean(), nullable=False),
        sa.Column("event_ids", sa.JSON(), nullable=False),
        sa.Column("reason", sa.String(400), nullable=False),
        sa.Column("operator", sa.String(80), nullable=False),
        sa.Column("recorded_at", MOMENT, nullable=False),
        sa.CheckConstraint(VERDICTS, name=op.f("ck_judgement_decision_verdict_is_known")),
        _accounted("judgement_decision"),
        *_refers("judgement_decision", "board"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judgement_decision")),
    )
    op.create_index(
        "ix_judgement_decision_board_id_verdict_key", "judgement_decision", ["board_id", "verdict", "key"]
    )


def _create_projection() -> None:
    op.create_table(
        "judgement",
        sa.Column("event_id", BIGINT, nullable=False),
        sa.Column("trader_id", BIGINT, nullable=False),
        sa.Column("board_id", BIGINT, nullable=False),
        sa.Column("paper_id", BIGINT, nullable=False),
        sa.Column("verdict", sa.String(12), nullable=False),
        sa.Column("text_hash", sa.String(64), nullable=False),
        sa.Column("start_offset", BIGINT, nullable=False),
        sa.Column("end_offset", BIGINT, nullable=False),
        sa.Column("decision_id", BIGINT, nullable=True),
        *_refers("judgement", "trader", "board", "paper"),
        sa.ForeignKeyConstraint(
            ["event_id"], ["judgement_event.id"], name=op.f("fk_judgement_event_id")
        ),
        sa.ForeignKeyConstraint(
            ["decision_id"], ["judgement_decision.id"], name=op.f("fk_judgement_decision_id")
        ),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_judgement")),
        sa.UniqueConstraint(
            "trader_id", "paper_id", "board_id", "verdict", "text_hash", "start_offset", "end_offset",
            name=op.f("uq_judgement_stretch"),
        ),
    )  # fmt: skip
    op.create_index("ix_judgement_board_id_decision_id", "judgement", ["board_id", "decision_id"])


def _create_operators() -> None:
    op.create_table(
        "operator_event",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("trader_id", BIGINT, nullable=False),
        sa.Column("is_on", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(400), nullable=False),
        sa.Column("operator", sa.String(80), nullable=False),
        sa.Column("recorded_at", MOMENT, nullable=False),
        _accounted("operator_event"),
        *_refers("operator_event", "trader"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_operator_event")),
    )
    op.create_index(op.f("ix_operator_event_trader_id"), "operator_event", ["trader_id"])


def _accounted(table: str) -> sa.CheckConstraint:
    return sa.CheckConstraint(
        "reason <> '' AND operator <> ''", name=op.f(f"ck_{table}_is_accounted_for")
    )


def _refers(table: str, *others: str) -> list[sa.ForeignKeyConstraint]:
    return [
        sa.ForeignKeyConstraint([f"{other}_id"], [f"{other}.id"], name=op.f(f"fk_{table}_{other}_id"))
        for other in others
    ]


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
