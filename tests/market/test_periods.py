"""Weeks and months: they tile the calendar, and their names lead back to them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.errors import UnknownPeriod
from market.periods import Period, following, front_periods, parse_period, period_of

DAYS = st.dates(date(1000, 1, 15), date(9998, 12, 31))
KINDS = st.sampled_from(["week", "month"])


@pytest.mark.parametrize(
    ("kind", "day", "name", "first", "last"),
    [
        ("week", "2026-05-17", "2026-W20", "2026-05-11", "2026-05-17"),
        ("week", "2026-05-18", "2026-W21", "2026-05-18", "2026-05-24"),
        ("week", "2027-01-01", "2026-W53", "2026-12-28", "2027-01-03"),
        ("week", "2027-01-04", "2027-W01", "2027-01-04", "2027-01-10"),
        ("week", "2024-12-31", "2025-W01", "2024-12-30", "2025-01-05"),
        ("month", "2026-05-17", "2026-05", "2026-05-01", "2026-05-31"),
        ("month", "2028-02-29", "2028-02", "2028-02-01", "2028-02-29"),
        ("month", "2026-12-31", "2026-12", "2026-12-01", "2026-12-31"),
    ],
)
def test_a_day_lies_in_its_period(kind: str, day: str, name: str, first: str, last: str) -> None:
    expected = Period(name, date.fromisoformat(first), date.fromisoformat(last))
    assert period_of(kind, date.fromisoformat(day)) == expected


@given(KINDS, DAYS)
def test_periods_tile_the_days(kind: str, day: date) -> None:
    period = period_of(kind, day)
    assert period.first_day <= day <= period.last_day
    assert period.kind == kind
    assert period_of(kind, period.first_day) == period_of(kind, period.last_day) == period
    assert following(period).first_day == period.last_day + timedelta(days=1)
    assert following(period) == period_of(kind, period.last_day + timedelta(days=1))


@given(KINDS, DAYS)
def test_a_name_leads_back_to_its_period(kind: str, day: date) -> None:
    period = period_of(kind, day)
    assert parse_period(period.name) == period


@given(KINDS, DAYS, st.integers(1, 8))
def test_the_front_periods_have_not_begun(kind: str, day: date, count: int) -> None:
    fronts = front_periods(kind, day, count)
    assert len(fronts) == count
    assert all(front.first_day > day for front in fronts)
    assert period_of(kind, fronts[0].first_day - timedelta(days=1)) == period_of(kind, day)
    assert [following(front) for front in fronts[:-1]] == list(fronts[1:])


def test_the_front_periods_on_a_sunday() -> None:
    weeks = [period.name for period in front_periods("week", date(2026, 5, 17))]
    assert weeks == ["2026-W21", "2026-W22", "2026-W23", "2026-W24"]
    months = [period.name for period in front_periods("month", date(2026, 5, 17))]
    assert months == ["2026-06", "2026-07", "2026-08", "2026-09"]


@pytest.mark.parametrize(
    "name",
    ["", "2026", "2026-W54", "2025-W53", "2026-W00", "2026-13", "2026-00", "0000-01", "2026-w21", "2026-W2",
     "2026-6", "2026-W21 ", "2026-W21\n", "２０２６-W21", "2026-05-17", "9999-W52", "9999-12"],
)  # fmt: skip
def test_other_names_are_refused_in_words(name: str) -> None:
    with pytest.raises(UnknownPeriod, match="period") as refusal:
        parse_period(name)
    assert repr(name) in str(refusal.value)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(UnknownPeriod, match="'year'"):
        period_of("year", date(2026, 5, 17))
