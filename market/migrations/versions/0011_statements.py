"""Statements that anybody can recompute, and again after a correction; how good forecasts were

SQLite cannot change a primary key, so there the table of statements is made anew.

Revision: 0011, after 0010
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

BIGINT = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
KEPT = "contract_id, entry_id, counted, papers, papers_hash, recorded_at"
PARTS = ("listed_hash", "lexicon_hash")
NUMBERS = ("market_milli", "opening_milli", "plain_milli", "smoothed_milli", "last_milli")
SCORES = ("market_score", "opening_score", "plain_score", "smoothed_score", "last_score")


class CorrectionsStored(Exception):
    """The older tables have no place for corrections."""


def upgrade() -> None:
    _create_parts()
    if _is_sqlite():
        _rebuild(_create_statements)
        op.execute(
            f"INSERT INTO settlement_statement (number, reason, {KEPT}) "
            f"SELECT 1, '', {KEPT} FROM settlement_statement_before"
        )
        op.execute("DROP TABLE settlement_statement_before")
        _refuse_changes("settlement_statement")
    else:
        _widen_statements()
    op.add_column("contract", sa.Column("statement_number", BIGINT, server_default="0", nullable=False))
    op.add_column("contract", sa.Column("is_void", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.execute("UPDATE contract SET statement_number = 1 WHERE settled_at IS NOT NULL")
    _create_record()
    op.create_index(
        "ix_watch_event_board_id_term_id_recorded_at", "watch_event", ["board_id", "term_id", "recorded_at"]
    )


def downgrade() -> None:
    connection = op.get_bind()
    corrected = connection.exec_driver_sql("SELECT count(*) FROM entry WHERE kind = 'correct'").scalar_one()
    if corrected:
        raise CorrectionsStored(
            f"{corrected} corrections of the ledger are stored, and the older tables cannot keep them."
        )
    op.drop_index("ix_watch_event_board_id_term_id_recorded_at", "watch_event")
    op.drop_table("forecast_record")
    op.execute("ALTER TABLE contract DROP COLUMN is_void")
    op.execute("ALTER TABLE contract DROP COLUMN statement_number")
    if _is_sqlite():
        _rebuild(_create_older_statements)
        op.execute(
            f"INSERT INTO settlement_statement ({KEPT}) SELECT {KEPT} FROM settlement_statement_before"
        )
        op.execute("DROP TABLE settlement_statement_before")
        _refuse_changes("settlement_statement")
    else:
        _narrow_statements()
    op.drop_table("statement_part")


def _create_parts() -> None:
    op.create_table(
        "statement_part",
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("recorded_at", MOMENT, nullable=False),
        sa.CheckConstraint("length(hash) = 64", name=op.f("ck_statement_part_hash_is_sha256")),
        sa.CheckConstraint("kind IN ('listed', 'lexicon')", name=op.f("ck_statement_part_kind_is_known")),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_statement_part")),
    )
    _refuse_changes("statement_part")


def _new_columns() -> list[sa.Column]:
    return [
        sa.Column("term_key", sa.String(200), nullable=True),
        sa.Column("forms_hash", sa.String(64), nullable=True),
        sa.Column("highlighter_version", sa.Integer(), nullable=True),
        sa.Column("day_rule", sa.String(16), nullable=True),
        sa.Column("time_zone", sa.String(64), nullable=True),
        sa.Column("grace_days", sa.Integer(), nullable=True),
        sa.Column("listed_hash", sa.String(64), nullable=True),
        sa.Column("lexicon_hash", sa.String(64), nullable=True),
    ]


def _create_statements() -> None:
    op.create_table(
        "settlement_statement",
        sa.Column("contract_id", BIGINT, nullable=False),
        sa.Column("number", BIGINT, nullable=False),
        sa.Column("entry_id", BIGINT, nullable=True),
        sa.Column("counted", BIGINT, nullable=False),
        sa.Column("papers", sa.JSON(), nullable=False),
        sa.Column("papers_hash", sa.String(64), nullable=False),
        sa.Column("reason", sa.String(400), nullable=False),
        *_new_columns(),
        sa.Column("recorded_at", MOMENT, nullable=False),
        *_constraints(),
        sa.CheckConstraint("number >= 1", name=op.f("ck_settlement_statement_number_from_one")),
        *(
            sa.ForeignKeyConstraint(
                [part], ["statement_part.hash"], name=op.f(f"fk_settlement_statement_{part}")
            )
            for part in PARTS
        ),
        sa.PrimaryKeyConstraint("contract_id", "number", name=op.f("pk_settlement_statement")),
    )


def _create_older_statements() -> None:
    op.create_table(
        "settlement_statement",
        sa.Column("contract_id", BIGINT, nullable=False),
        sa.Column("entry_id", BIGINT, nullable=True),
        sa.Column("counted", BIGINT, nullable=False),
        sa.Column("papers", sa.JSON(), nullable=False),
        sa.Column("papers_hash", sa.String(64), nullable=False),
        sa.Column("recorded_at", MOMENT, nullable=False),
        *_constraints(),
        sa.PrimaryKeyConstraint("contract_id", name=op.f("pk_settlement_statement")),
    )


def _constraints() -> list[sa.Constraint]:
    return [
        sa.CheckConstraint("counted >= 0", name=op.f("ck_settlement_statement_counted_not_negative")),
        sa.ForeignKeyConstraint(
            ["contract_id"], ["contract.id"], name=op.f("fk_settlement_statement_contract_id")
        ),
        sa.ForeignKeyConstraint(["entry_id"], ["entry.id"], name=op.f("fk_settlement_statement_entry_id")),
        sa.UniqueConstraint("entry_id", name=op.f("uq_settlement_statement_entry_id")),
    ]


def _widen_statements() -> None:
    for column in (
        sa.Column("number", BIGINT, server_default="1", nullable=False),
        sa.Column("reason", sa.String(400), server_default="", nullable=False),
        *_new_columns(),
    ):
        op.add_column("settlement_statement", column)
    for column in ("number", "reason"):
        op.alter_column("settlement_statement", column, server_default=None)
    op.drop_constraint("pk_settlement_statement", "settlement_statement")
    op.create_primary_key("pk_settlement_statement", "settlement_statement", ["contract_id", "number"])
    op.create_check_constraint(
        op.f("ck_settlement_statement_number_from_one"), "settlement_statement", "number >= 1"
    )
    for part in PARTS:
        op.create_foreign_key(
            op.f(f"fk_settlement_statement_{part}"), "settlement_statement", "statement_part", [part], ["hash"]
        )


def _narrow_statements() -> None:
    op.drop_constraint("pk_settlement_statement", "settlement_statement")
    op.create_primary_key("pk_settlement_statement", "settlement_statement", ["contract_id"])
    for column in ("number", "reason", *(column.name for column in _new_columns())):
        op.drop_column("settlement_statement", column)


def _create_record() -> None:
    op.create_table(
        "forecast_record",
        sa.Column("contract_id", BIGINT, nullable=False),
        sa.Column("number", BIGINT, nullable=False),
        *(sa.Column(name, BIGINT, nullable=False) for name in NUMBERS),
        sa.Column("spread", sa.Double(), nullable=False),
        *(sa.Column(name, sa.Double(), nullable=False) for name in SCORES),
        sa.Column("recorded_at", MOMENT, nullable=False),
        sa.CheckConstraint(
            "market_milli > 0 AND opening_milli > 0 AND plain_milli > 0 AND smoothed_milli > 0 "
            "AND last_milli >= 0 AND spread > 0",
            name=op.f("ck_forecast_record_forecasts_in_range"),
        ),
        sa.CheckConstraint(
            " AND ".join(f"typeof({name}) IN ('integer', 'null')" for name in NUMBERS),
            name=op.f("ck_forecast_record_whole_numbers"),
        ).ddl_if(dialect="sqlite"),
        sa.ForeignKeyConstraint(
            ["contract_id", "number"],
            ["settlement_statement.contract_id", "settlement_statement.number"],
            name=op.f("fk_forecast_record_contract_id_number"),
        ),
        sa.PrimaryKeyConstraint("contract_id", "number", name=op.f("pk_forecast_record")),
    )
    _refuse_changes("forecast_record")


def _rebuild(create) -> None:
    """The old rows under another name, and an empty table; nothing refers to it."""
    op.execute("ALTER TABLE settlement_statement RENAME TO settlement_statement_before")
    for change in ("update", "delete"):
        op.execute(f"DROP TRIGGER settlement_statement_no_{change}")
    create()


def _refuse_changes(table: str) -> None:
    if not _is_sqlite():
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
        return
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )


def _is_sqlite() -> bool:
    return op.get_bind().dialect.name == "sqlite"
