"""Seasons are quarters in UTC; places go by what was gained, grants aside."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.seasons import (
    Season,
    Standing,
    UnknownSeason,
    parse_season,
    ranks,
    season_of,
    seasons_between,
)

moments = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))


def test_a_quarter_by_its_name() -> None:
    season = parse_season("2026-Q2")
    assert season == Season("2026-Q2", date(2026, 4, 1), date(2026, 6, 30))
    assert season.begins == datetime(2026, 4, 1, tzinfo=UTC)
    assert season.ends == datetime(2026, 7, 1, tzinfo=UTC)
    assert parse_season("2024-Q1").last_day == date(2024, 3, 31)
    assert parse_season("2025-Q4").ends == datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "name", ["", "2026-Q5", "2026-Q0", "2026-2", "26-Q1", "0000-Q1", "9999-Q4", "２026-Q1", "2026-Q1\n"]
)
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(UnknownSeason, match='write a quarter as "2026-Q2"'):
        parse_season(name)


@given(moments)
def test_every_moment_lies_in_one_season_and_seasons_follow_one_another(moment: datetime) -> None:
    season = season_of(moment)
    assert season.begins <= moment < season.ends
    assert parse_season(season.name) == season
    assert season_of(season.ends).begins == season.ends
    assert season_of(season.begins - timedelta(microseconds=1)).ends == season.begins


def test_the_clock_is_that_of_utc() -> None:
    new_york = datetime(2026, 6, 30, 22, 0, tzinfo=timezone(timedelta(hours=-4)))
    assert season_of(new_york).name == "2026-Q3"


def test_seasons_from_one_moment_to_another_newest_first() -> None:
    first, last = datetime(2025, 12, 31, tzinfo=UTC), datetime(2026, 7, 1, tzinfo=UTC)
    names = [season.name for season in seasons_between(first, last)]
    assert names == ["2026-Q3", "2026-Q2", "2026-Q1", "2025-Q4"]
    assert [season.name for season in seasons_between(last, last)] == ["2026-Q3"]


def test_a_grant_is_no_gain_and_equal_gains_share_a_rank() -> None:
    ada = Standing(1, 10_000, 0, 10_500)
    bob = Standing(2, 0, 10_000, 10_500)
    cyd = Standing(3, 50_000, 10_000, 40_000)
    dan = Standing(4, 100, 0, 700)
    assert [each.gain_units for each in (ada, bob, cyd, dan)] == [500, 500, -20_000, 600]
    assert ranks([cyd, bob, ada, dan]) == [(1, dan), (2, ada), (2, bob), (4, cyd)]
    assert ranks([]) == []
