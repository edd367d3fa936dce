"""The lexicon as it is stored: terms and their frozen versions, as they come with a lexicon's file.

A version of a term is its set of surface forms and the highlighter's version. What an operator has decided
since (merges, splits, new names) outranks the file: the same or a newer one does not undo it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from market.highlighter import Pair, StoredVersion, current_terms, lexicon_entry
from market.inserts import insert_new
from market.naming import Names, stored_names
from market.recount import hold_all
from market.rehighlight import FormsChanged, rehighlight, start_version
from market.tables import LexiconState, TermEvent
from market.term_events import FROM_LEXICON, Decided, Event, Kind, lock_terms, record_all
from market.term_state import TermState
from nlp.errors import BadLexicon
from nlp.highlight import HIGHLIGHTER_VERSION
from nlp.lexicon import Lexicon, LexiconTerm, shared_forms
from nlp.tables import Term, TermVersion

CLASHES_SAID = 10


def install_lexicon(session: Session, lexicon: Lexicon, now: datetime) -> None:
    """Store the terms of a lexicon; the same lexicon again changes nothing.

    A term whose forms differ from its current version's gets a new version, and the stored papers that these
    forms may stand in are read again. A term that the lexicon no longer has stays as it is, for its contracts
    have to be settled. Another version of the highlighter counts in papers taken in from now on.
    Raises `nlp.errors.BadLexicon` when a form or an address of the lexicon belongs to such a term, with the
    commands that move it.
    """
    name = f"{lexicon.version} {HIGHLIGHTER_VERSION}"
    if _installed(session) == name:
        return
    hold_all(session)  # in the order of every intake: the boards, then the terms
    lock_terms(session)
    if _installed(session) == name:
        return
    stored, names = current_terms(session), stored_names(session)
    entries = _entries(session, lexicon, stored, names)
    named = {entry.key for entry in entries}
    left_over = [lexicon_entry(*pair) for key, pair in stored.items() if key not in named]
    _refuse_clashes(entries, left_over, names)
    decided = Decided(FROM_LEXICON, f"in the lexicon {lexicon.version}", now)
    changes = _store(session, entries, stored, decided)
    session.execute(sa.update(LexiconState).values(installed=name))
    rehighlight(session, changes, now)


def _installed(session: Session) -> str:
    name: str = session.execute(sa.select(col(LexiconState.installed))).scalar_one()
    return name


def _entries(
    session: Session, lexicon: Lexicon, stored: Mapping[str, Pair], names: Names
) -> list[LexiconTerm]:
    """What the lexicon says of each term that stands for itself, once operators' decisions are heard."""
    claims: dict[str, list[LexiconTerm]] = {}
    for entry in lexicon.terms:
        claims.setdefault(names.root_key(entry.key) or entry.key, []).append(entry)
    renamed, given_away = _renamed(session), _given_away(session, stored, claims)
    entries = []
    for key, claiming in claims.items():
        if key not in stored:
            entries += claiming
            continue
        term, version = stored[key]
        own = next((entry for entry in claiming if entry.key == key), None)
        label = term.label if own is None or term.id in renamed else own.label
        forms = [form for entry in claiming for form in entry.surfaces]
        if own is None:  # the lexicon knows only what has become part of the term
            forms += version.forms
        kept = tuple(form for form in forms if form not in given_away.get(key, ()))
        entries.append(LexiconTerm(key, term.slug, label, kept))
    return entries


def _renamed(session: Session) -> set[int]:
    """The terms whose label somebody decided."""
    renamed = sa.select(col(TermEvent.term_id)).where(col(TermEvent.kind) == Kind.RENAMED)
    return set(session.scalars(renamed))


def _given_away(
    session: Session, stored: Mapping[str, Pair], claims: Collection[str]
) -> dict[str, set[str]]:
    """By key of a term, the forms that were split off it to terms which the lexicon does not name."""
    holders = {term.id: version.forms for key, (term, version) in stored.items() if key not in claims}
    keys = {term.id: key for key, (term, _) in stored.items()}
    given: dict[str, set[str]] = {}
    splits = sa.select(col(TermEvent.term_id), col(TermEvent.other_id)).where(
        col(TermEvent.kind) == Kind.SPLIT
    )
    for source, holder in session.execute(splits):
        if source in keys and holder in holders:
            given.setdefault(keys[source], set()).update(holders[holder])
    return given


def _refuse_clashes(
    entries: list[LexiconTerm], left_over: Iterable[LexiconTerm], names: Names
) -> None:
    theirs = {entry.key: entry for entry in left_over}
    words: dict[str, None] = {}
    for one, one_form, two, two_form in shared_forms([*theirs.values(), *entries]):
        if (one.key in theirs) == (two.key in theirs):
            raise BadLexicon(
                "lexicon", f"{one.label!r} ({one_form!r}) and {two.label!r} ({two_form!r}) share a form"
            )
        kept, new, form = (one, two, one_form) if one.key in theirs else (two, one, two_form)
        words[_moved(kept, new, form, names)] = None
    if words:
        more = f" And {len(words) - CLASHES_SAID} more." if len(words) > CLASHES_SAID else ""
        raise BadLexicon("lexicon", " ".join(list(words)[:CLASHES_SAID]) + more)
    for entry in entries:
        owner = names.slugs.get(entry.slug)
        if owner is not None and owner != names.ids.get(entry.key):
            raise BadLexicon(
                "lexicon",
                f"the address {entry.slug!r} of {entry.label!r} leads to {names.labels[owner]!r} already; "
                f"give it another label, or make the two one term: peer-revenue terms merge --help",
            )


def _moved(kept: LexiconTerm, new: LexiconTerm, form: str, names: Names) -> str:
    said = (
        f"{form!r} is a form of {new.label!r} here, and of the stored term {kept.label!r}, which this "
        f"lexicon does not name."
    )
    if form != kept.label:
        do = f'Move it: peer-revenue terms split {kept.slug} "{form}" --into "{new.label}".'
    elif new.key in names.ids:
        do = f"Make them one term: peer-revenue terms merge {kept.slug} {new.slug}."
    else:
        do = f'Give that one this name: peer-revenue terms rename {kept.slug} "{new.label}".'
    return f"{said} {do}"


def _store(
    session: Session, entries: list[LexiconTerm], stored: Mapping[str, Pair], decided: Decided
) -> list[FormsChanged]:
    """Store what is new or other; the terms whose forms are."""
    new = [entry for entry in entries if entry.key not in stored]
    insert_new(
        session,
        Term,
        [{"key": entry.key, "slug": entry.slug, "label": entry.label, "current_version": 0} for entry in new],
    )
    terms = {term.key: term for term in session.exec(select(Term))}
    counts_from = _counts_from(session)
    versions, states, changes = [], [], []
    for entry in entries:
        term = terms[entry.key]
        before = tuple(stored[entry.key][1].forms) if entry.key in stored else ()
        is_revised = entry.key not in stored or not _is_same(stored[entry.key][1], entry)
        if not is_revised and term.label == entry.label:
            continue
        term.label = entry.label
        if is_revised:
            term.current_version += 1
            versions.append(version_row(term, entry.surfaces, decided.at))
        assert term.id is not None
        if set(before) != set(entry.surfaces):
            changes.append(FormsChanged(term.id, before, entry.surfaces))
            counts_from[term.id] = term.current_version
        states.append(state_of(term, entry.surfaces, counts_from.get(term.id, 1)))
    session.flush()
    insert_new(session, TermVersion, versions)
    for change in changes:
        if change.before:
            start_version(session, change.term_id)
    record_all(session, [_event(state) for state in states], decided)
    return changes


def _event(state: TermState) -> Event:
    return Event(Kind.INSTALLED, state.key, state.label, state.term_id, states=(state,))


def _counts_from(session: Session) -> dict[int, int]:
    """The first version that counts, of the terms of which not all do."""
    ended = (
        sa.select(col(TermVersion.term_id), sa.func.max(TermVersion.version))
        .where(col(TermVersion.is_counted).is_(False))
        .group_by(col(TermVersion.term_id))
    )
    return {term_id: version + 1 for term_id, version in session.execute(ended)}


def state_of(term: Term, forms: Iterable[str], counts_from: int = 1) -> TermState:
    """The term as an event records it, with the forms of its current version."""
    assert term.id is not None
    return TermState(
        term.id, term.key, term.slug, term.label, term.current_version, tuple(sorted(set(forms))),
        counts_from, term.merged_into_id,
    )  # fmt: skip


def version_row(term: Term, forms: Iterable[str], now: datetime) -> dict[str, Any]:
    """The row of the term's current version, which has these forms."""
    return {
        "term_id": term.id, "version": term.current_version, "forms": sorted(set(forms)),
        "highlighter_version": HIGHLIGHTER_VERSION, "created_at": now,
    }  # fmt: skip


def _is_same(version: StoredVersion, entry: LexiconTerm) -> bool:
    is_same = version.forms == sorted(set(entry.surfaces))
    return is_same and version.highlighter_version == HIGHLIGHTER_VERSION
