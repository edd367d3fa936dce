"""Several terms of a board on one scale: their shares of the papers up to each of its last days."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col

from market.listing import LISTED
from market.reads.series import daily_series
from market.tables import Board, Listing
from nlp.normalize import term_key
from nlp.tables import Term, TermVersion

DAYS_SHOWN = 30  # listed days
SUGGESTED = 3


@dataclass(frozen=True, slots=True)
class NamedTerm:
    """A term that is listed on the board."""

    slug: str
    label: str


@dataclass(frozen=True, slots=True)
class Stretch:
    """The days of a window up to ``day``: papers listed, and those with each term, in the order asked for."""

    day: date
    listed: int
    papers: tuple[int, ...]


def find_term(session: Session, board: Board, name: str) -> NamedTerm | None:
    """The listed term that somebody means who types its address, its label, or one of its forms."""
    if "\0" in name:
        return None
    by_name = sa.or_(col(Term.slug) == name, col(Term.key) == term_key(name))
    by_form = sa.cast(col(TermVersion.forms), sa.Text).ilike(f"%{_escaped(json.dumps(name))}%", escape="\\")
    for which in (by_name, by_form):
        found = _listed(session, board, which, 1)
        if found:
            return found[0]
    return None


def suggested_terms(session: Session, board: Board, name: str) -> tuple[NamedTerm, ...]:
    """Listed terms with such a text in their label, the shortest labels first."""
    if "\0" in name or not name.strip():
        return ()
    pattern = f"%{_escaped(name.strip())}%"
    return _listed(session, board, col(Term.label).ilike(pattern, escape="\\"), SUGGESTED)


def shares_of(
    session: Session,
    board: Board,
    slugs: Sequence[str],
    window: int,
    *,
    last: date,
    known_at: datetime | None = None,
) -> tuple[Stretch, ...]:
    """For each of the last listed days until ``last``, oldest first, the ``window`` calendar days up to it.

    Two queries.
    """
    # No more days list papers than there are days, so these reach back far enough for the first one too.
    found = daily_series(session, board, slugs, days=DAYS_SHOWN + window - 1, last=last, known_at=known_at)
    stretches = []
    for at in range(max(0, len(found.days) - DAYS_SHOWN), len(found.days)):
        first = found.days[at] - timedelta(days=window - 1)
        inside = [n for n in range(max(0, at - window + 1), at + 1) if found.days[n] >= first]
        stretches.append(
            Stretch(
                found.days[at],
                sum(found.listed[n] for n in inside),
                tuple(sum(found.counts[slug][n] for n in inside) for slug in slugs),
            )
        )
    return tuple(stretches)


def _listed(
    session: Session, board: Board, which: sa.ColumnElement[bool], limit: int
) -> tuple[NamedTerm, ...]:
    rows = session.execute(
        sa.select(col(Term.slug), col(Term.label))
        .join(Listing, sa.and_(col(Listing.term_id) == Term.id, col(Listing.board_id) == board.id))
        .join(
            TermVersion,
            sa.and_(col(TermVersion.term_id) == Term.id, col(TermVersion.version) == Term.current_version),
        )
        .where(col(Listing.status) == LISTED, which)
        .order_by(sa.func.length(col(Term.label)), col(Term.label))
        .limit(limit)
    )
    return tuple(NamedTerm(slug, label) for slug, label in rows)


def _escaped(text: str) -> str:
    """The text in a LIKE pattern."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
