"""Seasons: the quarters of the year in UTC, the same for all boards, and who gained most in one. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from market.errors import MarketError

_NAME = re.compile(r"([0-9]{4})-Q([1-4])")
_MONTHS = 3


class UnknownSeason(MarketError):
    """No season is called so."""

    def __init__(self, name: str) -> None:
        super().__init__(f'{name!r} is not a season: write a quarter as "2026-Q2".')
        self.name = name


@dataclass(frozen=True, slots=True)
class Season:
    """A quarter, as "2026-Q2": the days ``first_day`` to ``last_day``, both included."""

    name: str
    first_day: date
    last_day: date

    @property
    def begins(self) -> datetime:
        """Its first moment."""
        return datetime.combine(self.first_day, time(), UTC)

    @property
    def ends(self) -> datetime:
        """The first moment after it."""
        return datetime.combine(self.last_day + timedelta(days=1), time(), UTC)


@dataclass(frozen=True, slots=True)
class Standing:
    """What became of a trader's equity in a season, in units: at its begin, what was given meanwhile, and at
    its end or so far."""

    trader_id: int
    start_units: int
    granted_units: int
    end_units: int

    @property
    def gain_units(self) -> int:
        """What trading added; a grant is no gain."""
        return self.end_units - self.start_units - self.granted_units


def season_of(moment: datetime) -> Season:
    """The season that the moment (aware) lies in."""
    day = moment.astimezone(UTC).date()
    return _season(day.year, (day.month - 1) // _MONTHS + 1)


def parse_season(name: str) -> Season:
    """The season called ``name``, written "2026-Q2"; raises `UnknownSeason`."""
    found = _NAME.fullmatch(name)
    if found is None or not 1 <= int(found[1]) < date.max.year:
        raise UnknownSeason(name)
    return _season(int(found[1]), int(found[2]))


def seasons_between(first: datetime, last: datetime) -> tuple[Season, ...]:
    """Every season from that of ``first`` to that of ``last``, the newest first."""
    seasons = [season_of(first)]
    while seasons[-1].ends <= last:
        seasons.append(season_of(seasons[-1].ends))
    return tuple(reversed(seasons))


def ranks(standings: Iterable[Standing]) -> Sequence[tuple[int, Standing]]:
    """The standings by gain, the greatest first, each with its rank from 1; equal gains share a rank."""
    ordered = sorted(standings, key=lambda standing: (-standing.gain_units, standing.trader_id))
    ranked: list[tuple[int, Standing]] = []
    for place, standing in enumerate(ordered, start=1):
        before = ranked[-1] if ranked else None
        is_equal = before is not None and before[1].gain_units == standing.gain_units
        ranked.append((before[0] if before is not None and is_equal else place, standing))
    return ranked


def _season(year: int, quarter: int) -> Season:
    first_month = (quarter - 1) * _MONTHS + 1
    first = date(year, first_month, 1)
    last_month = first.replace(month=first_month + _MONTHS - 1)
    # The 28th and four days are always in the month that follows.
    next_first = (last_month.replace(day=28) + timedelta(days=4)).replace(day=1)
    return Season(f"{year:04d}-Q{quarter}", first, next_first - timedelta(days=1))
