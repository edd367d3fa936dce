"""What trends are counted from: a board's listing days, and the papers of each term in a window and its base.

Everything is read over an index of the board's days, so the cost is that of the window and its base, however
long the board's history is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

import numpy as np
import sqlalchemy as sa
from sqlmodel import Session, col

from market.known import activity_known, days_known
from market.listing import LISTED
from market.scores import Counts
from market.tables import Board, Listing
from market.trend_lists import TermCounts
from market.trend_rows import Span
from nlp.tables import Term

_TERMS_AT_ONCE = 5000  # far below what a statement takes


@dataclass(frozen=True, slots=True)
class ListingDays:
    """The day that a window ends with, the listing day before that day, and the days still open."""

    last: date
    previous: date | None
    open_days: tuple[date, ...]


def newest_listing_day(session: Session, board: Board, until: date) -> date | None:
    """The last day until then that lists papers."""
    days = days_known(board.id, last=until)
    newest = sa.select(sa.func.max(days.c.day)).where(days.c.paper_count > 0)
    found: date | None = session.execute(newest).scalar_one()
    return found


def listing_days(
    session: Session, board: Board, day: date, window: int, known_at: datetime | None
) -> ListingDays:
    """A window of so many days to ``day`` ends with its last day that lists papers: weekends and holidays
    after it are no signal. One without any ends with ``day``. One query."""
    known = days_known(board.id, known_at, last=day)
    newest = session.execute(
        sa.select(known.c.day, known.c.closed_at)
        .where(known.c.paper_count > 0)
        .order_by(known.c.day.desc())
        .limit(window + 1)
    ).all()
    if not newest or newest[0].day < Span(day, window).first:
        return ListingDays(day, newest[0].day if newest else None, ())
    last = newest[0].day
    first = Span(last, window).first
    still_open = tuple(row.day for row in reversed(newest) if row.closed_at is None and row.day >= first)
    return ListingDays(last, newest[1].day if len(newest) > 1 else None, still_open)


def counts_of(session: Session, board: Board, span: Span, known_at: datetime | None) -> TermCounts:
    """Papers of every listed term that has any in window or base, and papers listed. Two queries."""
    activity = activity_known(board.id, known_at, first=span.base_first, last=span.last)
    of_term = sa.select(activity.c.term_id, *_sums(span, activity)).group_by(activity.c.term_id).subquery()
    rows = session.execute(
        sa.select(of_term.c.term_id, of_term.c.papers, of_term.c.base_papers)
        .join(Listing, sa.and_(col(Listing.term_id) == of_term.c.term_id, col(Listing.board_id) == board.id))
        .where(col(Listing.status) == LISTED)
    ).all()
    days = days_known(board.id, known_at, first=span.base_first, last=span.last)
    listed, base_listed = session.execute(sa.select(*_sums(span, days))).one()
    table = np.array([(int(term), int(in_window), int(in_base)) for term, in_window, in_base in rows])
    columns = table.reshape(-1, 3).T
    papers, base_papers = columns[1].astype(np.float64), columns[2].astype(np.float64)
    return TermCounts(columns[0].astype(np.int64), Counts(papers, base_papers, int(listed), int(base_listed)))


def names_of(session: Session, term_ids: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Slug and label of each of these terms."""
    found: dict[int, tuple[str, str]] = {}
    for start in range(0, len(term_ids), _TERMS_AT_ONCE):
        some = term_ids[start : start + _TERMS_AT_ONCE]
        rows = session.execute(
            sa.select(col(Term.id), col(Term.slug), col(Term.label)).where(col(Term.id).in_(some))
        )
        found |= {term_id: (slug, label) for term_id, slug, label in rows}
    return found


def _sums(span: Span, counted: sa.Subquery) -> tuple[sa.Label[int], sa.Label[int]]:
    """Papers in the window, and in the base."""
    in_window, papers = counted.c.day >= span.first, counted.c.paper_count
    return (
        sa.func.coalesce(sa.func.sum(sa.case((in_window, papers), else_=0)), 0).label("papers"),
        sa.func.coalesce(sa.func.sum(sa.case((in_window, 0), else_=papers)), 0).label("base_papers"),
    )
