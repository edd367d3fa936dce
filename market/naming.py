"""By which names a term is found: its key and address, those it had before, those of terms merged into it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

import sqlalchemy as sa
from sqlmodel import Session, col, select

from market.errors import MarketError
from market.tables import TermName
from market.term_state import root_of
from nlp.normalize import term_key
from nlp.tables import Term

SUGGESTED = 5
_LONGEST_CHAIN = 50  # merges one after the other that are followed


class NoSuchTerm(MarketError):
    """No term has this name; the message has the nearest ones."""

    def __init__(self, name: str, nearest: tuple[str, ...]) -> None:
        close = f" Did you mean {' or '.join(map(repr, nearest))}?" if nearest else ""
        super().__init__(f"There is no term {name!r}.{close}")
        self.name = name
        self.nearest = nearest


@dataclass(frozen=True, slots=True)
class Names:
    """All names of all terms. ``ids`` has, by key, the term that the key means today; ``slugs`` the term that
    has, or had, an address; ``keys`` and ``labels`` are by id."""

    ids: Mapping[str, int]
    slugs: Mapping[str, int]
    keys: Mapping[int, str]
    labels: Mapping[int, str]

    def root_key(self, key: str) -> str | None:
        """The key of the term that this key means today; None for a new one."""
        found = self.ids.get(key)
        return None if found is None else self.keys[found]


def stored_names(session: Session) -> Names:
    """Every name that is taken; two queries."""
    rows = session.execute(
        sa.select(col(Term.id), col(Term.key), col(Term.slug), col(Term.label), col(Term.merged_into_id))
    ).all()
    merged = {row.id: row.merged_into_id for row in rows if row.merged_into_id is not None}
    ids, slugs = {row.key: row.id for row in rows}, {row.slug: row.id for row in rows}
    for kind, name, term_id in session.execute(
        sa.select(col(TermName.kind), col(TermName.name), col(TermName.term_id))
    ):
        (ids if kind == "key" else slugs).setdefault(name, term_id)
    roots = {key: root_of(term_id, merged) or term_id for key, term_id in ids.items()}
    keys, labels = {row.id: row.key for row in rows}, {row.id: row.label for row in rows}
    return Names(roots, slugs, keys, labels)


def term_named(session: Session, name: str) -> Term:
    """The term with this address, label or spelling, also one of before; raises `NoSuchTerm`.

    A merged term is returned itself (see `root_term`).
    """
    key = term_key(name)
    other = sa.or_(
        sa.and_(col(TermName.kind) == "slug", col(TermName.name) == name),
        sa.and_(col(TermName.kind) == "key", col(TermName.name) == key),
    )
    found = None
    if name and "\0" not in name:
        found = (
            session.exec(select(Term).where(Term.slug == name)).first()
            or session.exec(select(Term).where(sa.or_(col(Term.label) == name, col(Term.key) == key))).first()
            or session.exec(select(Term).join(TermName).where(other).order_by(col(TermName.kind))).first()
        )
    if found is None:
        raise NoSuchTerm(name, nearest_names(session, name))
    return found


def root_term(session: Session, term: Term) -> Term:
    """The term that this one has become part of, itself if none."""
    for _ in range(_LONGEST_CHAIN):
        if term.merged_into_id is None:
            return term
        term = session.get_one(Term, term.merged_into_id)
    raise AssertionError(f"term {term.id} was merged in a circle")


def term_at(session: Session, slug: str) -> Term | None:
    """The term that has this address, or had it before it was renamed; a merged one itself."""
    if "\0" in slug:  # PostgreSQL cannot even be asked for a text with NUL in it
        return None
    found = session.exec(select(Term).where(Term.slug == slug)).one_or_none()
    return found or session.exec(
        select(Term)
        .join(TermName, col(TermName.term_id) == Term.id)
        .where(col(TermName.kind) == "slug", col(TermName.name) == slug)
    ).one_or_none()


def parts_of(session: Session, term_id: int) -> tuple[int, ...]:
    """The ids of the terms that were merged into this one, and into those, in the order of their ids."""
    merged = (
        sa.select(col(Term.id)).where(col(Term.merged_into_id) == term_id).cte("part", recursive=True)
    )
    parts = merged.union(sa.select(col(Term.id)).join(merged, col(Term.merged_into_id) == merged.c.id))
    return tuple(session.scalars(sa.select(parts.c.id).order_by(parts.c.id)))


def nearest_names(session: Session, name: str) -> tuple[str, ...]:
    """Addresses of terms that are spelled much like it, or that contain it; the nearest first."""
    slugs = list(session.scalars(sa.select(col(Term.slug)).order_by(col(Term.slug))))
    asked = name.lower().replace(" ", "-")
    close = get_close_matches(asked, slugs, SUGGESTED)
    holding = [slug for slug in slugs if asked and asked in slug]
    return tuple(dict.fromkeys([*close, *holding]))[:SUGGESTED]
