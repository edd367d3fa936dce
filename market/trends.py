"""What is rising and falling on a board: papers of a window against the 56 days before it.

A list holds the terms that rose beyond chance and no others, so it may be empty; it is never filled up to a
length. One day says too little for a trend: `today_against_usual` gives its counts beside the usual ones.
The formulas are in `scores.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import Mapped
from sqlmodel import Session, col

from market.listing import LISTED
from market.scores import HIGH, LOW, MIDDLE, Counts, Numbers, chance_of_rise, false_discovery, ratio_quantile
from market.tables import Activity, Board, BoardDay, Listing
from nlp.tables import Term

WINDOWS = {7: 3, 30: 5}  # days, and the least number of papers in them that a trend needs
BASE_DAYS = 56
LEAST_RATIO = 1.2  # of the cautious end of the ratio's interval
FALSE_DISCOVERY = 0.10
MOST_PAPERS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class TrendRow:
    """A term in a window against its base.

    ``ratio`` is the median of its share of papers over its share before; ``low`` to ``high`` holds that ratio
    with a probability of 80 %. ``score`` orders a list: the cautious end of the ratio where something rises,
    of its inverse where something falls. ``q_value``, 0 to 1, is the part of the rows as striking as this one
    that chance alone would show.
    """

    slug: str
    label: str
    papers: int
    listed: int
    base_papers: int
    base_listed: int
    ratio: float
    low: float
    high: float
    score: float
    q_value: float

    @property
    def usual(self) -> float:
        """Papers in the window at the base's share; 0 where the base lists none."""
        return self.base_papers * self.listed / self.base_listed if self.base_listed else 0.0


@dataclass(frozen=True, slots=True)
class Trending:
    """What rises and falls on a board in the ``window`` days to ``last_day``.

    ``exposure`` and ``base_exposure`` are the papers listed in window and base; ``checked_count`` terms had
    any of them. ``new_terms`` were in no paper of the base, which listed at least as many papers, and stand
    apart from ``rising``: three in ten such terms are gone a month later. ``most_papers`` is the plain list,
    without a claim.
    """

    window: int
    first_day: date
    last_day: date
    base_first: date
    base_last: date
    exposure: int
    base_exposure: int
    rising: tuple[TrendRow, ...]
    falling: tuple[TrendRow, ...]
    new_terms: tuple[TrendRow, ...]
    most_papers: tuple[TrendRow, ...]
    checked_count: int


@dataclass(frozen=True, slots=True)
class DayAgainstUsual:
    """The terms of one day, most papers first, beside what up to 56 days before it make usual."""

    day: date
    base_first: date
    base_last: date
    exposure: int
    base_exposure: int
    rows: tuple[TrendRow, ...]


def trending(session: Session, board: Board, today: date, window: int) -> Trending:
    """What rises and falls in the 7 or 30 calendar days that end with ``today``, in two queries.

    Without papers before the window there is nothing to compare with, and nothing rises, falls or is new.
    Raises `ValueError` for another window.
    """
    if window not in WINDOWS:
        raise ValueError(f"there are windows of {sorted(WINDOWS)} days, not of {window}")
    least = WINDOWS[window]
    days = _Days(today - timedelta(days=window - 1), today)
    terms, counts = _read(session, board, days)
    low, middle, high = (ratio_quantile(counts, quantile) for quantile in (LOW, MIDDLE, HIGH))
    rises = _rows(terms, counts, (low, middle, high), low, chance_of_rise(counts))
    falls = _rows(terms, counts, (low, middle, high), 1 / high, chance_of_rise(counts.mirrored()))
    fresh = (row for row in rises if row.base_papers == 0 and row.base_listed >= row.listed)
    return Trending(
        window, days.first, days.last, days.base_first, days.base_last, counts.listed, counts.base_listed,
        rising=_by_score(row for row in rises if row.papers >= least and row.base_papers > 0),
        falling=_by_score(row for row in falls if row.base_papers >= least),
        new_terms=_by_papers(row for row in fresh if row.papers >= least),
        most_papers=_by_papers(row for row in rises if row.papers > 0)[:MOST_PAPERS_SHOWN],
        checked_count=len(terms),
    )  # fmt: skip


def today_against_usual(session: Session, board: Board, day: date) -> DayAgainstUsual:
    """The counts of one day beside the usual ones, in two queries. Too short to be called a trend."""
    days = _Days(day, day)
    terms, counts = _read(session, board, days)
    low, middle, high = (ratio_quantile(counts, quantile) for quantile in (LOW, MIDDLE, HIGH))
    rows = _rows(terms, counts, (low, middle, high), low, chance_of_rise(counts))
    carried = _by_papers(row for row in rows if row.papers > 0)
    return DayAgainstUsual(day, days.base_first, days.base_last, counts.listed, counts.base_listed, carried)


@dataclass(frozen=True, slots=True)
class _Days:
    """A window and the 56 days before it."""

    first: date
    last: date

    @property
    def base_first(self) -> date:
        return self.first - timedelta(days=BASE_DAYS)

    @property
    def base_last(self) -> date:
        return self.first - timedelta(days=1)


def _by_score(rows: Iterable[TrendRow]) -> tuple[TrendRow, ...]:
    """The rows beyond chance, the surest first."""
    beyond_chance = (row for row in rows if row.q_value <= FALSE_DISCOVERY and row.score >= LEAST_RATIO)
    return tuple(sorted(beyond_chance, key=lambda row: (-row.score, row.label)))


def _by_papers(rows: Iterable[TrendRow]) -> tuple[TrendRow, ...]:
    return tuple(sorted(rows, key=lambda row: (-row.papers, row.label)))


def _rows(
    terms: list[tuple[str, str]],
    counts: Counts,
    ratios: tuple[Numbers, Numbers, Numbers],
    scores: Numbers,
    chances: Numbers,
) -> list[TrendRow]:
    columns = [counts.papers, counts.base_papers, *ratios, scores, false_discovery(chances)]
    return [
        TrendRow(
            slug, label, int(papers), counts.listed, int(base_papers), counts.base_listed,
            ratio=ratio, low=low, high=high, score=score, q_value=q_value,
        )
        for (slug, label), papers, base_papers, low, ratio, high, score, q_value in zip(
            terms, *(column.tolist() for column in columns), strict=True
        )
    ]  # fmt: skip


def _read(session: Session, board: Board, days: _Days) -> tuple[list[tuple[str, str]], Counts]:
    """Slug and label of every listed term with a paper in window or base; the counts in the same order."""
    papers, base_papers = _sums(days, col(Activity.day), col(Activity.paper_count))
    rows = session.execute(
        sa.select(col(Term.slug), col(Term.label), papers, base_papers)
        .join(Activity, col(Activity.term_id) == Term.id)
        .join(Listing, sa.and_(col(Listing.term_id) == Term.id, col(Listing.board_id) == Activity.board_id))
        .where(
            col(Activity.board_id) == board.id,
            col(Activity.day).between(days.base_first, days.last),
            col(Listing.status) == LISTED,
        )
        .group_by(col(Term.id), col(Term.slug), col(Term.label))
    ).all()
    listed, base_listed = session.execute(
        sa.select(*_sums(days, col(BoardDay.day), col(BoardDay.paper_count))).where(
            col(BoardDay.board_id) == board.id, col(BoardDay.day).between(days.base_first, days.last)
        )
    ).one()
    counts = Counts(
        np.array([float(row[2]) for row in rows]), np.array([float(row[3]) for row in rows]),
        int(listed), int(base_listed),
    )  # fmt: skip
    return [(row[0], row[1]) for row in rows], counts


def _sums(
    days: _Days, day: Mapped[date], papers: Mapped[int]
) -> tuple[sa.ColumnElement[int], sa.ColumnElement[int]]:
    """Papers in the window, and in the base."""
    in_window = sa.func.coalesce(sa.func.sum(sa.case((day >= days.first, papers), else_=0)), 0)
    in_base = sa.func.coalesce(sa.func.sum(sa.case((day < days.first, papers), else_=0)), 0)
    return in_window, in_base
