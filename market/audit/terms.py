"""Terms as they are stored, against the decisions that led there (L21)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, SQLModel

from market.audit.findings import Finding
from market.audit.rows import rows
from market.term_events import names_of
from market.term_state import ListingState, TermState, fold, root_of
from nlp.lexicon import LexiconTerm, shared_forms

TERM, VERSION, LISTING, EVENT, NAME = (
    SQLModel.metadata.tables[name] for name in ("term", "term_version", "listing", "term_event", "term_name")
)
_EVENTS = sa.select(
    EVENT.c.kind, EVENT.c.board_id, EVENT.c.term_id, EVENT.c.reason, EVENT.c.details
).order_by(EVENT.c.id)
_TERMS = (
    sa.select(
        TERM.c.id, TERM.c.key, TERM.c.slug, TERM.c.label, TERM.c.current_version, VERSION.c.forms,
        TERM.c.merged_into_id,
    )
    .join_from(
        TERM, VERSION,
        sa.and_(VERSION.c.term_id == TERM.c.id, VERSION.c.version == TERM.c.current_version), isouter=True,
    )
    .order_by(TERM.c.id)
)  # fmt: skip
_COUNTING = sa.select(VERSION.c.term_id, VERSION.c.version, VERSION.c.is_counted).order_by(
    VERSION.c.term_id, VERSION.c.version
)
_LISTINGS = sa.select(
    LISTING.c.board_id, LISTING.c.term_id, LISTING.c.status, LISTING.c.reason, LISTING.c.listed_on
).order_by(LISTING.c.board_id, LISTING.c.term_id)


def check_terms(session: Session) -> Iterator[Finding]:
    """Terms, listings and names are as the events say; no merge is a circle; a form has one owner."""
    folded = fold(rows(session, _EVENTS))
    first = {term_id: state.counts_from for term_id, state in folded.terms.items()}
    stored: dict[int, TermState] = {}
    for row in rows(session, _TERMS):
        forms = tuple(row.forms or ())
        stored[row.id] = TermState(
            row.id, row.key, row.slug, row.label, row.current_version, forms, first.get(row.id, 1),
            row.merged_into_id,
        )  # fmt: skip
    yield from _differences("term", stored, folded.terms)
    yield from _differences("listing", _listings(session), folded.listings)
    for version in rows(session, _COUNTING):
        expected = version.version >= first.get(version.term_id, 1)
        if version.is_counted is not expected:
            what = f"version {version.version} of term {version.term_id}"
            yield Finding("L21", None, f"{what} is {'' if version.is_counted else 'not '}counted")
    names = names_of(rows(session, _EVENTS), folded.terms.values())
    said = {(row["kind"], row["name"]): row["term_id"] for row in names}
    kept = {(row.kind, row.name): row.term_id for row in rows(session, sa.select(NAME))}
    yield from _differences("name", kept, said)
    yield from _misplaced(stored)


def _listings(session: Session) -> dict[tuple[int, int], ListingState]:
    return {
        (row.board_id, row.term_id): ListingState(row.status, row.reason, row.listed_on.isoformat())
        for row in rows(session, _LISTINGS)
    }


def _differences(
    what: str, stored: Mapping[Any, object], said: Mapping[Any, object]
) -> Iterator[Finding]:
    for place in sorted({*stored, *said}, key=str):
        if stored.get(place) != said.get(place):
            found, expected = stored.get(place), said.get(place)
            yield Finding("L21", None, f"{what} {place} is {found}, and the events say {expected}")


def _misplaced(stored: Mapping[int, TermState]) -> Iterator[Finding]:
    merged = {term_id: state.merged_into for term_id, state in stored.items()}
    for term_id in sorted(stored):
        if root_of(term_id, merged) is None:
            yield Finding("L21", None, f"term {term_id} was merged in a circle")
    standing = [
        LexiconTerm(state.key, state.slug, state.forms[0], state.forms)
        for state in stored.values()
        if state.merged_into is None and state.forms
    ]
    for one, one_form, other, other_form in shared_forms(standing):
        owners = f"{one.key!r} ({one_form!r}) and {other.key!r} ({other_form!r})"
        yield Finding("L21", None, f"{owners} share a form")
