"""Which terms can be watched and traded on a board, since when, and why; each decision is recorded.

The rule for the terms of a lexicon: one is listed on a board when a paper of the board first carries it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date, datetime
from types import MappingProxyType
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from market.boards import date_on, today_of
from market.errors import MarketError, UnknownTerm
from market.inserts import insert_new
from market.naming import root_term, term_at
from market.tables import Activity, Board, Listing, TermEvent
from market.term_events import FROM_LEXICON, Decided, Event, Kind, record, record_all
from nlp.tables import Term

NO_DETAILS: Mapping[str, Any] = MappingProxyType({})
LISTED, DELISTED = "listed", "delisted"
DAYS_AT_ONCE = 200  # far below the least number of parameters that a database takes


class TermChangeRefused(MarketError):
    """A change of a term that cannot be made; the message says what can be done instead."""


def listed_term(session: Session, board: Board, slug: str) -> tuple[Listing, Term]:
    """The term whose address on the board ends in ``slug``, and its listing; raises `UnknownTerm`.

    A delisted or merged term is returned too (``status`` says so), since its open contracts run out. One that
    had this address before it was renamed is found by it.
    """
    statement = select(Listing, Term).join(Term, col(Term.id) == Listing.term_id)
    of_board = statement.where(Listing.board_id == board.id)
    # PostgreSQL cannot even be asked for a text with NUL in it, which an address may hold.
    found = None if "\0" in slug else session.exec(of_board.where(Term.slug == slug)).one_or_none()
    if found is None and (renamed := term_at(session, slug)) is not None:
        found = session.exec(of_board.where(Term.id == renamed.id)).one_or_none()
    if found is None:
        raise UnknownTerm(slug, board.code)
    return found


def why_not_listed(session: Session, board: Board, term: Term) -> str:
    """Why a term that was listed on the board is so no longer: a sentence with its day."""
    if term.merged_into_id is not None:
        into = root_term(session, term)
        kind, words = Kind.MERGED, f"became part of {into.label!r}"
    else:
        kind, words = Kind.DELISTED, "was delisted"
    event = session.exec(
        select(TermEvent)
        .where(
            TermEvent.term_id == term.id, TermEvent.kind == kind,
            sa.or_(col(TermEvent.board_id) == board.id, col(TermEvent.board_id).is_(None)),
        )
        .order_by(col(TermEvent.id).desc())
    ).first()  # fmt: skip
    if event is None:
        return f"{term.label!r} is no longer listed."
    day = date_on(board, event.recorded_at)
    return f"{term.label!r} {words} on {day.day} {day:%B %Y}: {event.reason.rstrip('.')}."


def check_listed(session: Session, board: Board, term_id: int) -> None:
    """Raise `UnknownTerm` unless the term is listed on the board today."""
    status = session.exec(
        select(Listing.status).where(Listing.board_id == board.id, Listing.term_id == term_id)
    ).one_or_none()
    if status != LISTED:
        label = session.exec(select(Term.label).where(Term.id == term_id)).one_or_none()
        raise UnknownTerm(label or str(term_id), board.code)


def list_term(
    session: Session,
    board: Board,
    term: Term,
    decided: Decided,
    cause_id: int | None = None,
    details: Mapping[str, Any] = NO_DETAILS,
) -> None:
    """List the term on the board, for the first time or again; ``details`` are kept with the decision.

    Raises `TermChangeRefused` when it is listed there already, or was merged into another term.
    """
    listing = session.get(Listing, (board.id, term.id))
    if term.merged_into_id is not None:
        into = session.get_one(Term, term.merged_into_id)
        raise TermChangeRefused(
            f"{term.label!r} was merged into {into.label!r}. To make it a term of its own again: "
            f'peer-revenue terms split {into.slug} "{term.label}" --into "{term.label}".'
        )
    if listing is not None and listing.status == LISTED:
        raise TermChangeRefused(f"{term.label!r} is listed on {board.code} already: {listing.reason}.")
    day = today_of(board, decided.at)
    if listing is None:
        assert board.id is not None
        assert term.id is not None
        listing = Listing(
            board_id=board.id, term_id=term.id, status=LISTED, reason=decided.reason, listed_on=day
        )
    listing.status, listing.reason, listing.listed_on = LISTED, decided.reason, day
    session.add(listing)
    session.flush()
    record(session, _event(Kind.LISTED, term, listing, details), decided, cause_id)


def delist_term(
    session: Session, board: Board, term: Term, decided: Decided, cause_id: int | None = None
) -> None:
    """List the term no longer: no contracts are opened on it, those that are open run out, watches stay.

    Raises `TermChangeRefused` when it is not listed on the board.
    """
    listing = session.get(Listing, (board.id, term.id))
    if listing is None or listing.status != LISTED:
        raise TermChangeRefused(f"{term.label!r} is not listed on {board.code}.")
    listing.status, listing.reason = DELISTED, decided.reason
    session.add(listing)
    session.flush()
    record(session, _event(Kind.DELISTED, term, listing), decided, cause_id)


def take_place_of(
    session: Session, delisted: Listing, term: Term, decided: Decided, cause_id: int
) -> None:
    """Let the term stand where another was delisted, as one that is delisted itself: it has a page there."""
    assert term.id is not None
    listing = Listing(
        board_id=delisted.board_id, term_id=term.id, status=DELISTED, reason=decided.reason,
        listed_on=delisted.listed_on,
    )  # fmt: skip
    session.add(listing)
    session.flush()
    record(session, _event(Kind.DELISTED, term, listing), decided, cause_id)


def _event(kind: Kind, term: Term, listing: Listing, details: Mapping[str, Any] = NO_DETAILS) -> Event:
    whole = {"listed_on": listing.listed_on.isoformat(), **details}
    return Event(kind, term.key, term.label, term.id, listing.board_id, details=whole)


def list_carried_terms(session: Session, board_id: int, days: Collection[date], now: datetime) -> int:
    """List every term that has activity on these days of the board and no listing yet; returns how many.

    The reason names the first day that carries the term and how many papers of that day do. A listing stays
    as it is when an earlier day is read in afterwards.
    """
    in_order = sorted(days)
    return sum(
        _list(session, board_id, in_order[start : start + DAYS_AT_ONCE], now)
        for start in range(0, len(in_order), DAYS_AT_ONCE)
    )


def _list(session: Session, board_id: int, days: list[date], now: datetime) -> int:
    first = (
        sa.select(col(Activity.term_id), sa.func.min(Activity.day).label("day"))
        .where(
            col(Activity.board_id) == board_id,
            col(Activity.day).in_(days),
            ~sa.exists().where(col(Listing.board_id) == board_id, col(Listing.term_id) == Activity.term_id),
            ~_by_committee(),
        )
        .group_by(col(Activity.term_id))
        .subquery()
    )
    carried = session.execute(
        sa.select(
            col(Activity.term_id), col(Activity.day), col(Activity.paper_count), col(Term.key),
            col(Term.label),
        )
        .join(
            first,
            sa.and_(
                col(Activity.board_id) == board_id,
                first.c.term_id == Activity.term_id,
                first.c.day == Activity.day,
            ),
        )
        .join(Term, col(Term.id) == Activity.term_id)
        .order_by(col(Activity.day), col(Activity.term_id))
    ).all()  # fmt: skip
    rows = [
        {
            "board_id": board_id, "term_id": row.term_id, "status": LISTED,
            "reason": _reason(row.day, row.paper_count), "listed_on": row.day,
        }
        for row in carried
    ]  # fmt: skip
    insert_new(session, Listing, rows)
    events = [
        Event(
            Kind.LISTED, row.key, row.label, row.term_id, board_id,
            reason=_reason(row.day, row.paper_count), details={"listed_on": row.day.isoformat()},
        )
        for row in carried
    ]  # fmt: skip
    record_all(session, events, Decided(FROM_LEXICON, "first carried", now))
    return len(rows)


def _by_committee() -> sa.ColumnElement[bool]:
    """Whether the activity is of a term that no lexicon brought: it is listed where somebody decided so."""
    installed = sa.exists().where(
        col(TermEvent.term_id) == Activity.term_id, col(TermEvent.kind) == Kind.INSTALLED
    )
    by_lexicon = col(TermEvent.decided_by) == FROM_LEXICON
    return sa.and_(installed.where(~by_lexicon), ~installed.where(by_lexicon))


def _reason(day: object, paper_count: int) -> str:
    papers = "1 paper" if paper_count == 1 else f"{paper_count:,} papers"
    return f"in the lexicon; first carried on {day} by {papers}"
