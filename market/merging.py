"""One term becomes part of another: its forms are the other's, its open contracts run out on the old ones."""

from __future__ import annotations

from sqlmodel import Session, col, select

from market.lexicon import state_of
from market.listing import (
    DELISTED,
    LISTED,
    TermChangeRefused,
    delist_term,
    list_term,
    take_place_of,
)
from market.rehighlight import Changed, FormsChanged, Progress, ignore, rehighlight, stop_counting
from market.tables import Board, Listing
from market.term_events import Decided, Event, Kind, record
from market.term_moves import (
    because,
    begin_change,
    boards_listing,
    follow_rolls,
    follow_watches,
    forms_of,
    id_of,
    set_forms,
)
from nlp.tables import Term


def merge_terms(
    session: Session, old: Term, into: Term, decided: Decided, progress: Progress = ignore
) -> Changed:
    """Make ``old`` part of ``into``; one transaction, the caller commits.

    No contract is opened on ``old`` any more, and its address leads to ``into``, which has its forms from now
    on and is listed wherever ``old`` was. Who watched or rolled ``old`` does so with ``into``. Stored papers
    that carry ``old`` are read again, so that the series of ``into`` is as if it had always had the forms.
    Raises `TermChangeRefused`.
    """
    begin_change(session)
    _check(session, old, into)
    forms, old_forms = forms_of(session, into), forms_of(session, old)
    stop_counting(session, id_of(old))
    old.merged_into_id = into.id
    session.add(old)
    together = (*forms, *old_forms)
    state = set_forms(session, into, together, decided)
    ended = state_of(old, old_forms, old.current_version + 1)
    event = Event(
        Kind.MERGED, old.key, old.label, old.id, other_id=into.id, states=(ended, state),
        details={"into": into.label},
    )  # fmt: skip
    cause = record(session, event, decided)
    _list_in_place(session, old, into, decided, cause)
    watchers = follow_watches(session, old, into, decided, leave=True)
    follow_rolls(session, old, into, decided)
    changes = [FormsChanged(id_of(old), old_forms, ()), FormsChanged(id_of(into), forms, together)]
    return Changed(rehighlight(session, changes, decided.at, progress), watchers)


def _check(session: Session, old: Term, into: Term) -> None:
    for term in (old, into):
        if term.merged_into_id is not None:
            other = session.get_one(Term, term.merged_into_id)
            raise TermChangeRefused(f"{term.label!r} was merged into {other.label!r} already.")
    if old.id == into.id:
        raise TermChangeRefused(f"{old.label!r} cannot be merged into itself.")
    refusing = session.exec(
        select(Board.code)
        .join(Listing, col(Listing.board_id) == Board.id)
        .where(
            Listing.term_id == into.id,
            Listing.status == DELISTED,
            col(Board.id).in_([board.id for board in boards_listing(session, old)]),
        )
        .order_by(col(Board.id))
    ).first()
    if refusing is not None:
        raise TermChangeRefused(
            f"{into.label!r} was delisted on {refusing}, which lists {old.label!r}. List it again first: "
            f"peer-revenue terms list-term {into.slug} --board {refusing}."
        )


def _list_in_place(session: Session, old: Term, into: Term, decided: Decided, cause: int) -> None:
    """Wherever the old term has a page, the other has one: listed where the old one was."""
    places = select(Listing, Board).join(Board, col(Board.id) == Listing.board_id)
    for listing, board in session.exec(places.where(Listing.term_id == old.id).order_by(col(Board.id))).all():
        is_new = session.get(Listing, (board.id, into.id)) is None
        if listing.status == LISTED:
            if is_new:
                list_term(session, board, into, because(f"{old.label} became part of it", decided), cause)
            delist_term(session, board, old, because(f"merged into {into.label}", decided), cause)
        elif is_new:
            words = f"{old.label}, which was delisted, became part of it"
            take_place_of(session, listing, into, because(words, decided), cause)
