"""What was decided about terms: the log of a board, the story of a term, and what a change would touch."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from market.listing import LISTED
from market.naming import parts_of, term_named
from market.tables import Activity, Board, Contract, Listing, TermEvent, Watch
from market.term_events import FROM_LEXICON, Kind
from market.term_moves import forms_of
from nlp.tables import Term

CHANGES_SHOWN = 100
OF_TERMS = (Kind.MERGED, Kind.SPLIT, Kind.RENAMED)
_OTHER = aliased(Term)


@dataclass(frozen=True, slots=True)
class TermChange:
    """A decision: ``label`` is what the term was called then, ``slug`` its address today ("" for a candidate
    that never became a term). ``other_label`` is of the term that it was merged into or that was split off
    it, or what it was called before it was renamed; "" for none, and so for ``other_slug``.

    ``board`` is a board's code, "" for a decision about the term on all of them.
    """

    event_id: int
    kind: str
    board: str
    label: str
    slug: str
    other_label: str
    other_slug: str
    forms: tuple[str, ...]
    decided_by: str
    reason: str
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class ChangesOnBoard:
    """A page of a board's log, newest first; ``change_count`` of them there are."""

    changes: tuple[TermChange, ...]
    change_count: int


@dataclass(frozen=True, slots=True)
class Touched:
    """What a change of a term touches, on one board or all: contracts that are not settled, watchers, papers
    that carry it, boards that list it."""

    open_contract_count: int
    watcher_count: int
    paper_count: int
    boards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A term that became part of another, when and why; ``open_periods`` are those of its contracts that
    still run, each with its first day."""

    label: str
    slug: str
    merged_at: datetime
    reason: str
    open_periods: tuple[tuple[str, date], ...]


@dataclass(frozen=True, slots=True)
class TermStory:
    """A term with the forms of its current version, what there is of it, and every decision about it."""

    slug: str
    label: str
    key: str
    version: int
    forms: tuple[str, ...]
    touched: Touched
    changes: tuple[TermChange, ...]


def term_story(session: Session, name: str) -> TermStory:
    """The term of this name (see `term_named`); raises `NoSuchTerm`."""
    term = term_named(session, name)
    return TermStory(
        term.slug, term.label, term.key, term.current_version, forms_of(session, term),
        touched(session, term), changes_of_term(session, term),
    )  # fmt: skip


def changes_on_board(
    session: Session, board: Board, kinds: Collection[str] = (), page: int = 1
) -> ChangesOnBoard:
    """The decisions about the board's terms, those of ``kinds``, or else all but what a lexicon brought by
    itself. What only follows from another decision is left out. Two queries."""
    on_board = sa.exists().where(
        col(Listing.board_id) == board.id,
        sa.or_(
            col(Listing.term_id) == TermEvent.term_id,
            col(Listing.term_id) == TermEvent.other_id,
        ),
    )
    which = [
        col(TermEvent.cause_id).is_(None),
        sa.or_(
            col(TermEvent.board_id) == board.id,
            sa.and_(col(TermEvent.board_id).is_(None), col(TermEvent.kind).in_(OF_TERMS), on_board),
        ),
    ]
    which.append(
        col(TermEvent.kind).in_(kinds)
        if kinds
        else sa.or_(col(TermEvent.kind) != Kind.LISTED, col(TermEvent.decided_by) != FROM_LEXICON)
    )
    count = session.execute(sa.select(sa.func.count()).select_from(TermEvent).where(*which)).scalar_one()
    rows = session.execute(_changes().where(*which).limit(CHANGES_SHOWN).offset((page - 1) * CHANGES_SHOWN))
    return ChangesOnBoard(tuple(map(_change, rows)), count)


def changes_of_term(session: Session, term: Term) -> tuple[TermChange, ...]:
    """Every decision about a term, newest first. One query."""
    about = sa.or_(col(TermEvent.term_id) == term.id, col(TermEvent.other_id) == term.id)
    return tuple(map(_change, session.execute(_changes().where(about))))


def last_change(session: Session, board: Board, term_id: int) -> TermChange | None:
    """The decision by which the board lists the term, or does so no longer; None where none is recorded."""
    of_listing = (
        col(TermEvent.board_id) == board.id, col(TermEvent.term_id) == term_id,
        col(TermEvent.kind).in_((Kind.LISTED, Kind.DELISTED)),
    )  # fmt: skip
    row = session.execute(_changes().where(*of_listing).limit(1)).first()
    return None if row is None else _change(row)


def parts_on_board(session: Session, board: Board, term_id: int) -> tuple[Part, ...]:
    """The terms that the board listed and that have become part of this one, the last first."""
    parts = parts_of(session, term_id)
    if not parts:
        return ()
    merged = (
        sa.select(sa.func.max(TermEvent.id))
        .where(col(TermEvent.kind) == Kind.MERGED, col(TermEvent.term_id).in_(parts))
        .group_by(col(TermEvent.term_id))
    )
    rows = session.execute(
        sa.select(
            col(TermEvent.term_id), col(Term.label), col(Term.slug), col(TermEvent.recorded_at),
            col(TermEvent.reason),
        )
        .join(Term, col(Term.id) == TermEvent.term_id)
        .join(Listing, sa.and_(col(Listing.term_id) == Term.id, col(Listing.board_id) == board.id))
        .where(col(TermEvent.id).in_(merged))
        .order_by(col(TermEvent.id).desc())
    ).all()  # fmt: skip
    periods = _open_periods(session, board, [row.term_id for row in rows])
    return tuple(
        Part(row.label, row.slug, row.recorded_at, row.reason, periods.get(row.term_id, ())) for row in rows
    )


def touched(session: Session, term: Term, board: Board | None = None) -> Touched:
    """What a change of the term touches, on the board or, without one, on all. Four queries."""
    boards = () if board is None else (board.id,)
    contracts = sa.select(sa.func.count()).where(
        col(Contract.term_id) == term.id, col(Contract.settled_at).is_(None), *_on(Contract.board_id, boards)
    )
    watchers = sa.select(sa.func.count(sa.distinct(col(Watch.trader_id)))).where(
        col(Watch.term_id) == term.id, *_on(Watch.board_id, boards)
    )
    papers = sa.select(sa.func.coalesce(sa.func.sum(Activity.paper_count), 0)).where(
        col(Activity.term_id) == term.id, *_on(Activity.board_id, boards)
    )
    listed = (
        sa.select(col(Board.code))
        .join(Listing, col(Listing.board_id) == Board.id)
        .where(
            col(Listing.term_id) == term.id, col(Listing.status) == LISTED, *_on(Listing.board_id, boards)
        )
        .order_by(col(Board.position))
    )
    open_contracts, watching, carrying = (
        int(session.execute(each).scalar_one()) for each in (contracts, watchers, papers)
    )
    return Touched(open_contracts, watching, carrying, tuple(session.scalars(listed)))


def _on(column: Any, boards: Collection[int | None]) -> tuple[sa.ColumnElement[bool], ...]:
    return (col(column).in_(boards),) if boards else ()


def _open_periods(
    session: Session, board: Board, term_ids: Sequence[int]
) -> dict[int, tuple[tuple[str, date], ...]]:
    rows = session.execute(
        sa.select(col(Contract.term_id), col(Contract.period), col(Contract.first_day))
        .where(
            col(Contract.board_id) == board.id, col(Contract.term_id).in_(term_ids),
            col(Contract.settled_at).is_(None),
        )
        .order_by(col(Contract.first_day))
    )  # fmt: skip
    found: dict[int, tuple[tuple[str, date], ...]] = {}
    for term_id, period, first_day in rows:
        found[term_id] = (*found.get(term_id, ()), (period, first_day))
    return found


def _changes() -> sa.Select[*tuple[Any, ...]]:
    return (
        sa.select(
            TermEvent.__table__, col(Board.code).label("board"), col(Term.slug),  # type: ignore[attr-defined]
            col(_OTHER.label).label("other_label"), col(_OTHER.slug).label("other_slug"),
        )
        .select_from(TermEvent)
        .outerjoin(Board, col(Board.id) == TermEvent.board_id)
        .outerjoin(Term, col(Term.id) == TermEvent.term_id)
        .outerjoin(_OTHER, col(_OTHER.id) == TermEvent.other_id)
        .order_by(col(TermEvent.id).desc())
    )  # fmt: skip


def _change(row: Any) -> TermChange:
    details = row.details
    other = row.other_label or ""
    if row.kind == Kind.RENAMED:
        other = details["before"][0]
    return TermChange(
        row.id, row.kind, row.board or "", row.label, row.slug or "", details.get("into", other),
        row.other_slug or "", tuple(details.get("forms", ())), row.decided_by, row.reason, row.recorded_at,
    )  # fmt: skip
