"""What merging, splitting and renaming have in common: locks, new versions, listings, watches and rolls."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa
from sqlmodel import Session, col, select

from market.highlighter import current_terms, lexicon_entry
from market.inserts import insert_new, insert_one
from market.lexicon import state_of, version_row
from market.listing import LISTED, TermChangeRefused
from market.recount import hold_all
from market.rehighlight import start_version
from market.remarks import LONGEST_REASON
from market.tables import Board, Listing, Roll, Watch
from market.term_events import Decided, lock_terms
from market.term_state import TermState
from market.watching import set_watch
from nlp.lexicon import LexiconTerm, shared_forms
from nlp.normalize import term_key
from nlp.tables import Term, TermVersion


def begin_change(session: Session) -> None:
    """Let no intake, count or other change of terms go on beside this one, until the transaction ends."""
    hold_all(session)  # in the order of every intake: the boards, then the terms
    lock_terms(session)
    session.expire_all()


def forms_of(session: Session, term: Term) -> tuple[str, ...]:
    """The forms of the term's current version."""
    forms: list[str] = session.execute(
        sa.select(col(TermVersion.forms)).where(
            col(TermVersion.term_id) == term.id, col(TermVersion.version) == term.current_version
        )
    ).scalar_one()
    return tuple(forms)


def set_forms(
    session: Session, term: Term, forms: Iterable[str], decided: Decided
) -> TermState:
    """Give the term a version with these forms, which begins with the mentions that it has; its state. The
    caller lets `rehighlight` find what is otherwise."""
    term.current_version += 1
    session.add(term)
    session.flush()
    insert_new(session, TermVersion, [version_row(term, forms, decided.at)])
    start_version(session, id_of(term))
    return state_of(term, forms, term.current_version)


def counts_from(session: Session, term_id: int) -> int:
    """The first version of the term whose mentions are its activity; one above the last if none is."""
    ended = sa.select(sa.func.max(TermVersion.version)).where(
        col(TermVersion.term_id) == term_id, col(TermVersion.is_counted).is_(False)
    )
    return (session.execute(ended).scalar_one() or 0) + 1


def check_unclaimed(session: Session, forms: Iterable[str], owners: Iterable[Term], label: str) -> None:
    """Raise `TermChangeRefused` when another term than ``owners`` has one of the forms."""
    asked, ours = tuple(dict.fromkeys(forms)), {term.key for term in owners}
    keys = {term_key(form) for form in asked}
    if empty := next((form for form in asked if not term_key(form)), None):
        raise TermChangeRefused(f"{empty!r} has no letters or digits, so no text can carry it.")
    # Two forms share a spelling only if they have the same key.
    others = [
        lexicon_entry(*pair)
        for key, pair in current_terms(session).items()
        if key not in ours and not keys.isdisjoint(map(term_key, pair[1].forms))
    ]
    for other, other_form, _, form in shared_forms([*others, LexiconTerm("", "", asked[0], asked[1:])]):
        raise TermChangeRefused(
            f"{form!r} is a form of {other.label!r} already. Move it to {label!r} with: peer-revenue terms "
            f'split {other.slug} "{other_form}" --into "{label}"; or merge the two.'
        )


def boards_listing(session: Session, term: Term) -> list[Board]:
    """The boards that list the term, in order."""
    listed = (
        select(Board)
        .join(Listing, col(Listing.board_id) == Board.id)
        .where(Listing.term_id == term.id, Listing.status == LISTED)
        .order_by(col(Board.id))
    )
    return list(session.exec(listed))


def follow_watches(
    session: Session, old: Term, new: Term, decided: Decided, *, leave: bool = False
) -> int:
    """Let whoever watches the old term watch the new one too, on each board that has it, listed or delisted,
    and with ``leave`` the old one no more; how many watches began."""
    boards = sa.select(col(Listing.board_id)).where(col(Listing.term_id) == new.id)
    watches = select(Watch.trader_id, Watch.board_id).where(
        Watch.term_id == old.id, col(Watch.board_id).in_(boards)
    )
    began = 0
    for trader, board in session.exec(watches.order_by(col(Watch.board_id), col(Watch.trader_id))).all():
        began += set_watch(session, trader, board, new.id, True, decided.at, even_delisted=True)
        if leave:
            set_watch(session, trader, board, old.id, False, decided.at)
    return began


def follow_rolls(session: Session, old: Term, new: Term, decided: Decided) -> None:
    """Let whoever rolls on a side of the old term roll on that side of the new one."""
    rolls = select(Roll.trader_id, Roll.board_id, Roll.side).where(Roll.term_id == old.id)
    for trader, board, side in session.exec(rolls.order_by(col(Roll.id))).all():
        row = {
            "trader_id": trader, "board_id": board, "term_id": new.id, "side": side, "since": decided.at,
        }  # fmt: skip
        insert_one(session, Roll, row)


def because(words: str, decided: Decided) -> Decided:
    """The same decision, for what follows from it: its reason begins with these words."""
    return Decided(decided.by, f"{words}: {decided.reason}"[:LONGEST_REASON], decided.at)


def id_of(term: Term) -> int:
    """The id of a stored term."""
    assert term.id is not None
    return term.id
