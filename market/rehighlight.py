"""Stored papers read again after forms of terms have changed: only those whose mentions can be others now.

A change of forms touches no text without the words of a form that came or went. In the papers that have them
the mentions of every version in force are made those of a paper that comes in today, and what that changes is
counted anew; what was known before stays readable (see `known`). Open contracts keep counting with the
versions that they are bound to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.activity import count_days
from market.boards import all_boards
from market.highlighter import Highlighter, stored_highlighter
from market.inserts import insert_new
from market.tables import BoardPaper
from market.trends import keep_rankings
from market.word_search import papers_with_words, texts_of
from nlp.tables import StoredMention, TermVersion
from nlp.word_signature import forms_that_tell

PAPERS_AT_ONCE = 500

Progress = Callable[[str, int, int], None]  # what is done, how many of them, of how many
_MENTIONS: sa.Table = StoredMention.__table__  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class FormsChanged:
    """The forms of a term before and after a change; none before for a new term, none after for one that has
    become part of another."""

    term_id: int
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """What a change of terms touched: papers that were read again, watches that began."""

    paper_count: int
    watch_count: int


def ignore(_step: str, _done: int, _total: int) -> None:
    """No progress is shown."""


def rehighlight(
    session: Session, changes: Iterable[FormsChanged], now: datetime, progress: Progress = ignore
) -> int:
    """Make the mentions of the stored papers, and all that is counted of them, those of the forms of today.

    To be called in the transaction that changed the forms, after it gave each term its new version (see
    `start_version`). Returns how many papers were read again. The caller commits.
    """
    changes = tuple(changes)
    telling = {form for change in changes for form in forms_that_tell(change.before, change.after)}
    papers = papers_with_words(session, telling)
    touched = _Touched(frozenset(change.term_id for change in changes))
    if papers:
        highlighter = stored_highlighter(session)
        terms = _terms_of(session, highlighter)
        for start in range(0, len(papers), PAPERS_AT_ONCE):
            _read_again(session, papers[start : start + PAPERS_AT_ONCE], highlighter, terms, touched)
            progress("papers read", min(start + PAPERS_AT_ONCE, len(papers)), len(papers))
    _count(session, touched.papers, now, progress)
    return len(papers)


def start_version(session: Session, term_id: int) -> None:
    """Let the newest version of a term have what counted as its mentions, and older ones count no more.

    It is as if the new forms had found the same; `rehighlight` then changes what they find otherwise.
    """
    of_term = col(TermVersion.term_id) == term_id
    version_id = session.execute(
        sa.select(col(TermVersion.id)).where(of_term).order_by(col(TermVersion.version).desc()).limit(1)
    ).scalar_one()
    counted = (
        sa.select(col(TermVersion.id), col(TermVersion.version))
        .where(of_term, col(TermVersion.is_counted), col(TermVersion.id) != version_id)
        .subquery()
    )
    newest = sa.func.max(counted.c.version).over(partition_by=_MENTIONS.c.paper_id)
    found = (
        sa.select(_MENTIONS, counted.c.version, newest.label("newest"))
        .join(counted, counted.c.id == _MENTIONS.c.term_version_id)
        .subquery()
    )
    columns = ("paper_id", "term_version_id", "start_offset", "end_offset", "quote")
    copies = sa.select(
        found.c.paper_id, sa.literal(version_id), found.c.start_offset, found.c.end_offset, found.c.quote
    ).where(found.c.version == found.c.newest)
    session.execute(sa.insert(_MENTIONS).from_select(columns, copies))
    stop_counting(session, term_id, version_id)


def stop_counting(session: Session, term_id: int, but: int | None = None) -> None:
    """What the versions of the term have found, all or all but one, is not its activity any more."""
    others = [] if but is None else [col(TermVersion.id) != but]
    versions = sa.update(TermVersion).where(
        col(TermVersion.term_id) == term_id, col(TermVersion.is_counted), *others
    )
    session.execute(versions.values(is_counted=False))


class _Touched:
    """The papers, by term, for which what counts of the term may be another now.

    Terms that were ``changed`` are so wherever they stood or stand; others where their mentions differ.
    """

    def __init__(self, changed: frozenset[int]) -> None:
        self._changed = changed
        self.papers: dict[int, set[int]] = defaultdict(set)

    def add(self, paper_id: int, term_id: int, *, differs: bool) -> None:
        if differs or term_id in self._changed:
            self.papers[term_id].add(paper_id)


def _read_again(
    session: Session,
    papers: Sequence[int],
    highlighter: Highlighter,
    terms: Mapping[int, int],
    touched: _Touched,
) -> None:
    """Make the stored mentions of these papers what the highlighter finds; only what differs is written."""
    stored = {_place(row): row for row in _stored(session, papers)}
    found: dict[tuple[int, int, int, int], dict[str, Any]] = {}
    for paper_id, reading in texts_of(session, papers).items():
        for version_id, mention in highlighter.mentions(reading):
            row = {
                "paper_id": paper_id, "term_version_id": version_id, "start_offset": mention.start,
                "end_offset": mention.end, "quote": mention.quote,
            }  # fmt: skip
            found[paper_id, version_id, mention.start, mention.end] = row
    gone = [row for place, row in stored.items() if place not in found and _is_current(row, terms)]
    new = [place for place in found if place not in stored]
    _delete(session, gone)
    insert_new(session, StoredMention, [found[place] for place in new])
    for row in stored.values():
        touched.add(row.paper_id, row.term_id, differs=False)
    for row in gone:
        touched.add(row.paper_id, row.term_id, differs=True)
    for paper_id, version_id, _, _ in new:
        touched.add(paper_id, terms[version_id], differs=True)


def _stored(session: Session, papers: Sequence[int]) -> Iterator[Any]:
    yield from session.execute(
        sa.select(
            _MENTIONS.c.paper_id, _MENTIONS.c.term_version_id, _MENTIONS.c.start_offset,
            _MENTIONS.c.end_offset, col(TermVersion.term_id), col(TermVersion.is_counted),
        )
        .join(TermVersion, col(TermVersion.id) == _MENTIONS.c.term_version_id)
        .where(_MENTIONS.c.paper_id.in_(papers))
    )  # fmt: skip


def _place(row: Any) -> tuple[int, int, int, int]:
    return row.paper_id, row.term_version_id, row.start_offset, row.end_offset


def _is_current(row: Any, terms: Mapping[int, int]) -> bool:
    # What a version has found that counts no more and that no open contract is bound to is history.
    return row.is_counted or row.term_version_id in terms


def _terms_of(session: Session, highlighter: Highlighter) -> dict[int, int]:
    """The term of each version in force, by their ids."""
    in_force = {version_id for _, versions in highlighter.layers for version_id in versions.values()}
    rows = session.execute(sa.select(col(TermVersion.id), col(TermVersion.term_id)))
    return {version_id: term_id for version_id, term_id in rows if version_id in in_force}


def _delete(session: Session, rows: Sequence[Any]) -> None:
    if rows:
        which = (
            _MENTIONS.c.paper_id == sa.bindparam("of_paper"),
            _MENTIONS.c.term_version_id == sa.bindparam("of_version"),
            _MENTIONS.c.start_offset == sa.bindparam("of_start"),
        )
        places = [
            {"of_paper": row.paper_id, "of_version": row.term_version_id, "of_start": row.start_offset}
            for row in rows
        ]
        session.connection().execute(sa.delete(_MENTIONS).where(*which), places)


def _count(
    session: Session, touched: Mapping[int, set[int]], now: datetime, progress: Progress
) -> None:
    papers = sorted(set().union(*touched.values()))
    for board in all_boards(session):
        if board.id is None or not (days := _days(session, board.id, papers)):
            continue
        step = partial(_said, progress, f"days of {board.code} counted", len(days))
        count_days(session, board.id, days, now, term_ids=sorted(touched), progress=step)
        keep_rankings(session, board, now)


def _days(session: Session, board_id: int, papers: Sequence[int]) -> set[Any]:
    days: set[Any] = set()
    for start in range(0, len(papers), PAPERS_AT_ONCE):
        days.update(
            session.scalars(
                sa.select(col(BoardPaper.day))
                .where(
                    col(BoardPaper.board_id) == board_id,
                    col(BoardPaper.paper_id).in_(papers[start : start + PAPERS_AT_ONCE]),
                )
                .distinct()
            )
        )
    return days


def _said(progress: Progress, step: str, total: int, done: int) -> None:
    progress(step, done, total)
