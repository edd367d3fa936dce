"""New papers in: typeset, highlighted, stored, placed on their boards, counted, and their terms listed.

A paper is known by its identifier without a version and stands on one day of a board: the first on which it
was sighted there. Later sightings, versions and repeated runs change neither its text nor its days, so
activity never counts a paper twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.activity import count_days
from market.inserts import insert_new
from market.lexicon import install_lexicon, stored_highlighter
from market.listing import list_carried_terms
from market.placement import Placement
from market.trends import keep_rankings
from nlp.records import RawPaper, ReadingText, Refusal
from nlp.tables import Paper, StoredMention
from nlp.typeset import TYPESETTER_VERSION, runs_to_json, text_hash, typeset

__all__ = ["IntakeReport", "install_lexicon", "take_in"]

BATCH = 500  # records that are looked up and inserted together


@dataclass(frozen=True, slots=True)
class IntakeReport:
    """What became of ``read_count`` records: new papers, papers known before, records refused.

    ``mention_count`` is of the new papers, by the current term versions; ``days`` are the (board code, day)
    pairs that papers were placed on, in order; ``listed_count`` terms were listed on a board.
    """

    read_count: int
    new_count: int
    known_count: int
    refusals: tuple[Refusal, ...]
    mention_count: int
    days: tuple[tuple[str, date], ...]
    listed_count: int


def take_in(
    session: Session,
    items: Iterable[RawPaper | Refusal],
    *,
    now: datetime,
    origin: str = "",
    progress: Callable[[int], None] | None = None,
) -> IntakeReport:
    """Store the papers that are not known yet, in the order in which they come, in the caller's transaction.

    A paper goes on every board whose code is among its categories. Refused, with its line in ``origin``: a
    paper without a day, or with no board. A known paper changes nothing, unless it now has a category with a
    board that it is not on: there it gets the day of this sighting. ``progress`` is called with the number of
    records read so far. A second intake at the same time waits for the first to end.
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
        self._placement = Placement(session)  # first: what is read below must not change until the end
        self._highlighter = stored_highlighter(session)
        self._refusals: list[Refusal] = []
        self.read_count = self._new_count = self._known_count = self._mention_count = 0

    def take(self, batch: Sequence[RawPaper | Refusal]) -> None:
        self.read_count += len(batch)
        sightings: list[RawPaper] = []
        for item in batch:
            if isinstance(item, Refusal):
                self._refusals.append(item)
            elif reason := self._flaw(item):
                self._refusals.append(Refusal(self._origin or item.source, item.line, reason))
            else:
                sightings.append(item)
        categories = _categories(sightings)
        known = self._known(categories)
        new: dict[str, RawPaper] = {}
        for raw in sightings:
            if raw.identifier not in known:
                new.setdefault(raw.identifier, raw)
        ids = known | self._store(list(new.values()), categories)
        self._placement.place([(raw, ids[raw.identifier]) for raw in sightings], known.values())
        self._new_count += len(new)
        self._known_count += len(sightings) - len(new)

    def finish(self) -> IntakeReport:
        days: list[tuple[str, date]] = []
        listed_count = 0
        for board in self._placement.boards.values():
            touched = self._placement.days(board)
            if touched and board.id is not None:
                count_days(self._session, board.id, touched, self._now)
                listed_count += list_carried_terms(self._session, board.id)
                keep_rankings(self._session, board, self._now)
                days += [(board.code, day) for day in touched]
        return IntakeReport(
            self.read_count, self._new_count, self._known_count, tuple(self._refusals), self._mention_count,
            tuple(days), listed_count,
        )  # fmt: skip

    def _flaw(self, raw: RawPaper) -> str | None:
        if raw.day is None:
            return "the day it was announced on is not known; give it with --day"
        if not self._placement.boards_of(raw):
            names = ", ".join(raw.categories) or "it has none"
            return f"none of its categories is a board here: {names}; add one with `peer-revenue boards add`"
        return None

    def _known(self, categories: Mapping[str, tuple[str, ...]]) -> dict[str, int]:
        """The ids of the papers that are stored; new categories are added to them."""
        rows = self._session.execute(
            sa.select(col(Paper.identifier), col(Paper.id), col(Paper.categories)).where(
                col(Paper.identifier).in_(categories)
            )
        ).all()
        for identifier, paper_id, stored in rows:
            more = list(dict.fromkeys((*stored, *categories[identifier])))
            if more != stored:
                changed = sa.update(Paper).where(col(Paper.id) == paper_id).values(categories=more)
                self._session.execute(changed)
        return {identifier: paper_id for identifier, paper_id, _ in rows}

    def _store(self, papers: Sequence[RawPaper], categories: Mapping[str, tuple[str, ...]]) -> dict[str, int]:
        if not papers:
            return {}
        readings = {raw.identifier: typeset(raw.abstract) for raw in papers}
        rows = [_row(raw, readings[raw.identifier], categories[raw.identifier], self._now) for raw in papers]
        stored = self._session.execute(
            sa.insert(Paper).returning(col(Paper.identifier), col(Paper.id)), rows
        )
        ids = {identifier: paper_id for identifier, paper_id in stored if paper_id is not None}
        mentions = [
            {
                "paper_id": ids[identifier], "term_version_id": version, "start_offset": mention.start,
                "end_offset": mention.end, "quote": mention.quote,
            }
            for identifier, reading in readings.items()
            for version, mention in self._highlighter.mentions(reading)
        ]  # fmt: skip
        insert_new(self._session, StoredMention, mentions)
        self._mention_count += len(mentions)
        return ids


def _categories(sightings: Iterable[RawPaper]) -> dict[str, tuple[str, ...]]:
    """All categories of each paper, by its identifier, in the order of the sightings."""
    found: dict[str, tuple[str, ...]] = {}
    for raw in sightings:
        found[raw.identifier] = tuple(dict.fromkeys((*found.get(raw.identifier, ()), *raw.categories)))
    return found


def _row(raw: RawPaper, abstract: ReadingText, categories: tuple[str, ...], now: datetime) -> dict[str, Any]:
    title = typeset(raw.title, paragraphs=False)
    return {
        "identifier": raw.identifier,
        "source": raw.source,
        "url": raw.url,
        "title_source": raw.title,
        "title_runs": runs_to_json(title),
        "title_text": title.text,
        "abstract_source": raw.abstract,
        "abstract_runs": runs_to_json(abstract),
        "abstract_text": abstract.text,
        "text_hash": text_hash(abstract.text),
        "typesetter_version": TYPESETTER_VERSION,
        "authors": list(raw.authors),
        "categories": list(categories),
        "taken_in_at": now,
        "version": raw.version,
        "submitted_at": raw.submitted_at,
        "announced_on": raw.day,
        "announced_as": raw.section,
    }
