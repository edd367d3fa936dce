"""Activity as it was known at any moment, and what was rising

Days that were counted before have one count, of the moment at which they were closed, else at which the last
of their papers was taken in.

Revision: 0006, after 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

BIGINT = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
APPEND_ONLY = ("past_activity", "day_count", "ranking", "ranking_row")
FIRST_COUNTS = """
INSERT INTO day_count (board_id, day, number, paper_count, recorded_at)
SELECT board_id, day, 1, paper_count, counted_at
FROM (
    SELECT board_day.board_id, board_day.day, board_day.paper_count, COALESCE(
        board_day.closed_at,
        (SELECT MAX(paper.taken_in_at) FROM board_paper JOIN paper ON paper.id = board_paper.paper_id
         WHERE board_paper.board_id = board_day.board_id AND board_paper.day = board_day.day)
    ) AS counted_at
    FROM board_day
) AS counted
WHERE counted_at IS NOT NULL
ORDER BY board_id, counted_at, day
"""


def upgrade() -> None:
    op.add_column("activity", sa.Column("since", BIGINT, server_default="1", nullable=False))
    op.create_table(
        "past_activity",
        sa.Column("board_id", BIGINT, nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("term_id", BIGINT, nullable=False),
        sa.Column("until", BIGINT, nullable=False),
        sa.Column("since", BIGINT, nullable=False),
        sa.Column("paper_count", BIGINT, nullable=False),
        sa.Column("mention_count", BIGINT, nullable=False),
        sa.CheckConstraint(
            "typeof(paper_count) IN ('integer', 'null') AND typeof(mention_count) IN ('integer', 'null')",
            name=op.f("ck_past_activity_whole_numbers"),
        ).ddl_if(dialect="sqlite"),
        sa.CheckConstraint(
            "paper_count > 0 AND mention_count >= paper_count", name=op.f("ck_past_activity_counts_fit")
        ),
        sa.CheckConstraint("since < until", name=op.f("ck_past_activity_since_before_until")),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_past_activity_board_id")),
        sa.ForeignKeyConstraint(["term_id"], ["term.id"], name=op.f("fk_past_activity_term_id")),
        sa.PrimaryKeyConstraint("board_id", "day", "term_id", "until", name=op.f("pk_past_activity")),
    )
    op.create_table(
        "day_count",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("board_id", BIGINT, nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("number", BIGINT, nullable=False),
        sa.Column("paper_count", BIGINT, nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("paper_count >= 0 AND number >= 1", name=op.f("ck_day_count_counts_fit")),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_day_count_board_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_day_count")),
        sa.UniqueConstraint("board_id", "day", "number", name=op.f("uq_day_count_board_id_day_number")),
    )
    op.create_index("ix_day_count_board_id_id", "day_count", ["board_id", "id"])
    op.create_table(
        "ranking",
        sa.Column("id", BIGINT, nullable=False),
        sa.Column("board_id", BIGINT, nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("window_days", sa.Integer(), nullable=False),
        sa.Column("counted_to", BIGINT, nullable=False),
        sa.Column("method", sa.Integer(), nullable=False),
        sa.Column("exposure", BIGINT, nullable=False),
        sa.Column("base_exposure", BIGINT, nullable=False),
        sa.Column("checked_count", BIGINT, nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "exposure >= 0 AND base_exposure >= 0 AND checked_count >= 0",
            name=op.f("ck_ranking_not_negative"),
        ),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_ranking_board_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ranking")),
        sa.UniqueConstraint(
            "board_id", "day", "window_days", "counted_to", "method", name=op.f("uq_ranking_board_id_day_window_days_counted_to_method")
        ),
    )
    op.create_table(
        "ranking_row",
        sa.Column("ranking_id", BIGINT, nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("rank_before", sa.Integer(), nullable=True),
        sa.Column("term_id", BIGINT, nullable=False),
        sa.Column("papers", BIGINT, nullable=False),
        sa.Column("base_papers", BIGINT, nullable=False),
        sa.Column("ratio", sa.Double(), nullable=False),
        sa.Column("low", sa.Double(), nullable=False),
        sa.Column("high", sa.Double(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("q_value", sa.Double(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('rising', 'falling', 'new', 'most')", name=op.f("ck_ranking_row_kind_is_known")
        ),
        sa.CheckConstraint(
            "rank >= 1 AND rank_before >= 1", name=op.f("ck_ranking_row_ranks_begin_at_one")
        ),
        sa.ForeignKeyConstraint(["ranking_id"], ["ranking.id"], name=op.f("fk_ranking_row_ranking_id")),
        sa.ForeignKeyConstraint(["term_id"], ["term.id"], name=op.f("fk_ranking_row_term_id")),
        sa.PrimaryKeyConstraint("ranking_id", "kind", "rank", name=op.f("pk_ranking_row")),
    )
    op.execute(FIRST_COUNTS)
    _refuse_changes()


def downgrade() -> None:
    for table in reversed(APPEND_ONLY):
        op.drop_table(table)
    with op.batch_alter_table("activity", schema=None) as batch_op:
        batch_op.drop_column("since")


def _refuse_changes() -> None:
    if op.get_bind().dialect.name == "sqlite":
        for table in APPEND_ONLY:
            for change in ("UPDATE", "DELETE"):
                op.execute(
                    f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                    f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
                )
        return
    for table in APPEND_ONLY:
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
