"""A term that no lexicon brings: made by an operator or the committee, and found in the stored papers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlmodel import Session, col, select

from market.inserts import insert_new
from market.lexicon import state_of, version_row
from market.listing import TermChangeRefused
from market.rehighlight import Changed, FormsChanged, Progress, ignore, rehighlight
from market.tables import TermName
from market.term_events import Decided, Event, Kind, record
from market.term_moves import begin_change, check_unclaimed, id_of
from market.term_state import TermState
from nlp.normalize import slug, term_key
from nlp.tables import Term, TermVersion

LONGEST_LABEL = 200


def add_term(
    session: Session, label: str, forms: Sequence[str], decided: Decided, progress: Progress = ignore
) -> tuple[Term, Changed]:
    """Make a term with these forms beside its label, and count it in the stored papers; on no board is it
    listed. One transaction, the caller commits. Raises `TermChangeRefused`."""
    begin_change(session)
    check_unclaimed(session, (check_label(label), *forms), (), label)
    term, state = make_term(session, label, forms, decided)
    event = Event(Kind.INSTALLED, term.key, term.label, term.id, states=(state,))
    record(session, event, decided)
    change = FormsChanged(id_of(term), (), state.forms)
    return term, Changed(rehighlight(session, [change], decided.at, progress), 0)


def make_term(session: Session, label: str, forms: Iterable[str], decided: Decided) -> tuple[Term, TermState]:
    """A new term with its first version; the caller holds the terms' lock and records the state."""
    label = check_label(label)
    surfaces = tuple(dict.fromkeys((label, *forms)))
    key = term_key(label)
    check_address(session, key, label)
    term = Term(key=key, slug=slug(key), label=label, current_version=1)
    session.add(term)
    session.flush()
    insert_new(session, TermVersion, [version_row(term, surfaces, decided.at)])
    return term, state_of(term, surfaces)


def check_label(label: str) -> str:
    """The label without blanks around it; raises `TermChangeRefused` for one that no term can have."""
    label = " ".join(label.split())
    if not term_key(label) or len(label) > LONGEST_LABEL or len(slug(term_key(label))) > LONGEST_LABEL:
        raise TermChangeRefused(
            f"{label!r} cannot be a term's name: it needs letters or digits, and at most {LONGEST_LABEL} "
            f"characters."
        )
    return label


def check_address(session: Session, key: str, label: str, term: Term | None = None) -> None:
    """Raise `TermChangeRefused` when the key or the address of a label is another term's than ``term``."""
    address = slug(key)
    mine = None if term is None else term.id
    for owner in session.exec(select(Term).where((col(Term.key) == key) | (col(Term.slug) == address))):
        if owner.id == mine:
            continue
        if owner.merged_into_id is not None:
            into = session.get_one(Term, owner.merged_into_id)
            raise TermChangeRefused(
                f"{owner.label!r}, which was merged into {into.label!r}, has the address {address!r}. Make "
                f'it a term of its own again: peer-revenue terms split {into.slug} "{owner.label}" --into '
                f'"{owner.label}"; or choose another name.'
            )
        raise TermChangeRefused(
            f"{owner.label!r} has the address {address!r} already, so {label!r} needs another name; or merge "
            f"the two: peer-revenue terms merge."
        )
    names = {("key", key), ("slug", address)}
    for name in session.exec(select(TermName).where(col(TermName.name).in_([key, address]))):
        if (name.kind, name.name) in names and name.term_id != mine:
            other = session.get_one(Term, name.term_id)
            raise TermChangeRefused(
                f"{name.name!r} is another name of {other.label!r}, and links lead there; choose another."
            )
