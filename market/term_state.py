"""What the recorded decisions about terms come to: a pure fold, the same however often it is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class TermState:
    """A term from an event on: its names, the forms of its current version, and what became of it.

    Mentions found with versions from ``counts_from`` on are its activity. ``merged_into`` is the id of the
    term that it was merged into, None while it stands for itself.
    """

    term_id: int
    key: str
    slug: str
    label: str
    version: int
    forms: tuple[str, ...]
    counts_from: int = 1
    merged_into: int | None = None

    def plain(self) -> dict[str, Any]:
        """As it is stored in an event."""
        return asdict(self) | {"forms": list(self.forms)}


@dataclass(frozen=True, slots=True)
class ListingState:
    """Whether a board lists a term, why, and since which day (in ISO form)."""

    status: str
    reason: str
    listed_on: str


@dataclass(frozen=True, slots=True)
class FoldedTerms:
    """The state after some events: terms by id, listings by board and term."""

    terms: Mapping[int, TermState]
    listings: Mapping[tuple[int, int], ListingState]


def fold(events: Iterable[Any]) -> FoldedTerms:
    """The state that the events, in the order of their ids, lead to; each has `kind`, `board_id`, `term_id`,
    `reason` and `details`."""
    terms: dict[int, TermState] = {}
    listings: dict[tuple[int, int], ListingState] = {}
    for event in events:
        for state in event.details.get("terms", ()):
            found = TermState(**{**state, "forms": tuple(state["forms"])})
            terms[found.term_id] = found
        if event.kind in ("listed", "delisted"):
            place = (event.board_id, event.term_id)
            listings[place] = ListingState(event.kind, event.reason, event.details["listed_on"])
    return FoldedTerms(terms, listings)


def root_of(term_id: int, merged_into: Mapping[int, int | None]) -> int | None:
    """The term that this one has become part of, itself if none; None where the way goes in a circle."""
    seen = {term_id}
    while (after := merged_into.get(term_id)) is not None:
        if after in seen:
            return None
        seen.add(after)
        term_id = after
    return term_id
