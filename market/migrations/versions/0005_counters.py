"""Decayed counts that forecasts are made from

Revision: 0005, after 0004
"""

from __future__ import annotations

from collections import defaultdict
from datetime import date
from fractions import Fraction
from itertools import groupby

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

BIGINT = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
DECAYS = (Fraction(98, 100), Fraction(80, 100))
AT_ONCE = 5000


def upgrade() -> None:
    counter = op.create_table(
        "term_counter",
        sa.Column("board_id", BIGINT, nullable=False),
        sa.Column("term_id", BIGINT, nullable=False),
        sa.Column("long_sum", sa.Text(), nullable=False),
        sa.Column("middle_sum", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_term_counter_board_id")),
        sa.ForeignKeyConstraint(["term_id"], ["term.id"], name=op.f("fk_term_counter_term_id")),
        sa.PrimaryKeyConstraint("board_id", "term_id", name=op.f("pk_term_counter")),
    )
    rows = list(_counters(op.get_bind()))
    for start in range(0, len(rows), AT_ONCE):
        op.bulk_insert(counter, rows[start : start + AT_ONCE])


def downgrade() -> None:
    op.drop_table("term_counter")


def _counters(connection):
    """A row for each term of each board, from the activity as it is."""
    board = sa.table("board", sa.column("id"), sa.column("period"))
    activity = sa.table(
        "activity",
        sa.column("board_id"),
        sa.column("term_id"),
        sa.column("day", sa.Date()),
        sa.column("paper_count"),
    )
    days = connection.execute(
        sa.select(activity.c.board_id, activity.c.term_id, activity.c.day, activity.c.paper_count, board.c.period)
        .join(board, board.c.id == activity.c.board_id)
        .order_by(activity.c.board_id, activity.c.term_id)
    )
    for (board_id, term_id), of_term in groupby(days, key=lambda row: (row.board_id, row.term_id)):
        papers = defaultdict(int)
        for row in of_term:
            papers[_number(row.period, row.day)] += row.paper_count
        long, middle = (sum(count * _weight(decay, at) for at, count in papers.items()) for decay in DECAYS)
        if (long, middle) != (0, 0):
            yield {"board_id": board_id, "term_id": term_id, "long_sum": str(long), "middle_sum": str(middle)}


def _number(kind, day):
    if kind == "month":
        return (day.year - 1990) * 12 + day.month - 1
    return (day - date(1990, 1, 1)).days // 7


def _weight(decay, number):
    grown = Fraction(decay.denominator, decay.numerator) ** number
    return (grown.numerator << 64) // grown.denominator
