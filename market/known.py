"""Activity and papers listed as they were known at a moment: what a statement selects from.

Without a moment it is what is stored now. What is known of a day at a moment is what the last of its counts
until then found; a day that was first counted later is not known at all.
"""

from __future__ import annotations

from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped
from sqlmodel import col

from market.tables import Activity, BoardDay, DayCount, PastActivity

FIRST, LAST = date.min, date.max


def activity_known(
    board_id: int | None, known_at: datetime | None = None, *, first: date = FIRST, last: date = LAST
) -> sa.Subquery:
    """The activity of the board on the days from ``first`` to ``last``: `term_id`, `day`, `paper_count`,
    `mention_count`, one row a term and day that has any."""
    now = sa.select(*_columns(Activity)).where(*_on_days(Activity, board_id, first, last))
    if known_at is None:
        return now.subquery("activity_known")
    count = _counts(board_id, known_at, first, last)
    still = now.join(count, count.c.day == Activity.day).where(col(Activity.since) <= count.c.number)
    before = (
        sa.select(*_columns(PastActivity))
        .join(count, count.c.day == PastActivity.day)
        .where(
            *_on_days(PastActivity, board_id, first, last),
            col(PastActivity.since) <= count.c.number,
            col(PastActivity.until) > count.c.number,
        )
    )
    return sa.union_all(still, before).subquery("activity_known")


def days_known(
    board_id: int | None, known_at: datetime | None = None, *, first: date = FIRST, last: date = LAST
) -> sa.Subquery:
    """The days of the board from ``first`` to ``last``: `day`, `paper_count`, which may be 0, and
    `closed_at`, None while open."""
    on_days = _on_days(BoardDay, board_id, first, last)
    if known_at is None:
        columns = (col(BoardDay.day), col(BoardDay.paper_count), col(BoardDay.closed_at))
        return sa.select(*columns).where(*on_days).subquery("days_known")
    count = _counts(board_id, known_at, first, last)
    closed_at = sa.case((col(BoardDay.closed_at) <= known_at, col(BoardDay.closed_at)))
    return (
        sa.select(col(DayCount.day), col(DayCount.paper_count), closed_at.label("closed_at"))
        .join(count, sa.and_(count.c.day == DayCount.day, count.c.number == DayCount.number))
        .join(
            BoardDay,
            sa.and_(col(BoardDay.board_id) == DayCount.board_id, col(BoardDay.day) == DayCount.day),
        )
        .where(col(DayCount.board_id) == board_id)
        .subquery("days_known")
    )


def _counts(board_id: int | None, known_at: datetime, first: date, last: date) -> sa.Subquery:
    """The number of the last count of each day until the moment."""
    return (
        sa.select(col(DayCount.day), sa.func.max(DayCount.number).label("number"))
        .where(*_on_days(DayCount, board_id, first, last), col(DayCount.recorded_at) <= known_at)
        .group_by(col(DayCount.day))
        .subquery("count_known")
    )


def _columns(
    table: type[Activity] | type[PastActivity],
) -> tuple[Mapped[int], Mapped[date], Mapped[int], Mapped[int]]:
    return col(table.term_id), col(table.day), col(table.paper_count), col(table.mention_count)


def _on_days(
    table: type[Activity] | type[PastActivity] | type[BoardDay] | type[DayCount],
    board_id: int | None,
    first: date,
    last: date,
) -> tuple[sa.ColumnElement[bool], ...]:
    bounds = []
    if first > FIRST:
        bounds.append(col(table.day) >= first)
    if last < LAST:
        bounds.append(col(table.day) <= last)
    return (col(table.board_id) == board_id, *bounds)
