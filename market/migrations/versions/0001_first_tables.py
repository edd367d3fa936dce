"""first tables

Revision: 0001, the first
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

BIGINT = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "board",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("code", sa.String(40), nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("field", sa.String(120), nullable=False),
        sa.Column("period", sa.String(8), nullable=False),
        sa.Column("day_rule", sa.String(16), nullable=False),
        sa.Column("time_zone", sa.String(64), nullable=False),
        sa.Column("grace_days", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.CheckConstraint("period IN ('week', 'month')", name=op.f("ck_board_period_is_known")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_board")),
        sa.UniqueConstraint("code", name=op.f("uq_board_code")),
    )
    op.create_table(
        "paper",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("identifier", sa.String(200), nullable=False),
        sa.Column("source", sa.String(40), nullable=False),
        sa.Column("url", sa.String(500), nullable=True),
        sa.Column("title_source", sa.Text(), nullable=False),
        sa.Column("title_runs", sa.JSON(), nullable=False),
        sa.Column("title_text", sa.Text(), nullable=False),
        sa.Column("abstract_source", sa.Text(), nullable=False),
        sa.Column("abstract_runs", sa.JSON(), nullable=False),
        sa.Column("abstract_text", sa.Text(), nullable=False),
        sa.Column("text_hash", sa.String(64), nullable=False),
        sa.Column("typesetter_version", sa.Integer(), nullable=False),
        sa.Column("authors", sa.JSON(), nullable=False),
        sa.Column("categories", sa.JSON(), nullable=False),
        sa.Column("first_day", sa.Date(), nullable=False),
        sa.Column("taken_in_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("length(text_hash) = 64", name=op.f("ck_paper_text_hash_is_sha256")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_paper")),
        sa.UniqueConstraint("identifier", name=op.f("uq_paper_identifier")),
    )
    with op.batch_alter_table("paper", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_paper_first_day"), ["first_day"], unique=False)

    op.create_table(
        "term",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("slug", sa.String(200), nullable=False),
        sa.Column("label", sa.String(200), nullable=False),
        sa.Column("current_version", BIGINT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_term")),
        sa.UniqueConstraint("key", name=op.f("uq_term_key")),
        sa.UniqueConstraint("slug", name=op.f("uq_term_slug")),
    )
    op.create_table(
        "trader",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("name_key", sa.String(80), nullable=False),
        sa.Column("password_hash", sa.String(200), nullable=True),
        sa.Column("session_key", sa.String(64), nullable=False),
        sa.Column("is_simulated", sa.Boolean(), nullable=False),
        sa.Column("joined_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "is_simulated OR password_hash IS NOT NULL", name=op.f("ck_trader_people_have_passwords")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trader")),
        sa.UniqueConstraint("name_key", name=op.f("uq_trader_name_key")),
        sa.UniqueConstraint("session_key", name=op.f("uq_trader_session_key")),
    )
    op.create_table(
        "activity",
        sa.Column("board_id", BIGINT, nullable=False),
        sa.Column("term_id", BIGINT, nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("paper_count", BIGINT, nullable=False),
        sa.Column("mention_count", BIGINT, nullable=False),
        sa.CheckConstraint(
            "typeof(paper_count) IN ('integer', 'null') AND typeof(mention_count) IN ('integer', 'null')",
            name=op.f("ck_activity_whole_numbers"),
        ).ddl_if(dialect="sqlite"),
        sa.CheckConstraint(
            "paper_count > 0 AND mention_count >= paper_count", name=op.f("ck_activity_counts_fit")
        ),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_activity_board_id")),
        sa.ForeignKeyConstraint(["term_id"], ["term.id"], name=op.f("fk_activity_term_id")),
        sa.PrimaryKeyConstraint("board_id", "term_id", "day", name=op.f("pk_activity")),
    )
    with op.batch_alter_table("activity", schema=None) as batch_op:
        batch_op.create_index("ix_activity_board_id_day", ["board_id", "day"], unique=False)

    op.create_table(
        "board_day",
        sa.Column("board_id", BIGINT, nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("paper_count", BIGINT, nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("paper_count >= 0", name=op.f("ck_board_day_paper_count_not_negative")),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_board_day_board_id")),
        sa.PrimaryKeyConstraint("board_id", "day", name=op.f("pk_board_day")),
    )
    op.create_table(
        "board_paper",
        sa.Column("board_id", BIGINT, nullable=False),
        sa.Column("paper_id", BIGINT, nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("section", sa.String(16), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "section IN ('new', 'cross', 'accepted', 'submitted')",
            name=op.f("ck_board_paper_section_is_known"),
        ),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_board_paper_board_id")),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_board_paper_paper_id")),
        sa.PrimaryKeyConstraint("board_id", "paper_id", name=op.f("pk_board_paper")),
    )
    with op.batch_alter_table("board_paper", schema=None) as batch_op:
        batch_op.create_index("ix_board_paper_board_id_day", ["board_id", "day"], unique=False)

    op.create_table(
        "listing",
        sa.Column("board_id", BIGINT, nullable=False),
        sa.Column("term_id", BIGINT, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("reason", sa.String(400), nullable=False),
        sa.Column("listed_on", sa.Date(), nullable=False),
        sa.CheckConstraint("status IN ('listed', 'delisted')", name=op.f("ck_listing_status_is_known")),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_listing_board_id")),
        sa.ForeignKeyConstraint(["term_id"], ["term.id"], name=op.f("fk_listing_term_id")),
        sa.PrimaryKeyConstraint("board_id", "term_id", name=op.f("pk_listing")),
    )
    op.create_table(
        "orders",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("trader_id", BIGINT, nullable=False),
        sa.Column("idempotency_key", sa.String(64), nullable=False),
        sa.Column("body_hash", sa.String(64), nullable=False),
        sa.Column("board_id", BIGINT, nullable=False),
        sa.Column("term_id", BIGINT, nullable=False),
        sa.Column("period", sa.String(10), nullable=False),
        sa.Column("side", sa.String(5), nullable=False),
        sa.Column("action", sa.String(4), nullable=False),
        sa.Column("share_count", BIGINT, nullable=True),
        sa.Column("spend_units", BIGINT, nullable=True),
        sa.Column("limit_units", BIGINT, nullable=True),
        sa.Column("status", sa.String(8), nullable=False),
        sa.Column("reason", sa.String(40), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("placed_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "side IN ('LONG', 'SHORT') AND action IN ('buy', 'sell')", name=op.f("ck_orders_side_and_action")
        ),
        sa.CheckConstraint("status IN ('filled', 'refused')", name=op.f("ck_orders_status_is_known")),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_orders_board_id")),
        sa.ForeignKeyConstraint(["term_id"], ["term.id"], name=op.f("fk_orders_term_id")),
        sa.ForeignKeyConstraint(["trader_id"], ["trader.id"], name=op.f("fk_orders_trader_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_orders")),
        sa.UniqueConstraint("trader_id", "idempotency_key", name=op.f("uq_orders_trader_id_idempotency_key")),
    )
    op.create_table(
        "term_version",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("term_id", BIGINT, nullable=False),
        sa.Column("version", BIGINT, nullable=False),
        sa.Column("forms", sa.JSON(), nullable=False),
        sa.Column("highlighter_version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "typeof(version) IN ('integer', 'null')", name=op.f("ck_term_version_whole_numbers")
        ).ddl_if(dialect="sqlite"),
        sa.ForeignKeyConstraint(["term_id"], ["term.id"], name=op.f("fk_term_version_term_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_term_version")),
        sa.UniqueConstraint("term_id", "version", name=op.f("uq_term_version_term_id_version")),
    )
    op.create_table(
        "watch",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("trader_id", BIGINT, nullable=False),
        sa.Column("board_id", BIGINT, nullable=False),
        sa.Column("term_id", BIGINT, nullable=True),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_watch_board_id")),
        sa.ForeignKeyConstraint(["term_id"], ["term.id"], name=op.f("fk_watch_term_id")),
        sa.ForeignKeyConstraint(["trader_id"], ["trader.id"], name=op.f("fk_watch_trader_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_watch")),
        sa.UniqueConstraint(
            "trader_id", "board_id", "term_id", name=op.f("uq_watch_trader_id_board_id_term_id")
        ),
    )
    with op.batch_alter_table("watch", schema=None) as batch_op:
        batch_op.create_index("ix_watch_board_id_term_id", ["board_id", "term_id"], unique=False)
        batch_op.create_index(
            "uq_watch_board",
            ["trader_id", "board_id"],
            unique=True,
            sqlite_where=sa.text("term_id IS NULL"),
            postgresql_where=sa.text("term_id IS NULL"),
        )

    op.create_table(
        "watch_event",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("trader_id", BIGINT, nullable=False),
        sa.Column("board_id", BIGINT, nullable=False),
        sa.Column("term_id", BIGINT, nullable=True),
        sa.Column("is_on", sa.Boolean(), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_watch_event_board_id")),
        sa.ForeignKeyConstraint(["term_id"], ["term.id"], name=op.f("fk_watch_event_term_id")),
        sa.ForeignKeyConstraint(["trader_id"], ["trader.id"], name=op.f("fk_watch_event_trader_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_watch_event")),
    )
    with op.batch_alter_table("watch_event", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_watch_event_trader_id"), ["trader_id"], unique=False)

    op.create_table(
        "contract",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("board_id", BIGINT, nullable=False),
        sa.Column("term_id", BIGINT, nullable=False),
        sa.Column("term_version_id", BIGINT, nullable=False),
        sa.Column("period", sa.String(10), nullable=False),
        sa.Column("first_day", sa.Date(), nullable=False),
        sa.Column("last_day", sa.Date(), nullable=False),
        sa.Column("cap", BIGINT, nullable=False),
        sa.Column("prior_1024", sa.Integer(), nullable=False),
        sa.Column("depth_shares", BIGINT, nullable=False),
        sa.Column("forecast_milli", BIGINT, nullable=False),
        sa.Column("subsidy_units", BIGINT, nullable=False),
        sa.Column("long_shares", BIGINT, nullable=False),
        sa.Column("short_shares", BIGINT, nullable=False),
        sa.Column("state_version", BIGINT, nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "typeof(cap) IN ('integer', 'null') AND typeof(prior_1024) IN ('integer', 'null') AND typeof(depth_shares) IN ('integer', 'null') AND typeof(subsidy_units) IN ('integer', 'null') AND typeof(long_shares) IN ('integer', 'null') AND typeof(short_shares) IN ('integer', 'null')",
            name=op.f("ck_contract_whole_numbers"),
        ).ddl_if(dialect="sqlite"),
        sa.CheckConstraint(
            "cap >= 16 AND prior_1024 BETWEEN 32 AND 992 AND depth_shares >= 50",
            name=op.f("ck_contract_maker_in_range"),
        ),
        sa.CheckConstraint("first_day <= last_day", name=op.f("ck_contract_period_in_order")),
        sa.CheckConstraint(
            "long_shares >= 0 AND short_shares >= 0", name=op.f("ck_contract_shares_not_negative")
        ),
        sa.CheckConstraint(
            "subsidy_units > 0 AND state_version >= 0", name=op.f("ck_contract_subsidy_and_version")
        ),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_contract_board_id")),
        sa.ForeignKeyConstraint(["term_id"], ["term.id"], name=op.f("fk_contract_term_id")),
        sa.ForeignKeyConstraint(
            ["term_version_id"], ["term_version.id"], name=op.f("fk_contract_term_version_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_contract")),
        sa.UniqueConstraint(
            "board_id", "term_id", "period", name=op.f("uq_contract_board_id_term_id_period")
        ),
    )
    with op.batch_alter_table("contract", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_contract_term_id"), ["term_id"], unique=False)

    op.create_table(
        "mention",
        sa.Column("paper_id", BIGINT, nullable=False),
        sa.Column("term_version_id", BIGINT, nullable=False),
        sa.Column("start_offset", BIGINT, nullable=False),
        sa.Column("end_offset", BIGINT, nullable=False),
        sa.Column("quote", sa.String(400), nullable=False),
        sa.CheckConstraint(
            "typeof(start_offset) IN ('integer', 'null') AND typeof(end_offset) IN ('integer', 'null')",
            name=op.f("ck_mention_whole_numbers"),
        ).ddl_if(dialect="sqlite"),
        sa.CheckConstraint(
            "start_offset >= 0 AND end_offset > start_offset", name=op.f("ck_mention_span_is_not_empty")
        ),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_mention_paper_id")),
        sa.ForeignKeyConstraint(
            ["term_version_id"], ["term_version.id"], name=op.f("fk_mention_term_version_id")
        ),
        sa.PrimaryKeyConstraint("paper_id", "term_version_id", "start_offset", name=op.f("pk_mention")),
    )
    with op.batch_alter_table("mention", schema=None) as batch_op:
        batch_op.create_index(
            "ix_mention_term_version_id_paper_id", ["term_version_id", "paper_id"], unique=False
        )

    op.create_table(
        "account",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("asset", sa.String(60), nullable=False),
        sa.Column("trader_id", BIGINT, nullable=True),
        sa.Column("contract_id", BIGINT, nullable=True),
        sa.Column("may_be_negative", sa.Boolean(), nullable=False),
        sa.Column("balance", BIGINT, nullable=False),
        sa.CheckConstraint(
            "typeof(balance) IN ('integer', 'null')", name=op.f("ck_account_whole_numbers")
        ).ddl_if(dialect="sqlite"),
        sa.CheckConstraint("balance >= 0 OR may_be_negative", name=op.f("ck_account_balance_not_negative")),
        sa.ForeignKeyConstraint(["contract_id"], ["contract.id"], name=op.f("fk_account_contract_id")),
        sa.ForeignKeyConstraint(["trader_id"], ["trader.id"], name=op.f("fk_account_trader_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
        sa.UniqueConstraint("name", name=op.f("uq_account_name")),
    )
    with op.batch_alter_table("account", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_account_contract_id"), ["contract_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_account_trader_id"), ["trader_id"], unique=False)

    op.create_table(
        "entry",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("contract_id", BIGINT, nullable=True),
        sa.Column("order_id", BIGINT, nullable=True),
        sa.Column("corrects_id", BIGINT, nullable=True),
        sa.Column("memo", sa.String(400), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "kind IN ('grant', 'subsidy', 'open', 'trade', 'settle', 'correct')",
            name=op.f("ck_entry_kind_is_known"),
        ),
        sa.ForeignKeyConstraint(["contract_id"], ["contract.id"], name=op.f("fk_entry_contract_id")),
        sa.ForeignKeyConstraint(["corrects_id"], ["entry.id"], name=op.f("fk_entry_corrects_id")),
        sa.ForeignKeyConstraint(["order_id"], ["orders.id"], name=op.f("fk_entry_order_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entry")),
        sa.UniqueConstraint("corrects_id", name=op.f("uq_entry_corrects_id")),
        sa.UniqueConstraint("order_id", name=op.f("uq_entry_order_id")),
    )
    with op.batch_alter_table("entry", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_entry_contract_id"), ["contract_id"], unique=False)

    op.create_table(
        "fill",
        sa.Column("order_id", BIGINT, nullable=False),
        sa.Column("contract_id", BIGINT, nullable=False),
        sa.Column("share_count", BIGINT, nullable=False),
        sa.Column("cost_units", BIGINT, nullable=False),
        sa.Column("fee_units", BIGINT, nullable=False),
        sa.Column("version_before", BIGINT, nullable=False),
        sa.Column("version_after", BIGINT, nullable=False),
        sa.Column("price_before_units", BIGINT, nullable=False),
        sa.Column("price_after_units", BIGINT, nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "share_count > 0 AND fee_units > 0 AND version_after = version_before + 1",
            name=op.f("ck_fill_a_trade"),
        ),
        sa.ForeignKeyConstraint(["contract_id"], ["contract.id"], name=op.f("fk_fill_contract_id")),
        sa.ForeignKeyConstraint(["order_id"], ["orders.id"], name=op.f("fk_fill_order_id")),
        sa.PrimaryKeyConstraint("order_id", name=op.f("pk_fill")),
        sa.UniqueConstraint("contract_id", "version_after", name=op.f("uq_fill_contract_id_version_after")),
    )
    op.create_table(
        "posting",
        sa.Column("entry_id", BIGINT, nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("account_id", BIGINT, nullable=False),
        sa.Column("amount", BIGINT, nullable=False),
        sa.CheckConstraint(
            "typeof(amount) IN ('integer', 'null')", name=op.f("ck_posting_whole_numbers")
        ).ddl_if(dialect="sqlite"),
        sa.CheckConstraint("amount <> 0", name=op.f("ck_posting_amount_not_zero")),
        sa.CheckConstraint(
            "amount > -4611686018427387904 AND amount < 4611686018427387904",
            name=op.f("ck_posting_amount_in_range"),
        ),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_posting_account_id")),
        sa.ForeignKeyConstraint(["entry_id"], ["entry.id"], name=op.f("fk_posting_entry_id")),
        sa.PrimaryKeyConstraint("entry_id", "line", name=op.f("pk_posting")),
    )
    with op.batch_alter_table("posting", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_posting_account_id"), ["account_id"], unique=False)

    op.create_table(
        "settlement_statement",
        sa.Column("contract_id", BIGINT, nullable=False),
        sa.Column("entry_id", BIGINT, nullable=True),
        sa.Column("counted", BIGINT, nullable=False),
        sa.Column("papers", sa.JSON(), nullable=False),
        sa.Column("papers_hash", sa.String(64), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("counted >= 0", name=op.f("ck_settlement_statement_counted_not_negative")),
        sa.ForeignKeyConstraint(
            ["contract_id"], ["contract.id"], name=op.f("fk_settlement_statement_contract_id")
        ),
        sa.ForeignKeyConstraint(["entry_id"], ["entry.id"], name=op.f("fk_settlement_statement_entry_id")),
        sa.PrimaryKeyConstraint("contract_id", name=op.f("pk_settlement_statement")),
        sa.UniqueConstraint("entry_id", name=op.f("uq_settlement_statement_entry_id")),
    )


def downgrade() -> None:
    op.drop_table("settlement_statement")
    with op.batch_alter_table("posting", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_posting_account_id"))

    op.drop_table("posting")
    op.drop_table("fill")
    with op.batch_alter_table("entry", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_entry_contract_id"))

    op.drop_table("entry")
    with op.batch_alter_table("account", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_account_trader_id"))
        batch_op.drop_index(batch_op.f("ix_account_contract_id"))

    op.drop_table("account")
    with op.batch_alter_table("mention", schema=None) as batch_op:
        batch_op.drop_index("ix_mention_term_version_id_paper_id")

    op.drop_table("mention")
    with op.batch_alter_table("contract", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_contract_term_id"))

    op.drop_table("contract")
    with op.batch_alter_table("watch_event", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_watch_event_trader_id"))

    op.drop_table("watch_event")
    with op.batch_alter_table("watch", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_watch_board",
            sqlite_where=sa.text("term_id IS NULL"),
            postgresql_where=sa.text("term_id IS NULL"),
        )
        batch_op.drop_index("ix_watch_board_id_term_id")

    op.drop_table("watch")
    op.drop_table("term_version")
    op.drop_table("orders")
    op.drop_table("listing")
    with op.batch_alter_table("board_paper", schema=None) as batch_op:
        batch_op.drop_index("ix_board_paper_board_id_day")

    op.drop_table("board_paper")
    op.drop_table("board_day")
    with op.batch_alter_table("activity", schema=None) as batch_op:
        batch_op.drop_index("ix_activity_board_id_day")

    op.drop_table("activity")
    op.drop_table("trader")
    op.drop_table("term")
    with op.batch_alter_table("paper", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_paper_first_day"))

    op.drop_table("paper")
    op.drop_table("board")
