"""The stored terms, compiled: the matchers that papers are highlighted and counted with.

A contract settles on the term version that it was opened with, so papers are highlighted with the current
versions and with every older one, or one of a term since merged, that an open contract is bound to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import Session, col

from market.tables import Contract, LexiconState
from nlp.highlight import find_mentions
from nlp.lexicon import Lexicon, LexiconTerm, compile_matcher
from nlp.matcher import Matcher
from nlp.records import Mention, ReadingText
from nlp.tables import Term, TermVersion

_MOST_KEPT = 4  # highlighters, of as many databases or moments


class StoredTerm(NamedTuple):
    """A term as it is stored, read alone."""

    id: int
    key: str
    slug: str
    label: str


class StoredVersion(NamedTuple):
    """A version of a term, likewise: all terms are read at once, and objects of tables cost much more."""

    id: int
    forms: list[str]
    highlighter_version: int


Pair = tuple[StoredTerm, StoredVersion]
StoredState = tuple[str, str, int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Highlighter:
    """The stored terms, compiled: each layer is a matcher and the term versions that it counts for. The first
    is that of the current versions."""

    layers: tuple[tuple[Matcher, Mapping[str, int]], ...]

    def mentions(self, reading: ReadingText) -> list[tuple[int, Mention]]:
        """(term version id, mention) for every mention in a text, by every version that is in force."""
        return [
            (versions[mention.term], mention)
            for matcher, versions in self.layers
            for mention in find_mentions(reading, matcher)
            if mention.term in versions
        ]


_kept: dict[StoredState, Highlighter] = {}  # the oldest first
_kept_lock = Lock()


def stored_highlighter(session: Session) -> Highlighter:
    """The highlighter of the current versions, with a layer more for others that open contracts need.

    While the terms and what is open are as they were, one query.
    """
    stored = stored_state(session)
    with _kept_lock:
        found = _kept.get(stored)
    if found is None:
        found = _compile(session, stored[-1])
        with _kept_lock:
            _kept[stored] = found
            while len(_kept) > _MOST_KEPT:
                del _kept[next(iter(_kept))]
    return found


def current_terms(session: Session) -> dict[str, Pair]:
    """Every term that stands for itself, with its current version, by its key and in that order."""
    is_current = col(TermVersion.version) == Term.current_version
    found = _pairs(session, is_current, col(Term.merged_into_id).is_(None), order=col(Term.key))
    return {term.key: (term, version) for term, version in found}


def _pairs(session: Session, *which: sa.ColumnElement[bool], order: Any) -> list[Pair]:
    rows = session.execute(
        sa.select(
            col(Term.id), col(Term.key), col(Term.slug), col(Term.label), col(TermVersion.id),
            col(TermVersion.forms), col(TermVersion.highlighter_version),
        )
        .join(TermVersion, col(TermVersion.term_id) == Term.id)
        .where(*which)
        .order_by(order)
    )  # fmt: skip
    return [(StoredTerm(*row[:4]), StoredVersion(*row[4:])) for row in rows]


def lexicon_entry(term: StoredTerm, version: StoredVersion) -> LexiconTerm:
    """A stored term as an entry of a lexicon."""
    # The label is a form itself; an older version need not have today's.
    label = term.label if term.label in version.forms else version.forms[0]
    return LexiconTerm(term.key, term.slug, label, tuple(version.forms))


def stored_state(session: Session) -> StoredState:
    """What a highlighter depends on, in one query: the database, its lexicon, its newest version, and the
    older versions in force."""
    in_force = _in_force()
    newest = sa.select(sa.func.coalesce(sa.func.max(TermVersion.id), 0)).scalar_subquery()
    rows = session.execute(
        sa.select(col(LexiconState.fingerprint), newest.label("newest"), in_force.c.term_version_id)
        .select_from(LexiconState)
        .outerjoin(in_force, sa.true())
    ).all()
    engine = session.get_bind().engine
    older = tuple(sorted(row.term_version_id for row in rows if row.term_version_id is not None))
    return str(engine.url), rows[0].fingerprint, rows[0].newest, older


def _in_force() -> sa.Subquery:
    """The versions that are not current, or of a merged term, and that an open contract is bound to."""
    return (
        sa.select(col(Contract.term_version_id))
        .join(TermVersion, col(TermVersion.id) == Contract.term_version_id)
        .join(Term, col(Term.id) == TermVersion.term_id)
        .where(
            col(Contract.settled_at).is_(None),
            sa.or_(
                col(TermVersion.version) < col(Term.current_version), col(Term.merged_into_id).is_not(None)
            ),
        )
        .distinct()
        .subquery("in_force")
    )


@dataclass(frozen=True, slots=True)
class Layer:
    """What a matcher is compiled from, and by their keys the term versions that it counts for."""

    entries: tuple[LexiconTerm, ...]
    versions: Mapping[str, int]


def layers_of(session: Session, older_ids: tuple[int, ...]) -> list[Layer]:
    """The layer of the current versions, and as many more as those of ``older_ids`` need."""
    current = current_terms(session)
    layers = [_layer(current.values(), ())]
    older = _pairs(session, col(TermVersion.id).in_(older_ids), order=col(TermVersion.id))
    while older:
        # A layer holds one version of a term; the other terms are there to be the longer match.
        layer = {term.key: (term, version) for term, version in older}
        others = [pair for key, pair in current.items() if key not in layer]
        layers.append(_layer(layer.values(), others))
        older = [(term, version) for term, version in older if layer[term.key][1] is not version]
    return layers


def _compile(session: Session, older_ids: tuple[int, ...]) -> Highlighter:
    layers = layers_of(session, older_ids)
    return Highlighter(tuple((_matcher(layer.entries), layer.versions) for layer in layers))


@lru_cache(maxsize=4)  # where a contract was settled since, the layer of the current versions is the same
def _matcher(entries: tuple[LexiconTerm, ...]) -> Matcher:
    return compile_matcher(Lexicon(entries, ""))


def _layer(counted: Iterable[Pair], others: Iterable[Pair]) -> Layer:
    counted = tuple(counted)
    # Those that are counted come first: where an old form has since moved to another term, it is theirs.
    entries = tuple(lexicon_entry(*pair) for pair in (*counted, *others))
    return Layer(entries, {term.key: version.id for term, version in counted})
