"""A board with as many terms and days as asked for, written straight into its tables for the benchmarks.

Terms follow Zipf's law, days are weekdays of some 500 papers, and nothing in it depends on the clock. Every
day's papers and mentions are there; all days but the last few are counted and closed as the application
would have done it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine
from sqlmodel import Session

from market import counters
from market.boards import ensure_board
from market.db import transact

LAST_DAY = date(2026, 5, 15)  # a Friday
ROWS_AT_ONCE = 50_000
TERMS_PER_PAPER = 12
START = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Size:
    """``days`` that are counted and closed, and ``waiting`` ones after them that are only read in."""

    terms: int
    days: int
    waiting: int
    papers_a_day: int = 500


def build(engine: Engine, size: Size, *, seed: int = 1) -> list[date]:
    """Fill a migrated, empty SQLite database; returns the days that wait to be counted, oldest first."""

    def board(session: Session) -> None:
        ensure_board(session, "cs.LG", "Machine Learning", "Computer Science", "week", "announced", "UTC", 3)

    transact(engine, board)
    days = listing_days(size.days + size.waiting)
    with engine.begin() as connection:
        _terms(connection, size.terms)
        draw = np.random.default_rng(seed)
        chances = np.cumsum(1 / np.arange(1, size.terms + 1))
        first_paper = 1
        for number, day in enumerate(days):
            carried = _day_of_papers(draw, chances / chances[-1], size.papers_a_day)
            _papers(connection, day, first_paper, carried)
            if number < size.days:
                _counted(connection, day, carried)
            first_paper += len(carried)
    transact(engine, lambda session: counters.rebuild(session, 1))
    return days[size.days :]


def listing_days(count: int) -> list[date]:
    """So many weekdays, the last of them `LAST_DAY`."""
    days: list[date] = []
    day = LAST_DAY
    while len(days) < count:
        if day.weekday() < 5:
            days.append(day)
        day -= timedelta(days=1)
    return days[::-1]


def evening(day: date) -> datetime:
    """When a day is counted and closed."""
    return datetime.combine(day, time(22), UTC)


def _day_of_papers(
    draw: np.random.Generator, chances: NDArray[np.float64], papers: int
) -> list[NDArray[np.int64]]:
    """The ids of the terms that each paper of a day carries."""
    counts = draw.poisson(TERMS_PER_PAPER, draw.poisson(papers))
    drawn = np.searchsorted(chances, draw.random(counts.sum())) + 1
    return [np.unique(some) for some in np.split(drawn, np.cumsum(counts)[:-1])]


def _terms(connection: Connection, count: int) -> None:
    ids = range(1, count + 1)
    _insert(connection, "term (id, key, slug, label, current_version)",
            ((n, f"term {n}", f"term-{n}", f"term {n}", 1) for n in ids))  # fmt: skip
    _insert(connection, "term_version (id, term_id, version, forms, highlighter_version, created_at)",
            ((n, n, 1, "[]", 1, _moment(START)) for n in ids))  # fmt: skip
    _insert(connection, "listing (board_id, term_id, status, reason, listed_on)",
            ((1, n, "listed", "a benchmark", START.date().isoformat()) for n in ids))  # fmt: skip


def _papers(connection: Connection, day: date, first: int, carried: Sequence[NDArray[np.int64]]) -> None:
    empty_hash = hashlib.sha256(b"").hexdigest()
    taken_in_at = _moment(evening(day) - timedelta(hours=2))
    papers = range(first, first + len(carried))
    _insert(
        connection,
        "paper (id, identifier, source, title_source, title_runs, title_text, abstract_source, abstract_runs,"
        " abstract_text, text_hash, typesetter_version, authors, categories, taken_in_at, announced_on,"
        " announced_as)",
        ((n, f"synthetic:{n}", "synthetic", "", "[]", "", "", "[]", "", empty_hash, 1, "[]", '["cs.LG"]',
          taken_in_at, day.isoformat(), "new") for n in papers),
    )  # fmt: skip
    _insert(connection, "board_paper (board_id, paper_id, day, section, position)",
            ((1, n, day.isoformat(), "new", n - first) for n in papers))  # fmt: skip
    _insert(
        connection, "mention (paper_id, term_version_id, start_offset, end_offset, quote)",
        ((paper, term, 10 * at, 10 * at + 9, "synthetic")
         for paper, terms in zip(papers, carried, strict=True) for at, term in enumerate(terms.tolist())),
    )  # fmt: skip


def _counted(connection: Connection, day: date, carried: Sequence[NDArray[np.int64]]) -> None:
    terms, counts = np.unique(np.concatenate(carried), return_counts=True)
    on = day.isoformat()
    _insert(connection, "activity (board_id, term_id, day, paper_count, mention_count, since)",
            ((1, term, on, count, count, 1)
             for term, count in zip(terms.tolist(), counts.tolist(), strict=True)))  # fmt: skip
    closed_at = _moment(evening(day))
    _insert(connection, "board_day (board_id, day, paper_count, closed_at)",
            [(1, on, len(carried), closed_at)])  # fmt: skip
    _insert(connection, "day_count (board_id, day, number, paper_count, recorded_at)",
            [(1, on, 1, len(carried), closed_at)])  # fmt: skip


def _insert(connection: Connection, place: str, rows: Iterable[tuple[object, ...]]) -> None:
    for some in _batches(rows):
        marks = ", ".join("?" * len(some[0]))
        connection.exec_driver_sql(f"INSERT INTO {place} VALUES ({marks})", some)


def _batches(rows: Iterable[tuple[object, ...]]) -> Iterator[list[tuple[object, ...]]]:
    some: list[tuple[object, ...]] = []
    for row in rows:
        some.append(row)
        if len(some) == ROWS_AT_ONCE:
            yield some
            some = []
    if some:
        yield some


def _moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S.%f}"
