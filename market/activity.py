"""What each term did on each day of a board, counted from the stored mentions.

Counting is by paper: a paper stands on one day of a board and counts once for each term it carries, however
often it names it. Counts are always made anew from the mentions, for whole days, so counting twice changes
nothing and a day counted now equals the same day in a `rebuild`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from market.boards import today_of
from market.errors import DayNotReady
from market.inserts import insert_new
from market.tables import Activity, Board, BoardDay, BoardPaper
from nlp.tables import StoredMention, TermVersion

DAYS_AT_ONCE = 200  # far below the least number of parameters that a database takes


@dataclass(frozen=True, slots=True)
class ClosedDay:
    """A board's day whose counts were declared complete; ``was_closed`` when that had been done before."""

    board: str
    day: date
    paper_count: int
    term_count: int
    closed_at: datetime
    was_closed: bool


def count_days(session: Session, board_id: int, days: Iterable[date]) -> None:
    """Count the papers and the mentions of every term on these days of the board anew.

    A day that was closed keeps its moment of closing: late papers correct the activity, never a settlement.
    """
    in_order = sorted(set(days))
    for start in range(0, len(in_order), DAYS_AT_ONCE):
        group = in_order[start : start + DAYS_AT_ONCE]
        _count_papers(session, board_id, group)
        _count_terms(session, board_id, group)


def rebuild(session: Session, board_id: int) -> None:
    """Count all days of the board anew; gives the rows that counting day by day gave."""
    session.execute(sa.delete(Activity).where(col(Activity.board_id) == board_id))
    known = sa.union(
        sa.select(col(BoardPaper.day)).where(col(BoardPaper.board_id) == board_id),
        sa.select(col(BoardDay.day)).where(col(BoardDay.board_id) == board_id),
    )
    count_days(session, board_id, session.execute(known).scalars())


def close_day(session: Session, board: Board, day: date, now: datetime) -> ClosedDay:
    """Declare the counts of a board's day complete; a second call returns the same and changes nothing.

    Raises `DayNotReady` for a day that has not come yet and for a day that lists no papers: an ingest that
    brought nothing, or papers of earlier days only, must not freeze a day. Several callers at once close it
    once.
    """
    if day > today_of(board, now):
        raise DayNotReady(f"{_in_words(day)} has not come yet on {board.code}; close it when it has.")
    row = session.exec(
        select(BoardDay)
        .where(BoardDay.board_id == board.id, BoardDay.day == day)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).one_or_none()
    if row is None or row.paper_count == 0:
        raise DayNotReady(
            f"{board.code} lists no papers on {_in_words(day)}, so there is nothing to close. If papers were "
            f"announced that day, read them in first (peer-revenue ingest FILE); a day without papers is not "
            f"closed."
        )
    was_closed = row.closed_at is not None
    closed_at = row.closed_at or now
    row.closed_at = closed_at
    session.add(row)
    session.flush()
    term_count = session.execute(
        sa.select(sa.func.count()).where(col(Activity.board_id) == board.id, col(Activity.day) == day)
    ).scalar_one()
    return ClosedDay(board.code, day, row.paper_count, term_count, closed_at, was_closed)


def _count_papers(session: Session, board_id: int, days: list[date]) -> None:
    on_day = (col(BoardPaper.board_id) == board_id, col(BoardPaper.day).in_(days))
    listed = session.execute(sa.select(col(BoardPaper.day)).where(*on_day).distinct()).scalars()
    rows = [{"board_id": board_id, "day": day, "paper_count": 0} for day in listed]
    insert_new(session, BoardDay, rows)
    of_day = sa.select(sa.func.count()).where(
        col(BoardPaper.board_id) == BoardDay.board_id, col(BoardPaper.day) == BoardDay.day
    )
    session.execute(
        sa.update(BoardDay)
        .where(col(BoardDay.board_id) == board_id, col(BoardDay.day).in_(days))
        .values(paper_count=of_day.scalar_subquery())
    )


def _count_terms(session: Session, board_id: int, days: list[date]) -> None:
    session.execute(
        sa.delete(Activity).where(col(Activity.board_id) == board_id, col(Activity.day).in_(days))
    )
    version = col(TermVersion.version)
    paper_and_term = (col(StoredMention.paper_id), col(TermVersion.term_id))
    # A paper may be highlighted with an older version too, for a contract that is bound to it.
    found = (
        sa.select(
            col(BoardPaper.day), *paper_and_term, version,
            sa.func.max(version).over(partition_by=paper_and_term).label("newest"),
        )
        .join(StoredMention, col(StoredMention.paper_id) == BoardPaper.paper_id)
        .join(TermVersion, col(TermVersion.id) == StoredMention.term_version_id)
        .where(col(BoardPaper.board_id) == board_id, col(BoardPaper.day).in_(days))
        .subquery()
    )  # fmt: skip
    counted = (
        sa.select(
            sa.literal(board_id), found.c.term_id, found.c.day,
            sa.func.count(sa.distinct(found.c.paper_id)), sa.func.count(),
        )
        .where(found.c.version == found.c.newest)
        .group_by(found.c.term_id, found.c.day)
    )  # fmt: skip
    columns = ["board_id", "term_id", "day", "paper_count", "mention_count"]
    session.execute(sa.insert(Activity).from_select(columns, counted))


def _in_words(day: date) -> str:
    return f"{day:%A} {day.day} {day:%B %Y}"
