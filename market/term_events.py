"""The record of what is decided about terms: events written, and the stored state made anew from them.

Whoever changes a term or its forms holds `lock_terms` and says so to `record`, which also changes the one
row by which a highlighter is known to be current (see `highlighter`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.inserts import insert_new
from market.remarks import Remark
from market.tables import LexiconState, Listing, TermEvent, TermName
from market.term_state import TermState, fold
from nlp.tables import Term, TermVersion

ROWS_AT_ONCE = 5000
FROM_LEXICON, COMMITTEE = "lexicon", "committee"  # who decided, where it was nobody


class Kind(StrEnum):
    """What was decided about a term."""

    INSTALLED = "installed"
    LISTED = "listed"
    REFUSED = "refused"
    DELISTED = "delisted"
    MERGED = "merged"
    SPLIT = "split"
    RENAMED = "renamed"


@dataclass(frozen=True, slots=True)
class Decided:
    """Who decided, why, and when; as every use case that changes terms is told. Raises `InvalidRemark`."""

    by: str
    reason: str
    at: datetime

    def __post_init__(self) -> None:
        remark = Remark(self.reason, self.by)
        object.__setattr__(self, "reason", remark.reason)
        object.__setattr__(self, "by", remark.operator)


@dataclass(frozen=True, slots=True)
class Event:
    """An event to be recorded; ``states`` are the terms as they are from it on, ``reason`` is its own, "" for
    that of the whole decision."""

    kind: Kind
    key: str
    label: str
    term_id: int | None
    board_id: int | None = None
    other_id: int | None = None
    reason: str = ""
    states: Sequence[TermState] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


def record(session: Session, event: Event, decided: Decided, cause_id: int | None = None) -> int:
    """Write an event; its id. With states, the lexicon counts as changed."""
    values = _row(event, decided) | {"cause_id": cause_id}
    statement = sa.insert(TermEvent).values(values).returning(col(TermEvent.id))
    event_id: int = session.execute(statement).scalar_one()
    if event.states:
        change_lexicon(session, event.states)
    return event_id


def record_all(session: Session, events: Iterable[Event], decided: Decided) -> None:
    """Write many events, none the cause of another."""
    events = list(events)
    rows = [_row(event, decided) for event in events]
    for start in range(0, len(rows), ROWS_AT_ONCE):
        session.execute(sa.insert(TermEvent), rows[start : start + ROWS_AT_ONCE])
    if states := [state for event in events for state in event.states]:
        change_lexicon(session, states)


def change_lexicon(session: Session, states: Iterable[TermState]) -> None:
    """Say that the stored terms have changed to these: what was compiled of them before is out of date."""
    before = session.execute(sa.select(col(LexiconState.fingerprint))).scalar_one()
    after = sha256(repr((before, [state.plain() for state in states])).encode("utf-8", "surrogatepass"))
    session.execute(sa.update(LexiconState).values(fingerprint=after.hexdigest()))


def lock_terms(session: Session) -> None:
    """Let nobody else change terms until this transaction ends; SQLite's write lock does so already.

    Whoever needs the boards too locks those first.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(sa.text("LOCK TABLE term IN SHARE ROW EXCLUSIVE MODE"))


def rebuild(session: Session) -> None:
    """Make terms, which versions count, listings and names anew from the events; again changes nothing.

    Term versions are frozen and stay: only which of them is current, and counted, follows from the events.
    """
    lock_terms(session)
    events = session.execute(_all_events().execution_options(yield_per=1000))
    folded = fold(events)
    for state in folded.terms.values():
        session.execute(
            sa.update(Term)
            .where(col(Term.id) == state.term_id)
            .values(
                key=state.key, slug=state.slug, label=state.label, current_version=state.version,
                merged_into_id=state.merged_into,
            )
        )  # fmt: skip
        counted = col(TermVersion.version) >= state.counts_from
        of_term = sa.update(TermVersion).where(col(TermVersion.term_id) == state.term_id)
        session.execute(of_term.values(is_counted=counted))
    session.execute(sa.delete(Listing))
    listings = [
        {
            "board_id": board_id, "term_id": term_id, "status": state.status, "reason": state.reason,
            "listed_on": date.fromisoformat(state.listed_on),
        }
        for (board_id, term_id), state in folded.listings.items()
    ]  # fmt: skip
    insert_new(session, Listing, listings)
    session.execute(sa.delete(TermName))
    insert_new(session, TermName, names_of(session.execute(_all_events()), folded.terms.values()))
    session.expire_all()


def names_of(events: Iterable[Any], states: Iterable[TermState]) -> list[dict[str, Any]]:
    """The rows of further names that the events give to terms: the last term to have had a name has it,
    unless it is the present one of a term."""
    present = {("slug", state.slug) for state in states} | {("key", state.key) for state in states}
    names: dict[tuple[str, str], int] = {}
    for event in events:
        for kind, name in event.details.get("names", ()):
            names[kind, name] = event.term_id
    return [
        {"kind": kind, "name": name, "term_id": term_id}
        for (kind, name), term_id in names.items()
        if (kind, name) not in present
    ]


def _all_events() -> sa.Select[Any]:
    return sa.select(
        col(TermEvent.kind), col(TermEvent.board_id), col(TermEvent.term_id), col(TermEvent.reason),
        col(TermEvent.details),
    ).order_by(col(TermEvent.id))  # fmt: skip


def _row(event: Event, decided: Decided) -> dict[str, Any]:
    details = dict(event.details)
    if event.states:
        details["terms"] = [state.plain() for state in event.states]
    return {
        "kind": event.kind.value, "board_id": event.board_id, "term_id": event.term_id,
        "other_id": event.other_id, "key": event.key, "label": event.label, "decided_by": decided.by,
        "reason": event.reason or decided.reason, "details": details, "recorded_at": decided.at,
    }  # fmt: skip
