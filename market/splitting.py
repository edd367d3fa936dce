"""Some forms of a term are given to another, new or not: from then on they are that one's mentions."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session, select

from market.adding import check_label, make_term
from market.listing import LISTED, TermChangeRefused, list_term
from market.naming import root_term
from market.rehighlight import Changed, FormsChanged, Progress, ignore, rehighlight
from market.tables import Listing
from market.term_events import Decided, Event, Kind, record
from market.term_moves import (
    because,
    begin_change,
    boards_listing,
    check_unclaimed,
    follow_watches,
    forms_of,
    id_of,
    set_forms,
)
from nlp.normalize import term_key
from nlp.tables import Term


def split_term(
    session: Session,
    term: Term,
    forms: Sequence[str],
    into: str,
    decided: Decided,
    progress: Progress = ignore,
) -> tuple[Term, Changed]:
    """Give some forms of ``term`` to the term called ``into``; one transaction, the caller commits.

    That is a new term, one that is there, or one that was merged into ``term`` and stands for itself again.
    It is listed wherever ``term`` is, and who watches ``term`` watches it too. Open contracts run out on the
    forms they were opened with. Stored papers that carry ``term`` are read again, so that both series are as
    if it had always been so. Raises `TermChangeRefused`.
    """
    begin_change(session)
    into = check_label(into)
    target = session.exec(select(Term).where(Term.key == term_key(into))).one_or_none()
    _check(session, term, target)
    old_forms = forms_of(session, term)
    moved = _moved(term, old_forms, forms, into if target is None else target.label)
    check_unclaimed(session, moved, [each for each in (term, target) if each is not None], into)
    is_revived = target is not None and target.merged_into_id is not None
    left = [form for form in old_forms if form not in moved]
    states = [set_forms(session, term, left, decided)]
    kept: tuple[str, ...] = ()
    if target is None:
        target, state = make_term(session, into, moved, decided)
    else:
        target.merged_into_id = None
        if not is_revived:
            kept = forms_of(session, target)
        state = set_forms(session, target, (*kept, *moved), decided)
    event = Event(
        Kind.SPLIT, term.key, term.label, term.id, other_id=target.id, states=(*states, state),
        details={"into": target.label, "forms": moved},
    )  # fmt: skip
    cause = record(session, event, decided)
    _list_beside(session, term, target, is_revived, decided, cause)
    watches = follow_watches(session, term, target, decided)
    changes = [
        FormsChanged(id_of(term), old_forms, tuple(left)),
        FormsChanged(id_of(target), kept, (*kept, *moved)),
    ]
    return target, Changed(rehighlight(session, changes, decided.at, progress), watches)


def _check(session: Session, term: Term, target: Term | None) -> None:
    if term.merged_into_id is not None:
        whole = root_term(session, term)
        raise TermChangeRefused(f"{term.label!r} is part of {whole.label!r}; split that one: {whole.slug}.")
    if target is None or target.merged_into_id is None:
        if target is term:
            raise TermChangeRefused(f"{term.label!r} has these forms already.")
        return
    whole = root_term(session, target)
    if whole.id != term.id:
        raise TermChangeRefused(f"{target.label!r} is part of {whole.label!r}; split it off that one.")


def _moved(term: Term, old_forms: Sequence[str], asked: Sequence[str], label: str) -> list[str]:
    """The forms that go, by their spelling or one that is the same to a reader; the new label is one."""
    moved: dict[str, None] = {}
    for each in asked:
        found = [form for form in old_forms if form == each] or [
            form for form in old_forms if term_key(form) == term_key(each)
        ]
        if not found:
            forms = ", ".join(map(repr, old_forms))
            raise TermChangeRefused(f"{each!r} is no form of {term.label!r}, which has: {forms}.")
        moved.update(dict.fromkeys(found))
    if not moved:
        raise TermChangeRefused(f"Name the forms that {label!r} is to have.")
    moved.update(dict.fromkeys([form for form in old_forms if term_key(form) == term_key(label)] or [label]))
    if term.label in moved:
        raise TermChangeRefused(
            f"{term.label!r} is the name of the term itself, and stays with it. Rename it first: "
            f"peer-revenue terms rename {term.slug}."
        )
    return list(moved)


def _list_beside(
    session: Session, term: Term, target: Term, is_revived: bool, decided: Decided, cause: int
) -> None:
    for board in boards_listing(session, term):
        listing = session.get(Listing, (board.id, target.id))
        if listing is None or (is_revived and listing.status != LISTED):
            list_term(session, board, target, because(f"split off {term.label}", decided), cause)
