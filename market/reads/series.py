"""How many papers carried each of several terms on the last listed days of a board."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from market.known import LAST, activity_known, days_known
from market.tables import Board
from nlp.tables import Term

DAYS = 30


@dataclass(frozen=True, slots=True)
class DailySeries:
    """Days that list papers, oldest first, the papers listed on each, and by slug those with each term."""

    days: tuple[date, ...]
    listed: tuple[int, ...]
    counts: Mapping[str, tuple[int, ...]]


def daily_series(
    session: Session,
    board: Board,
    slugs: Iterable[str],
    *,
    days: int = DAYS,
    last: date = LAST,
    known_at: datetime | None = None,
) -> DailySeries:
    """The last ``days`` listed days until ``last``, as known at ``known_at`` (None: now). Two queries."""
    known = days_known(board.id, known_at, last=last)
    newest_first = session.execute(
        sa.select(known.c.day, known.c.paper_count)
        .where(known.c.paper_count > 0)
        .order_by(known.c.day.desc())
        .limit(days)
    ).all()
    in_order = newest_first[::-1]
    column = {row.day: at for at, row in enumerate(in_order)}
    counts = {slug: [0] * len(column) for slug in slugs}
    if counts and column:
        activity = activity_known(board.id, known_at, first=in_order[0].day, last=in_order[-1].day)
        # Asked for by number: by name, the activity of all terms on these days would be looked through.
        wanted = sa.select(col(Term.id)).where(col(Term.slug).in_(sorted(counts))).correlate(None)
        of_terms = (
            sa.select(col(Term.slug), activity.c.day, activity.c.paper_count)
            .join(activity, activity.c.term_id == Term.id)
            .where(activity.c.term_id.in_(wanted))
        )
        for slug, day, count in session.execute(of_terms):
            counts[slug][column[day]] = count
    by_slug = {slug: tuple(found) for slug, found in counts.items()}
    return DailySeries(tuple(column), tuple(row.paper_count for row in in_order), by_slug)


def daily_counts(session: Session, board: Board, slugs: Iterable[str]) -> Mapping[str, tuple[int, ...]]:
    """Papers with each term on each of the last 30 days that list any, oldest first, by slug. Two queries."""
    return daily_series(session, board, slugs).counts
