"""Which terms can be watched and traded on a board, since when, and why.

The rule for the starter lexicon: a term is listed on a board when a paper of the board first carries it.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

import sqlalchemy as sa
from sqlmodel import Session, col, select

from market.errors import UnknownTerm
from market.inserts import insert_new
from market.tables import Activity, Board, Listing
from nlp.tables import Term

LISTED = "listed"
DAYS_AT_ONCE = 200  # far below the least number of parameters that a database takes


def listed_term(session: Session, board: Board, slug: str) -> tuple[Listing, Term]:
    """The term whose address on the board ends in ``slug``, and its listing; raises `UnknownTerm`.

    A delisted term is returned too (``status`` says so), since its open contracts run out.
    """
    statement = (
        select(Listing, Term)
        .join(Term, col(Term.id) == Listing.term_id)
        .where(Listing.board_id == board.id, Term.slug == slug)
    )
    # PostgreSQL cannot even be asked for a text with NUL in it, which an address may hold.
    found = None if "\0" in slug else session.exec(statement).one_or_none()
    if found is None:
        raise UnknownTerm(slug, board.code)
    return found


def check_listed(session: Session, board: Board, term_id: int) -> None:
    """Raise `UnknownTerm` unless the term is listed on the board today."""
    status = session.exec(
        select(Listing.status).where(Listing.board_id == board.id, Listing.term_id == term_id)
    ).one_or_none()
    if status != LISTED:
        label = session.exec(select(Term.label).where(Term.id == term_id)).one_or_none()
        raise UnknownTerm(label or str(term_id), board.code)


def list_carried_terms(session: Session, board_id: int, days: Collection[date]) -> int:
    """List every term that has activity on these days of the board and no listing yet; returns how many.

    The reason names the first day that carries the term and how many papers of that day do. A listing stays
    as it is when an earlier day is read in afterwards.
    """
    in_order = sorted(days)
    return sum(
        _list(session, board_id, in_order[start : start + DAYS_AT_ONCE])
        for start in range(0, len(in_order), DAYS_AT_ONCE)
    )


def _list(session: Session, board_id: int, days: list[date]) -> int:
    first = (
        sa.select(col(Activity.term_id), sa.func.min(Activity.day).label("day"))
        .where(
            col(Activity.board_id) == board_id,
            col(Activity.day).in_(days),
            ~sa.exists().where(col(Listing.board_id) == board_id, col(Listing.term_id) == Activity.term_id),
        )
        .group_by(col(Activity.term_id))
        .subquery()
    )
    carried = session.execute(
        sa.select(col(Activity.term_id), col(Activity.day), col(Activity.paper_count)).join(
            first,
            sa.and_(
                col(Activity.board_id) == board_id,
                first.c.term_id == Activity.term_id,
                first.c.day == Activity.day,
            ),
        )
    ).all()
    rows = [
        {
            "board_id": board_id, "term_id": term, "status": LISTED, "reason": _reason(day, count),
            "listed_on": day,
        }
        for term, day, count in carried
    ]  # fmt: skip
    insert_new(session, Listing, rows)
    return len(rows)


def _reason(day: object, paper_count: int) -> str:
    papers = "1 paper" if paper_count == 1 else f"{paper_count:,} papers"
    return f"in the starter lexicon; first carried on {day} by {papers}"
