"""What is rising and falling on a board: papers of a window against the 56 days before it.

A list holds the terms that rose beyond chance and no others, so it may be empty; it is never filled up to a
length. One day says too little for a trend: `today_against_usual` gives its counts beside the usual ones.
Windows are calendar days, and counts are taken as a share of the papers listed on them.

What is shown as known at a moment comes from the counts as they were then, by the formulas of today. Rankings
are kept when a day is counted or closed (`rankings.py`); one that was not kept, or that later counts have
changed, is computed when it is asked for.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime

from sqlmodel import Session

from market.boards import today_of
from market.rankings import Grounds, grounds_of, keep_lists, kept_lists
from market.recount import hold
from market.tables import Board
from market.trend_counts import ListingDays, counts_of, listing_days, names_of, newest_listing_day
from market.trend_lists import lists_of, with_ranks_before
from market.trend_rows import (
    BASE_DAYS,
    ONE_DAY,
    WINDOWS,
    DayAgainstUsual,
    Lists,
    Span,
    Trending,
    TrendRow,
)

__all__ = [
    "BASE_DAYS",
    "WINDOWS",
    "DayAgainstUsual",
    "TrendRow",
    "Trending",
    "keep_rankings",
    "today_against_usual",
    "trending",
]


def trending(
    session: Session, board: Board, day: date, window: int, *, known_at: datetime | None = None
) -> Trending:
    """What rises and falls in the 7 or 30 calendar days that end with the last listing day until ``day``.

    Where none of these days until ``day`` itself lists papers, nothing is claimed of them. With ``known_at``
    as it was known at that moment, else as it is known now. Four queries where the ranking was kept.
    Raises `ValueError` for another window.
    """
    if window not in WINDOWS:
        raise ValueError(f"there are windows of {sorted(WINDOWS)} days, not of {window}")
    days = listing_days(session, board, day, window, known_at)
    span = Span(days.last, window)
    lists, grounds = _lists(session, board, span, days, known_at)
    return Trending(
        window, span.first, span.last, span.base_first, span.base_last, lists.exposure, lists.base_exposure,
        rising=lists.rising, falling=lists.falling, new_terms=lists.new, most_papers=lists.most,
        checked_count=lists.checked_count, open_days=days.open_days, previous_day=days.previous,
        counted_at=grounds.counted_at,
    )  # fmt: skip


def today_against_usual(
    session: Session, board: Board, day: date, *, known_at: datetime | None = None
) -> DayAgainstUsual:
    """The counts of one day beside the usual ones. Too short to be called a trend.

    With ``known_at`` as in `trending`.
    """
    days = listing_days(session, board, day, ONE_DAY, known_at)
    span = Span(day, ONE_DAY)
    lists, grounds = _lists(session, board, span, days, known_at)
    return DayAgainstUsual(
        day, span.base_first, span.base_last, lists.exposure, lists.base_exposure, lists.most,
        term_count=lists.checked_count, is_open=bool(days.open_days), previous_day=days.previous,
        counted_at=grounds.counted_at,
    )  # fmt: skip


def keep_rankings(session: Session, board: Board, now: datetime, day: date | None = None) -> None:
    """Keep what is rising on the board's newest listing day, and on ``day``, so that pages need not compute.

    Computes nothing where no count has changed since it was kept. No count comes in between.
    """
    hold(session, board.id)
    newest = newest_listing_day(session, board, today_of(board, now))
    for one in sorted({each for each in (newest, day) if each is not None}):
        for window in (ONE_DAY, *WINDOWS):
            days = listing_days(session, board, one, window, None)
            span = Span(days.last, window)
            grounds = grounds_of(session, board, span, days.previous, None)
            if grounds.counted_to and kept_lists(session, board, span, grounds) is None:
                lists = _computed(session, board, span, days.previous, None)
                keep_lists(session, board, span, grounds, lists, now)


def _lists(
    session: Session, board: Board, span: Span, days: ListingDays, known_at: datetime | None
) -> tuple[Lists, Grounds]:
    grounds = grounds_of(session, board, span, days.previous, known_at)
    kept = kept_lists(session, board, span, grounds) if grounds.counted_to else None
    return kept or _computed(session, board, span, days.previous, known_at), grounds


def _computed(
    session: Session, board: Board, span: Span, previous: date | None, known_at: datetime | None
) -> Lists:
    lists = _alone(session, board, span, known_at)
    if previous is None:
        return lists
    day_before = replace(span, last=previous)
    before_it = listing_days(session, board, previous, span.days, known_at).previous
    grounds = grounds_of(session, board, day_before, before_it, known_at)
    kept = kept_lists(session, board, day_before, grounds) if grounds.counted_to else None
    return with_ranks_before(lists, kept or _alone(session, board, day_before, known_at))


def _alone(session: Session, board: Board, span: Span, known_at: datetime | None) -> Lists:
    """The lists without the ranks of the day before."""
    found = counts_of(session, board, span, known_at)
    return lists_of(span.days, found, lambda term_ids: names_of(session, term_ids))
