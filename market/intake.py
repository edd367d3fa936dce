"""Papers in: typeset, highlighted, stored, placed on their boards, counted, and their terms listed.

A paper is known by its identifier without a version and stands on one day of a board. Sightings in any order,
repeated and spread over files as it happens, give the same rows (see `sightings.py` and `placement.py`), so
activity never counts a paper twice. A later version brings its text, which is typeset and highlighted anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice

from sqlmodel import Session

from market.activity import count_days
from market.highlighter import stored_highlighter
from market.lexicon import install_lexicon
from market.listing import list_carried_terms
from market.papers import Papers, StoredPaper
from market.placement import Placement
from market.sightings import Facts, merged, seen
from market.trends import keep_rankings
from nlp.records import RawPaper, Refusal, Section

__all__ = ["IntakeReport", "install_lexicon", "take_in"]

BATCH = 500  # records that are looked up and inserted together
LONGEST_IDENTIFIER, LONGEST_ADDRESS, MOST_VERSIONS = 200, 500, 2**31  # as the paper's table holds


@dataclass(frozen=True, slots=True)
class IntakeReport:
    """What became of ``read_count`` records: new papers, papers known before, records refused.

    ``mention_count`` is of the texts that are new, by the term versions in force; ``days`` are the (board
    code, day) pairs on which something changed, in order; ``listed_count`` terms were listed on a board.

    ``replaced_only_count`` records replace papers that no source has announced; of the papers, known or new,
    ``updated_count`` got another text, ``withdrawn_count`` were found withdrawn and ``duplicate_count`` have
    the text of another paper.
    """

    read_count: int
    new_count: int
    known_count: int
    refusals: tuple[Refusal, ...]
    mention_count: int
    days: tuple[tuple[str, date], ...]
    listed_count: int
    replaced_only_count: int = 0
    updated_count: int = 0
    withdrawn_count: int = 0
    duplicate_count: int = 0


def take_in(
    session: Session,
    items: Iterable[RawPaper | Refusal],
    *,
    now: datetime,
    origin: str = "",
    progress: Callable[[int], None] | None = None,
) -> IntakeReport:
    """Store what the records say of papers, in the caller's transaction.

    A paper goes on every board whose code is among its categories, once a record has announced it; a
    replacement of an unknown paper is stored and stands on none. Refused, with its line in ``origin``: a
    record with no board; one that announces a paper without saying when, nor when it was submitted.
    ``progress`` is called with the number of records read so far. A second intake at the same time waits for
    the first to end.
    """
    intake = _Intake(session, now, origin)
    records = iter(items)
    while batch := list(islice(records, BATCH)):
        intake.take(batch)
        if progress is not None:
            progress(intake.read_count)
    return intake.finish()


class _Intake:
    """What is known while the batches of one intake go by."""

    def __init__(self, session: Session, now: datetime, origin: str) -> None:
        self._session, self._now, self._origin = session, now, origin
        # First: what is read below must not change until the end.
        self._placement = Placement(session, now)
        self._papers = Papers(session, stored_highlighter(session), now)
        self._refusals: list[Refusal] = []
        self.read_count = self._new_count = self._known_count = self._replaced_only_count = 0
        self._updated_count = self._withdrawn_count = self._duplicate_count = 0

    def take(self, batch: Sequence[RawPaper | Refusal]) -> None:
        self.read_count += len(batch)
        sightings = self._sound(batch)
        said: dict[str, Facts] = {}
        for raw in sightings:
            facts = seen(raw)
            said[raw.identifier] = merged(said[raw.identifier], facts) if raw.identifier in said else facts
        known = self._papers.known(said)
        facts_of = {
            identifier: merged(known[identifier].facts, facts) if identifier in known else facts
            for identifier, facts in said.items()
        }
        new = {identifier: facts for identifier, facts in facts_of.items() if identifier not in known}
        changed = {
            stored: facts_of[identifier]
            for identifier, stored in known.items()
            if facts_of[identifier] != stored.facts
        }
        ids = {identifier: stored.id for identifier, stored in known.items()} | self._papers.add(new)
        self._papers.change(changed)
        self._placement.place(
            {ids[identifier]: (identifier, facts) for identifier, facts in facts_of.items()},
            {stored.id for stored in known.values()},
            {stored.id for stored, facts in changed.items() if stored.counts_otherwise(facts)},
        )
        self._count(sightings, known, facts_of)

    def finish(self) -> IntakeReport:
        days: list[tuple[str, date]] = []
        listed_count = 0
        for board in self._placement.boards.values():
            touched = self._placement.days(board)
            if touched and board.id is not None:
                count_days(self._session, board.id, touched, self._now)
                listed_count += list_carried_terms(self._session, board.id, touched, self._now)
                keep_rankings(self._session, board, self._now)
                days += [(board.code, day) for day in touched]
        return IntakeReport(
            self.read_count, self._new_count, self._known_count, tuple(self._refusals),
            self._papers.mention_count, tuple(days), listed_count, self._replaced_only_count,
            self._updated_count, self._withdrawn_count, self._duplicate_count,
        )  # fmt: skip

    def _sound(self, batch: Sequence[RawPaper | Refusal]) -> list[RawPaper]:
        """The records that can be taken; the others are kept as refusals."""
        sightings = []
        for item in batch:
            if isinstance(item, Refusal):
                self._refusals.append(item)
            elif reason := self._flaw(item):
                self._refusals.append(Refusal(self._origin or item.source, item.line, reason))
            else:
                sightings.append(item)
        return sightings

    def _flaw(self, raw: RawPaper) -> str | None:
        # By the record alone: what is known already must not decide, or the order would.
        if reason := _unfit(raw):
            return reason
        if raw.section is Section.REPLACED and not raw.categories:
            return None
        if not self._placement.boards_of(raw.categories):
            names = ", ".join(raw.categories) or "it has none"
            return f"none of its categories is a board here: {names}; add one with `peer-revenue boards add`"
        if raw.section is Section.REPLACED:
            return None
        if raw.day is None and raw.submitted_at is None:
            return "the day it was announced on is not known; give it with --day"
        return None if raw.abstract else "no abstract"

    def _count(
        self, sightings: Sequence[RawPaper], known: dict[str, StoredPaper], facts_of: dict[str, Facts]
    ) -> None:
        announced = {identifier for identifier, facts in facts_of.items() if facts.announced}
        before = {identifier for identifier, stored in known.items() if stored.facts.announced}
        new = announced - before
        updated = {each for each in before if known[each].reads_otherwise(facts_of[each])}
        replaced_only = sum(raw.identifier not in announced for raw in sightings)
        self._new_count += len(new)
        self._replaced_only_count += replaced_only
        self._known_count += len(sightings) - replaced_only - len(new)
        self._updated_count += len(updated)
        self._duplicate_count += self._papers.duplicate_count(new | updated)
        self._withdrawn_count += sum(
            facts.is_withdrawn and not (each in known and known[each].facts.is_withdrawn)
            for each, facts in facts_of.items()
        )


def _unfit(raw: RawPaper) -> str | None:
    """What of a record no table can hold: it must not take the rest of its file with it."""
    if len(raw.identifier) > LONGEST_IDENTIFIER:
        return f"its identifier is longer than {LONGEST_IDENTIFIER} characters"
    if raw.url is not None and len(raw.url) > LONGEST_ADDRESS:
        return f"its address is longer than {LONGEST_ADDRESS} characters"
    if raw.version is not None and not 1 <= raw.version < MOST_VERSIONS:
        return f"its version is {raw.version}"
    return None
