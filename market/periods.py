"""Periods of a board: ISO 8601 weeks ("2026-W21") and calendar months ("2026-06"). Pure.

Every day lies in exactly one period of a kind, and the periods of a kind follow one another without a gap.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from market.errors import UnknownPeriod

WEEK = "week"
MONTH = "month"

_NAME = re.compile(r"([0-9]{4})-(?:W([0-9]{2})|([0-9]{2}))")
_ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Period:
    """The days ``first_day`` to ``last_day``, both included; ``name`` is unique over both kinds."""

    name: str
    first_day: date
    last_day: date

    @property
    def kind(self) -> str:
        """``"week"`` or ``"month"``, as a board's ``period`` says it."""
        return WEEK if "W" in self.name else MONTH


def period_of(kind: str, day: date) -> Period:
    """The week or month that ``day`` lies in.

    An ISO week belongs to the year of its Thursday: 2027-01-01 lies in 2026-W53.
    Raises `UnknownPeriod` for a kind that is neither ``"week"`` nor ``"month"``.
    """
    if kind == WEEK:
        year, week, weekday = day.isocalendar()
        first = day - timedelta(days=weekday - 1)
        return Period(f"{year:04d}-W{week:02d}", first, first + timedelta(days=6))
    if kind == MONTH:
        first = day.replace(day=1)
        # The 28th and four days are always in the month that follows.
        next_first = (first.replace(day=28) + timedelta(days=4)).replace(day=1)
        return Period(f"{first.year:04d}-{first.month:02d}", first, next_first - _ONE_DAY)
    raise UnknownPeriod(f"There is no period of the kind {kind!r}: a board is kept by week or by month.")


def following(period: Period) -> Period:
    """The period of the same kind that begins on the day after ``period``."""
    return period_of(period.kind, period.last_day + _ONE_DAY)


@lru_cache(64)  # every order asks, and the day is the same
def front_periods(kind: str, today: date, count: int = 4) -> tuple[Period, ...]:
    """The next ``count`` periods that have not begun on ``today``, soonest first: the ones open to orders."""
    periods = [following(period_of(kind, today))]
    while len(periods) < count:
        periods.append(following(periods[-1]))
    return tuple(periods[:count])


@lru_cache(256)
def parse_period(name: str) -> Period:
    """The period called ``name``, written "2026-W21" or "2026-06"; raises `UnknownPeriod` otherwise."""
    found = _NAME.fullmatch(name)
    if found is None:
        raise UnknownPeriod(f'{name!r} is not a period: write a week as "2026-W21", a month as "2026-06".')
    year, week, month = found.groups()
    try:
        if week is not None:
            return period_of(WEEK, date.fromisocalendar(int(year), int(week), 1))
        return period_of(MONTH, date(int(year), int(month), 1))
    except (ValueError, OverflowError):
        raise UnknownPeriod(f"There is no period {name!r} in the calendar.") from None
