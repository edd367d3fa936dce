"""Limit orders and rolls: an order may have several entries and fills, and a fill knows its entry

SQLite cannot drop a constraint, so there the tables are made anew, and those that point at them too.

Revision: 0009, after 0008
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

BIGINT = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
REBUILT = ("orders", "entry", "fill", "posting", "settlement_statement")  # none points at a later one

STATUS = "CHECK (status IN ('filled', 'refused'))"
WIDER_STATUS = "CHECK (status IN ('filled', 'placed', 'refused'))"
KINDS = "CHECK (kind IN ('grant', 'subsidy', 'open', 'trade', 'settle', 'correct'))"
WIDER_KINDS = "CHECK (kind IN ('grant', 'subsidy', 'open', 'trade', 'hold', 'release', 'settle', 'correct'))"
ONE_ENTRY = "CONSTRAINT uq_entry_order_id UNIQUE (order_id)"

FILL_VALUES = (
    "order_id, contract_id, share_count, cost_units, fee_units, version_before, version_after, "
    "price_before_units, price_after_units, recorded_at"
)
FILL = """
CREATE TABLE fill (
    contract_id INTEGER NOT NULL,
    order_id INTEGER NOT NULL,
    {more}
    share_count INTEGER NOT NULL,
    cost_units INTEGER NOT NULL,
    fee_units INTEGER NOT NULL,
    version_before INTEGER NOT NULL,
    version_after INTEGER NOT NULL,
    price_before_units INTEGER NOT NULL,
    price_after_units INTEGER NOT NULL,
    recorded_at DATETIME NOT NULL,
    CONSTRAINT ck_fill_a_trade CHECK (
        share_count > 0 AND fee_units > 0 AND version_after = version_before + 1),
    CONSTRAINT fk_fill_contract_id FOREIGN KEY(contract_id) REFERENCES contract (id),
    CONSTRAINT fk_fill_order_id FOREIGN KEY(order_id) REFERENCES orders (id),
    {keys}
)
"""
OLD_FILL = FILL.format(
    more="",
    keys="CONSTRAINT pk_fill PRIMARY KEY (order_id), "
    "CONSTRAINT uq_fill_contract_id_version_after UNIQUE (contract_id, version_after)",
)
NEW_FILL = FILL.format(
    more="entry_id INTEGER NOT NULL,\n    from_hold BOOLEAN NOT NULL,",
    keys="CONSTRAINT fk_fill_entry_id FOREIGN KEY(entry_id) REFERENCES entry (id), "
    "CONSTRAINT uq_fill_entry_id UNIQUE (entry_id), "
    "CONSTRAINT pk_fill PRIMARY KEY (contract_id, version_after)",
)


class LimitOrdersStored(Exception):
    """The older tables have no place for limit orders."""


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        _rebuild(
            {
                "orders": lambda sql: _replaced(sql, STATUS, WIDER_STATUS),
                "entry": lambda sql: _without(_replaced(sql, KINDS, WIDER_KINDS), ONE_ENTRY),
                "fill": lambda _: NEW_FILL,
            },
            {
                "fill": f"INSERT INTO fill (entry_id, from_hold, {FILL_VALUES}) "
                f"SELECT entry.id, 0, {_of_fill()} FROM fill_before JOIN entry "
                "ON entry.order_id = fill_before.order_id AND entry.kind = 'trade'"
            },
        )
    else:
        _alter_postgresql()
    op.create_index("ix_entry_order_id", "entry", ["order_id"])
    op.create_index("ix_fill_order_id", "fill", ["order_id"])
    op.add_column("contract", sa.Column("resting_count", BIGINT, server_default="0", nullable=False))
    _create_limit_orders()
    _create_cancellations()
    _create_rolls()


def downgrade() -> None:
    for table in ("limit_order", "cancellation"):
        if op.get_bind().execute(sa.text(f"SELECT count(*) FROM {table}")).scalar():
            raise LimitOrdersStored("There are limit orders; the older tables cannot keep them.")
    op.drop_table("roll")
    op.drop_table("cancellation")
    op.drop_table("limit_order")
    op.execute("ALTER TABLE contract DROP COLUMN resting_count")
    op.drop_index("ix_fill_order_id", "fill")
    op.drop_index("ix_entry_order_id", "entry")
    if op.get_bind().dialect.name == "sqlite":
        _rebuild(
            {
                "orders": lambda sql: _replaced(sql, WIDER_STATUS, STATUS),
                "entry": lambda sql: _with(_replaced(sql, WIDER_KINDS, KINDS), ONE_ENTRY),
                "fill": lambda _: OLD_FILL,
            },
            {"fill": f"INSERT INTO fill ({FILL_VALUES}) SELECT {FILL_VALUES} FROM fill_before"},
        )
    else:
        _alter_postgresql_back()


def _alter_postgresql() -> None:
    for statement in (
        "ALTER TABLE orders DROP CONSTRAINT ck_orders_status_is_known",
        f"ALTER TABLE orders ADD CONSTRAINT ck_orders_status_is_known {WIDER_STATUS}",
        "ALTER TABLE entry DROP CONSTRAINT ck_entry_kind_is_known",
        f"ALTER TABLE entry ADD CONSTRAINT ck_entry_kind_is_known {WIDER_KINDS}",
        "ALTER TABLE entry DROP CONSTRAINT uq_entry_order_id",
        "ALTER TABLE fill ADD COLUMN entry_id BIGINT",
        "ALTER TABLE fill ADD COLUMN from_hold BOOLEAN NOT NULL DEFAULT false",
        "ALTER TABLE fill ALTER COLUMN from_hold DROP DEFAULT",
        "ALTER TABLE fill DISABLE TRIGGER fill_append_only",
        "UPDATE fill SET entry_id = entry.id FROM entry "
        "WHERE entry.order_id = fill.order_id AND entry.kind = 'trade'",
        "ALTER TABLE fill ENABLE TRIGGER fill_append_only",
        "ALTER TABLE fill ALTER COLUMN entry_id SET NOT NULL",
        "ALTER TABLE fill DROP CONSTRAINT pk_fill",
        "ALTER TABLE fill DROP CONSTRAINT uq_fill_contract_id_version_after",
        "ALTER TABLE fill ADD CONSTRAINT pk_fill PRIMARY KEY (contract_id, version_after)",
        "ALTER TABLE fill ADD CONSTRAINT uq_fill_entry_id UNIQUE (entry_id)",
        "ALTER TABLE fill ADD CONSTRAINT fk_fill_entry_id FOREIGN KEY (entry_id) REFERENCES entry (id)",
    ):
        op.execute(statement)


def _alter_postgresql_back() -> None:
    for statement in (
        "ALTER TABLE fill DROP CONSTRAINT pk_fill",
        "ALTER TABLE fill DROP COLUMN entry_id",
        "ALTER TABLE fill DROP COLUMN from_hold",
        "ALTER TABLE fill ADD CONSTRAINT pk_fill PRIMARY KEY (order_id)",
        "ALTER TABLE fill ADD CONSTRAINT uq_fill_contract_id_version_after "
        "UNIQUE (contract_id, version_after)",
        "ALTER TABLE entry ADD CONSTRAINT uq_entry_order_id UNIQUE (order_id)",
        "ALTER TABLE entry DROP CONSTRAINT ck_entry_kind_is_known",
        f"ALTER TABLE entry ADD CONSTRAINT ck_entry_kind_is_known {KINDS}",
        "ALTER TABLE orders DROP CONSTRAINT ck_orders_status_is_known",
        f"ALTER TABLE orders ADD CONSTRAINT ck_orders_status_is_known {STATUS}",
    ):
        op.execute(statement)


def _rebuild(edits: Mapping[str, Callable[[str], str]], copies: Mapping[str, str]) -> None:
    """Make the tables anew by their edited statements, with their rows, indexes and triggers."""
    connection = op.get_bind()
    schema = sa.text("SELECT type, name, sql FROM sqlite_schema WHERE tbl_name = :table AND sql IS NOT NULL")
    made: dict[str, str] = {}
    others: list[str] = []
    for table in REBUILT:
        for kind, name, sql in connection.execute(schema, {"table": table}).all():
            if kind == "table":
                made[table] = sql
            else:
                others.append(sql)
                op.execute(f"DROP {kind} {name}")
    for table in REBUILT:
        op.execute(f"ALTER TABLE {table} RENAME TO {table}_before")
    for table in REBUILT:
        connection.exec_driver_sql(edits.get(table, str)(made[table]))
        connection.exec_driver_sql(copies.get(table) or _copied(connection, table))
    for table in reversed(REBUILT):
        op.execute(f"DROP TABLE {table}_before")
    for statement in others:
        connection.exec_driver_sql(statement)


def _copied(connection: sa.Connection, table: str) -> str:
    columns = ", ".join(row[1] for row in connection.exec_driver_sql(f"PRAGMA table_info({table})").all())
    return f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {table}_before"


def _of_fill() -> str:
    return ", ".join(f"fill_before.{column}" for column in FILL_VALUES.split(", "))


def _replaced(sql: str, old: str, new: str) -> str:
    assert old in sql, f"{old!r} is not in {sql!r}"
    return sql.replace(old, new)


def _without(sql: str, constraint: str) -> str:
    return re.sub(r",\s*" + re.escape(constraint), "", sql)


def _with(sql: str, constraint: str) -> str:
    return f"{sql.rstrip().removesuffix(')')}, {constraint})"


def _create_limit_orders() -> None:
    op.create_table(
        "limit_order",
        sa.Column("order_id", BIGINT, nullable=False),
        sa.Column("contract_id", BIGINT, nullable=True),
        sa.Column("forecast_milli", BIGINT, nullable=False),
        sa.Column("stands", sa.String(16), nullable=False),
        sa.Column("good_until", sa.Date(), nullable=True),
        sa.Column("is_upward", sa.Boolean(), nullable=False),
        sa.Column("lead", BIGINT, nullable=True),
        sa.Column("hold_each_units", BIGINT, nullable=True),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("rested_shares", BIGINT, nullable=False),
        sa.Column("open_shares", BIGINT, nullable=False),
        sa.Column("ended_shares", BIGINT, nullable=False),
        sa.Column("ended_as", sa.String(10), nullable=True),
        sa.CheckConstraint(
            "stands IN ('until_cancelled', 'until_date', 'at_once')",
            name=op.f("ck_limit_order_stands_is_known"),
        ),
        sa.CheckConstraint(
            "ended_as IN ('cancelled', 'expired', 'closed', 'crossed')", name=op.f("ck_limit_order_end_is_known")
        ),
        sa.CheckConstraint(
            "open_shares >= 0 AND ended_shares >= 0 AND open_shares + ended_shares <= rested_shares",
            name=op.f("ck_limit_order_shares_fit"),
        ),
        sa.CheckConstraint(
            "typeof(forecast_milli) IN ('integer', 'null') AND typeof(lead) IN ('integer', 'null') "
            "AND typeof(hold_each_units) IN ('integer', 'null') AND typeof(rested_shares) IN ('integer', 'null') "
            "AND typeof(open_shares) IN ('integer', 'null')",
            name=op.f("ck_limit_order_whole_numbers"),
        ).ddl_if(dialect="sqlite"),
        sa.ForeignKeyConstraint(["contract_id"], ["contract.id"], name=op.f("fk_limit_order_contract_id")),
        sa.ForeignKeyConstraint(["order_id"], ["orders.id"], name=op.f("fk_limit_order_order_id")),
        sa.PrimaryKeyConstraint("order_id", name=op.f("pk_limit_order")),
    )
    resting = sa.text("open_shares > 0")
    for name, columns in (
        ("ix_limit_order_resting", ["contract_id", "is_upward", "lead", "order_id"]),
        ("ix_limit_order_ends_at", ["ends_at"]),
    ):
        op.create_index(name, "limit_order", columns, sqlite_where=resting, postgresql_where=resting)


def _create_cancellations() -> None:
    op.create_table(
        "cancellation",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("trader_id", BIGINT, nullable=False),
        sa.Column("idempotency_key", sa.String(64), nullable=False),
        sa.Column("order_id", BIGINT, nullable=False),
        sa.Column("ended_shares", BIGINT, nullable=False),
        sa.Column("returned_units", BIGINT, nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["order_id"], ["orders.id"], name=op.f("fk_cancellation_order_id")),
        sa.ForeignKeyConstraint(["trader_id"], ["trader.id"], name=op.f("fk_cancellation_trader_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cancellation")),
        sa.UniqueConstraint(
            "trader_id", "idempotency_key", name=op.f("uq_cancellation_trader_id_idempotency_key")
        ),
    )
    if op.get_bind().dialect.name == "sqlite":
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER cancellation_no_{change.lower()} BEFORE {change} ON cancellation "
                f"BEGIN SELECT RAISE(ABORT, 'cancellation is append-only'); END"
            )
    else:
        op.execute(
            "CREATE TRIGGER cancellation_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON cancellation "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )


def _create_rolls() -> None:
    op.create_table(
        "roll",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("trader_id", BIGINT, nullable=False),
        sa.Column("board_id", BIGINT, nullable=False),
        sa.Column("term_id", BIGINT, nullable=False),
        sa.Column("side", sa.String(5), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("side IN ('LONG', 'SHORT')", name=op.f("ck_roll_side_is_known")),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_roll_board_id")),
        sa.ForeignKeyConstraint(["term_id"], ["term.id"], name=op.f("fk_roll_term_id")),
        sa.ForeignKeyConstraint(["trader_id"], ["trader.id"], name=op.f("fk_roll_trader_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_roll")),
        sa.UniqueConstraint(
            "trader_id", "board_id", "term_id", "side", name=op.f("uq_roll_trader_id_board_id_term_id_side")
        ),
    )
