"""The terms of boards with what was decided about them, for an operator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from market.tables import Activity, Board, Listing
from nlp.tables import Term

MERGED = "merged"
_INTO = aliased(Term)


@dataclass(frozen=True, slots=True)
class ListedTerm:
    """A term on a board. ``status`` is "listed", "delisted" or "merged"; ``into`` is the address of the term
    that it is part of then, else ""; ``paper_count`` is of all the board's papers."""

    board: str
    slug: str
    label: str
    status: str
    into: str
    paper_count: int
    listed_on: date
    reason: str


def terms_of_boards(session: Session, boards: Sequence[Board]) -> tuple[ListedTerm, ...]:
    """Every term that one of the boards lists or once listed, by board and label. One query."""
    carried = (
        sa.select(
            col(Activity.board_id), col(Activity.term_id), sa.func.sum(Activity.paper_count).label("papers")
        )
        .group_by(col(Activity.board_id), col(Activity.term_id))
        .subquery()
    )
    rows = session.execute(
        sa.select(
            col(Board.code), col(Term.slug), col(Term.label), col(Listing.status),
            col(_INTO.slug).label("into"), carried.c.papers, col(Listing.listed_on), col(Listing.reason),
        )
        .select_from(Listing)
        .join(Board, col(Board.id) == Listing.board_id)
        .join(Term, col(Term.id) == Listing.term_id)
        .outerjoin(_INTO, col(_INTO.id) == Term.merged_into_id)
        .outerjoin(
            carried,
            sa.and_(carried.c.board_id == Listing.board_id, carried.c.term_id == Listing.term_id),
        )
        .where(col(Listing.board_id).in_([board.id for board in boards]))
        .order_by(col(Board.position), sa.func.lower(Term.label), col(Term.id))
    )  # fmt: skip
    return tuple(
        ListedTerm(
            row.code, row.slug, row.label, MERGED if row.into else row.status, row.into or "",
            int(row.papers or 0), row.listed_on, row.reason,
        )
        for row in rows
    )  # fmt: skip
