"""How many papers carried each of several terms on the last listed days of a board."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa
from sqlmodel import Session, col

from market.tables import Activity, Board, BoardDay
from nlp.tables import Term

DAYS = 30


def daily_counts(session: Session, board: Board, slugs: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """Papers with each term on each of the last 30 days that list any, oldest first, by slug. Two queries."""
    newest_first = session.execute(
        sa.select(col(BoardDay.day))
        .where(col(BoardDay.board_id) == board.id, col(BoardDay.paper_count) > 0)
        .order_by(col(BoardDay.day).desc())
        .limit(DAYS)
    ).scalars()
    column = {day: at for at, day in enumerate(sorted(newest_first))}
    counts = {slug: [0] * len(column) for slug in slugs}
    if not counts or not column:
        return dict.fromkeys(counts, ())
    rows = session.execute(
        sa.select(col(Term.slug), col(Activity.day), col(Activity.paper_count))
        .join(Term, col(Term.id) == Activity.term_id)
        .where(
            col(Activity.board_id) == board.id,
            col(Term.slug).in_(sorted(counts)),
            col(Activity.day) >= min(column),
        )
    )
    for slug, day, count in rows:
        if day in column:
            counts[slug][column[day]] = count
    return {slug: tuple(found) for slug, found in counts.items()}
