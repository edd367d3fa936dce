"""The lexicon as it is stored: terms, their frozen versions, and the matchers that count with them.

A version of a term is its set of surface forms and the highlighter's version. A contract settles on the
version that it was opened with, so papers are highlighted with the current versions and with every older
one that an open contract is bound to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from market.inserts import insert_new
from market.tables import Contract
from nlp.highlight import HIGHLIGHTER_VERSION, find_mentions
from nlp.lexicon import Lexicon, LexiconTerm, compile_matcher, lexicon_from_entries
from nlp.matcher import Matcher
from nlp.records import Mention, ReadingText
from nlp.tables import Term, TermVersion


def install_lexicon(session: Session, lexicon: Lexicon, now: datetime) -> None:
    """Store the terms of a lexicon; the same lexicon again changes nothing.

    A term whose forms differ from its current version's gets a new version, which counts in papers taken in
    from now on. A term that the lexicon no longer has stays as it is, for its contracts have to be settled.
    Raises `nlp.errors.BadLexicon` when a new form belongs to such a term.
    """
    _lock_terms(session)
    stored = _current_terms(session)
    names = {term.key for term in lexicon.terms}
    left_over = [_entry(*pair) for key, pair in stored.items() if key not in names]
    lexicon_from_entries([*lexicon.terms, *left_over])  # refuses what contradicts itself
    new = [term for term in lexicon.terms if term.key not in stored]
    insert_new(
        session,
        Term,
        [{"key": term.key, "slug": term.slug, "label": term.label, "current_version": 0} for term in new],
    )
    terms = {term.key: term for term in session.exec(select(Term))}
    versions = []
    for entry in lexicon.terms:
        term = terms[entry.key]
        term.label = entry.label
        if entry.key not in stored or not _is_same(stored[entry.key][1], entry):
            term.current_version += 1
            versions.append(_version_row(term, entry, now))
    session.flush()
    insert_new(session, TermVersion, versions)


@dataclass(frozen=True, slots=True)
class Highlighter:
    """The stored terms, compiled: each layer is a matcher and the term versions that it counts for."""

    layers: tuple[tuple[Matcher, Mapping[str, int]], ...]

    def mentions(self, reading: ReadingText) -> list[tuple[int, Mention]]:
        """(term version id, mention) for every mention in a text, by every version that is in force."""
        return [
            (versions[mention.term], mention)
            for matcher, versions in self.layers
            for mention in find_mentions(reading, matcher)
            if mention.term in versions
        ]


def stored_highlighter(session: Session) -> Highlighter:
    """The highlighter of the current versions, with a layer more for older ones that open contracts need."""
    current = _current_terms(session)
    layers = [_layer(current.values(), ())]
    older = session.exec(
        select(Term, TermVersion)
        .join(TermVersion, col(TermVersion.term_id) == Term.id)
        .where(
            col(TermVersion.version) < col(Term.current_version),
            col(TermVersion.id).in_(sa.select(col(Contract.term_version_id)).where(col(Contract.settled_at).is_(None))),
        )
        .order_by(col(TermVersion.id))
    ).all()
    while older:
        # A layer holds one version of a term; the other terms are there to be the longer match.
        layer = {term.key: (term, version) for term, version in older}
        others = [pair for key, pair in current.items() if key not in layer]
        layers.append(_layer(layer.values(), others))
        older = [(term, version) for term, version in older if layer[term.key][1] is not version]
    return Highlighter(tuple(layers))


def _layer(
    counted: Iterable[tuple[Term, TermVersion]], others: Iterable[tuple[Term, TermVersion]]
) -> tuple[Matcher, dict[str, int]]:
    counted = tuple(counted)
    # Those that are counted come first: where an old form has since moved to another term, it is theirs.
    entries = tuple(_entry(*pair) for pair in (*counted, *others))
    versions = {term.key: version.id for term, version in counted if version.id is not None}
    return _matcher(entries), versions


@lru_cache(maxsize=4)  # the same from one intake to the next, and to compile it takes longer than a small one
def _matcher(entries: tuple[LexiconTerm, ...]) -> Matcher:
    return compile_matcher(Lexicon(entries, ""))


def _current_terms(session: Session) -> dict[str, tuple[Term, TermVersion]]:
    found = session.exec(
        select(Term, TermVersion)
        .join(
            TermVersion,
            sa.and_(col(TermVersion.term_id) == Term.id, col(TermVersion.version) == Term.current_version),
        )
        .order_by(col(Term.key))
    )
    return {term.key: (term, version) for term, version in found}


def _entry(term: Term, version: TermVersion) -> LexiconTerm:
    # The label is a form itself; an older version need not have today's.
    label = term.label if term.label in version.forms else version.forms[0]
    return LexiconTerm(term.key, term.slug, label, tuple(version.forms))


def _version_row(term: Term, entry: LexiconTerm, now: datetime) -> dict[str, Any]:
    return {
        "term_id": term.id, "version": term.current_version, "forms": sorted(entry.surfaces),
        "highlighter_version": HIGHLIGHTER_VERSION, "created_at": now,
    }  # fmt: skip


def _is_same(version: TermVersion, entry: LexiconTerm) -> bool:
    return version.forms == sorted(entry.surfaces) and version.highlighter_version == HIGHLIGHTER_VERSION


def _lock_terms(session: Session) -> None:
    """Keep a second installation waiting until this transaction ends; SQLite's write lock does so already."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(sa.text("LOCK TABLE term IN SHARE ROW EXCLUSIVE MODE"))
