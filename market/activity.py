"""What each term did on each day of a board, counted from the stored mentions and kept as it was known.

Whole days are counted, always anew, so counting twice changes nothing and a day counted now equals the same
day in a `rebuild`. What a count finds changed is written, and what it changes is not lost: the present is one
row a term and day, and what was known before lies in the days' counts and the past activity (see `known.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import date, datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from market import counters
from market.boards import today_of
from market.errors import DayNotReady
from market.recount import Recount, hold
from market.tables import Activity, Board, BoardDay, BoardPaper
from market.trends import keep_rankings

DAYS_AT_ONCE = 20  # what is read of them is held in memory


@dataclass(frozen=True, slots=True)
class ClosedDay:
    """A board's day whose counts were declared complete; ``was_closed`` when that had been done before."""

    board: str
    day: date
    paper_count: int
    term_count: int
    closed_at: datetime
    was_closed: bool


def count_days(
    session: Session,
    board_id: int,
    days: Iterable[date],
    now: datetime,
    *,
    term_ids: Collection[int] | None = None,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Count the papers and the mentions of every term, or of ``term_ids``, on these days of the board anew.

    What has changed is known from ``now`` on. A day that was closed keeps its moment of closing: late papers
    correct the activity, never a settlement. Two counts of a board follow each other. ``progress`` is called
    with the number of days counted so far.
    """
    in_order = sorted(set(days))
    hold(session, board_id)
    for start in range(0, len(in_order), DAYS_AT_ONCE):
        some = in_order[start : start + DAYS_AT_ONCE]
        Recount(session, board_id, some, term_ids).record(now)
        if progress is not None:
            progress(start + len(some))


def rebuild(session: Session, board_id: int, now: datetime) -> None:
    """Count all days of the board anew; changes nothing unless the activity was not that of the mentions."""
    known = sa.union(
        *(sa.select(col(table.day)).where(col(table.board_id) == board_id)
          for table in (BoardPaper, BoardDay, Activity))
    )  # fmt: skip
    count_days(session, board_id, session.execute(known).scalars(), now)
    counters.rebuild(session, board_id)


def close_day(session: Session, board: Board, day: date, now: datetime) -> ClosedDay:
    """Declare the counts of a board's day complete, and keep what was rising on it.

    A second call returns the same; it keeps another ranking only where late papers have changed the counts.
    Raises `DayNotReady` for a day that has not come yet and for a day that lists no papers: an ingest that
    brought nothing, or papers of earlier days only, must not freeze a day. Several callers at once close it
    once.
    """
    if day > today_of(board, now):
        raise DayNotReady(f"{_in_words(day)} has not come yet on {board.code}; close it when it has.")
    hold(session, board.id)
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
    keep_rankings(session, board, now, day)
    term_count = session.execute(
        sa.select(sa.func.count()).where(col(Activity.board_id) == board.id, col(Activity.day) == day)
    ).scalar_one()
    return ClosedDay(board.code, day, row.paper_count, term_count, closed_at, was_closed)


def _in_words(day: date) -> str:
    return f"{day:%A} {day.day} {day:%B %Y}"
