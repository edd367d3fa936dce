"""What a trend says: a term in a window against its base, and the lists of a board. Pure values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

WINDOWS = {7: 3, 30: 5}  # days, and the least number of papers in them that a trend needs
ONE_DAY = 1  # a window too, but too short for a trend: counts against usual
BASE_DAYS = 56


@dataclass(frozen=True, slots=True)
class TrendRow:
    """A term in a window against its base.

    ``ratio`` is the median of its share of papers over its share before; ``low`` to ``high`` holds that ratio
    with a probability of 80 %. ``score`` orders a list: the cautious end of the ratio where something rises,
    of its inverse where something falls. ``q_value``, 0 to 1, is the part of the rows as striking as this one
    that chance alone would show. ``rank`` is its place in its list, 1 the first; ``rank_before`` the one in
    the same list of the listing day before, None where it was not in it.
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
    term_id: int
    rank: int
    rank_before: int | None

    @property
    def usual(self) -> float:
        """Papers in the window at the base's share; 0 where the base lists none."""
        return self.base_papers * self.listed / self.base_listed if self.base_listed else 0.0


@dataclass(frozen=True, slots=True)
class Trending:
    """What rises and falls on a board in the ``window`` calendar days to ``last_day``.

    ``exposure`` and ``base_exposure`` are the papers listed in window and base; ``checked_count`` terms had
    any of them. ``new_terms`` were in no paper of the base, which listed at least as many papers, and stand
    apart from ``rising``: three in ten such terms are gone a month later. ``most_papers`` is the plain list,
    without a claim. ``open_days`` of the window may still get papers. ``previous_day`` is the listing day
    that ranks are compared with, and ``counted_at`` when the newest of the counts was made, both None where
    there is none.
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
    open_days: tuple[date, ...]
    previous_day: date | None
    counted_at: datetime | None


@dataclass(frozen=True, slots=True)
class DayAgainstUsual:
    """The terms in most papers of one day beside what up to 56 days before it make usual.

    ``term_count`` terms have a paper on the day, and ``rows`` are the first of them; ``is_open`` while the
    day may still get papers. ``previous_day`` and ``counted_at`` as in `Trending`.
    """

    day: date
    base_first: date
    base_last: date
    exposure: int
    base_exposure: int
    rows: tuple[TrendRow, ...]
    term_count: int
    is_open: bool
    previous_day: date | None
    counted_at: datetime | None


@dataclass(frozen=True, slots=True)
class Span:
    """The ``days`` to ``last``, both counted, and the base: the 56 days before them."""

    last: date
    days: int

    @property
    def first(self) -> date:
        return self.last - timedelta(days=self.days - 1)

    @property
    def base_first(self) -> date:
        return self.first - timedelta(days=BASE_DAYS)

    @property
    def base_last(self) -> date:
        return self.first - timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Lists:
    """The four lists of a span with what they were made from. For a single day only ``most`` is made, and
    ``checked_count`` is of the terms with a paper on it."""

    exposure: int
    base_exposure: int
    checked_count: int
    rising: tuple[TrendRow, ...]
    falling: tuple[TrendRow, ...]
    new: tuple[TrendRow, ...]
    most: tuple[TrendRow, ...]
