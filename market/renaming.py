"""A term is called otherwise: another label and address; the one before leads on, and it is one term."""

from __future__ import annotations

import sqlalchemy as sa
from sqlmodel import Session, col

from market.adding import check_address, check_label
from market.inserts import insert_new
from market.lexicon import state_of
from market.listing import TermChangeRefused
from market.naming import root_term
from market.rehighlight import Changed, FormsChanged, Progress, ignore, rehighlight
from market.tables import TermName
from market.term_events import Decided, Event, Kind, record
from market.term_moves import begin_change, check_unclaimed, counts_from, forms_of, id_of, set_forms
from nlp.normalize import slug, term_key
from nlp.tables import Term


def rename_term(
    session: Session, term: Term, label: str, decided: Decided, progress: Progress = ignore
) -> Changed:
    """Call the term ``label``; one transaction, the caller commits.

    Its key stays, contracts and watches with it; the new label's key becomes a further name, so that a
    lexicon may call it by either. A label that was no form of the term yet becomes one, and stored papers
    that carry it are read again. Raises `TermChangeRefused`.
    """
    begin_change(session)
    label = check_label(label)
    if term.merged_into_id is not None:
        whole = root_term(session, term)
        raise TermChangeRefused(f"{term.label!r} is part of {whole.label!r}; rename that one: {whole.slug}.")
    if term.label == label:
        raise TermChangeRefused(f"The term is called {label!r} already.")
    key, before = term_key(label), (term.label, term.slug)
    check_address(session, key, label, term)
    check_unclaimed(session, [label], [term], label)
    names = _names(session, term, key)
    term.label, term.slug = label, slug(key)
    session.add(term)
    session.flush()
    forms = forms_of(session, term)
    is_new_form = label not in forms
    if is_new_form:
        state = set_forms(session, term, (*forms, label), decided)
    else:
        state = state_of(term, forms, counts_from(session, id_of(term)))
    event = Event(
        Kind.RENAMED, term.key, label, term.id, states=(state,),
        details={"before": list(before), "names": names},
    )  # fmt: skip
    record(session, event, decided)
    if not is_new_form:
        return Changed(0, 0)
    change = FormsChanged(id_of(term), forms, (*forms, label))
    return Changed(rehighlight(session, [change], decided.at, progress), 0)


def _names(session: Session, term: Term, key: str) -> list[list[str]]:
    """Keep the address of before, and the key of the new label, as further names; those that are new."""
    names = [["slug", term.slug]] if slug(key) != term.slug else []
    if key != term.key:
        names.append(["key", key])
    rows = [{"kind": kind, "name": name, "term_id": term.id} for kind, name in names]
    insert_new(session, TermName, rows)
    # An address that it had before may be its own again.
    session.execute(sa.delete(TermName).where(col(TermName.kind) == "slug", col(TermName.name) == slug(key)))
    return names
