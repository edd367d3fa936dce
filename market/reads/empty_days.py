"""Why a day of a board lists nothing, as far as anybody knows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

import sqlalchemy as sa
from sqlmodel import Session, col

from market.boards import SUBMITTED, date_on
from market.tables import Board, Fetch
from nlp.arxiv_calendar import SATURDAY, is_listing_day
from nlp.arxiv_categories import is_arxiv_category


class Rest(StrEnum):
    """Why arXiv announces nothing on a day."""

    WEEKEND = "weekend"
    HOLIDAY = "holiday"


@dataclass(frozen=True, slots=True)
class EmptyDay:
    """What is known of a day without papers.

    ``rest`` says why nothing could be announced, None where something could. ``failed_at`` and ``error`` are
    of the fetch that should have brought the day's papers, None and "" where none failed; ``fetched_at`` is
    when the board's papers were last fetched, None for never.
    """

    rest: Rest | None
    failed_at: datetime | None
    error: str
    fetched_at: datetime | None


def empty_day(session: Session, board: Board, day: date, around: Iterable[date | None] = ()) -> EmptyDay:
    """Why the board lists nothing on ``day``; ``around`` are the listed days next to it, where there are any.

    arXiv's days of rest are the board's own unless one of those is such a day. At most one query.
    """
    rest = None if any(_rest(board, each) for each in around if each) else _rest(board, day)
    if rest is not None:
        return EmptyDay(rest, None, "", None)
    fetches = session.execute(
        sa.select(col(Fetch.succeeded_at), col(Fetch.failed_at), col(Fetch.error)).where(
            col(Fetch.board_id) == board.id
        )
    ).all()
    fetched_at = max((row.succeeded_at for row in fetches if row.succeeded_at), default=None)
    failures = [
        (row.failed_at, row.error)
        for row in fetches
        if row.failed_at and (fetched_at is None or row.failed_at > fetched_at)
    ]
    # What was fetched after the day has its papers, if there are any, whatever failed later.
    is_covered = fetched_at is not None and date_on(board, fetched_at) > day
    failed_at, error = max(failures) if failures and not is_covered else (None, "")
    return EmptyDay(None, failed_at, error, fetched_at)


def _rest(board: Board, day: date) -> Rest | None:
    if board.day_rule == SUBMITTED or not is_arxiv_category(board.code) or is_listing_day(day):
        return None
    return Rest.WEEKEND if day.weekday() >= SATURDAY else Rest.HOLIDAY
