"""Which terms stand in the same papers as a term more often than chance would have it.

Measured by normalised pointwise mutual information over the papers of a board since a day, the one on which
the newest so many papers with the term begin: what went together years ago says little of today, and the cost
stays the same however old the board is. Papers are counted as everywhere: abstracts, once, not the withdrawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.known import activity_known, days_known
from market.listing import LISTED
from market.mentioned import MANY, mentioned
from market.tables import Activity, Board, BoardPaper, Listing
from nlp.tables import Paper, StoredMention, Term, TermVersion

NEWEST_PAPERS = 500  # with the term; whole days, so a few more
LEAST_TOGETHER = 3  # papers that both terms are in
LEAST_PART = 0.02  # and of the papers with the term
TERMS_SHOWN = 12


@dataclass(frozen=True, slots=True)
class RelatedTerm:
    """A term in ``together`` of the papers with the term asked for, and in ``papers`` of all that were looked
    at. ``npmi`` is above 0 (chance) and at most 1 (never one without the other)."""

    term_id: int
    slug: str
    label: str
    together: int
    papers: int
    npmi: float


@dataclass(frozen=True, slots=True)
class Related:
    """Related terms, the closest first. Looked at were the ``listed`` papers of the board since ``since``,
    ``papers`` of them with the term; ``is_whole`` when that is all there are with it."""

    since: date
    listed: int
    papers: int
    is_whole: bool
    terms: tuple[RelatedTerm, ...]


def npmi(together: int, one: int, other: int, listed: int) -> float:
    """Normalised pointwise mutual information of two terms in ``one`` and ``other`` of the papers ``listed``,
    ``together`` (>= 1) of them with both: -1 for never together, 0 by chance, 1 for always (Bouma 2009).

    Where both are in every paper there is nothing to tell, and it is 0.
    """
    if together == listed:
        return 0.0
    return math.log(together * listed / (one * other)) / math.log(listed / together)


def related_terms(
    session: Session, board: Board, term_id: int, *, known_at: datetime | None = None
) -> Related | None:
    """The terms related to a term; None where no paper of the board carries it. Three queries.

    With ``known_at`` only the days known at that moment are looked at, as they are now.
    """
    days = _days_with(session, board, term_id, known_at)
    if not days:
        return None
    since, papers = _newest(days)
    known = days_known(board.id, known_at, first=since)
    listed, last = session.execute(
        sa.select(sa.func.sum(known.c.paper_count), sa.func.max(known.c.day))
    ).one()
    total = sum(row.paper_count for row in days)
    least = max(LEAST_TOGETHER, math.ceil(LEAST_PART * papers))
    found = [
        RelatedTerm(
            row.term_id, row.slug, row.label, row.together, int(row.papers),
            npmi(row.together, max(papers, row.together), max(int(row.papers), row.together), int(listed)),
        )
        for row in session.execute(_together(board, term_id, since, last, least, over_days=total > MANY))
    ]  # fmt: skip
    closest = sorted((term for term in found if term.npmi > 0), key=lambda term: (-term.npmi, term.label))
    return Related(since, int(listed), papers, papers == total, tuple(closest[:TERMS_SHOWN]))


def _days_with(session: Session, board: Board, term_id: int, known_at: datetime | None) -> Sequence[Any]:
    """The days with papers that carry the term, newest first."""
    activity = activity_known(board.id, known_at)
    return session.execute(
        sa.select(activity.c.day, activity.c.paper_count)
        .where(activity.c.term_id == term_id)
        .order_by(activity.c.day.desc())
    ).all()


def _newest(days: Sequence[Any]) -> tuple[date, int]:
    """The first of the newest days that have enough papers together, and how many they have."""
    papers = 0
    for row in days:
        papers += row.paper_count
        if papers >= NEWEST_PAPERS:
            break
    return row.day, papers


def _together(
    board: Board, term_id: int, since: date, last: date, least: int, *, over_days: bool
) -> sa.Select[*tuple[Any, ...]]:
    """Every other listed term in at least so many of the papers with the term, and its papers in all."""
    found = mentioned(board, [term_id], since, last, over_days=over_days)
    carrying = (
        sa.select(found.c.paper_id)
        .join(BoardPaper, col(BoardPaper.paper_id) == found.c.paper_id)
        .join(Paper, col(Paper.id) == found.c.paper_id)
        .where(
            col(BoardPaper.board_id) == board.id, col(BoardPaper.day).between(since, last),
            col(Paper.withdrawn_at).is_(None),
        )
        .cte("carrying")
        .prefix_with("MATERIALIZED")
    )  # fmt: skip
    together = sa.func.count(sa.distinct(col(StoredMention.paper_id)))
    pairs = (
        sa.select(col(TermVersion.term_id), together.label("together"))
        .select_from(carrying)
        .join(StoredMention, col(StoredMention.paper_id) == carrying.c.paper_id)
        .join(TermVersion, col(TermVersion.id) == StoredMention.term_version_id)
        .where(col(TermVersion.term_id) != term_id, col(TermVersion.is_counted))
        .group_by(col(TermVersion.term_id))
        .having(together >= least)
        .cte("pairs")
        .prefix_with("MATERIALIZED")
    )
    papers = (
        sa.select(sa.func.coalesce(sa.func.sum(Activity.paper_count), 0))
        .where(
            col(Activity.board_id) == board.id, col(Activity.term_id) == pairs.c.term_id,
            col(Activity.day).between(since, last),
        )
        .scalar_subquery()
    )  # fmt: skip
    return (
        sa.select(pairs.c.term_id, col(Term.slug), col(Term.label), pairs.c.together, papers.label("papers"))
        .join(Term, col(Term.id) == pairs.c.term_id)
        .join(
            Listing,
            sa.and_(col(Listing.board_id) == board.id, col(Listing.term_id) == pairs.c.term_id),
        )
        .where(col(Listing.status) == LISTED)
    )
