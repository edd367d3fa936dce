"""Dates, prices and counts as they are written."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from web import filters

SATURDAY = date(2026, 5, 16)


def test_days() -> None:
    assert filters.day(SATURDAY) == "Saturday 16 May 2026"
    assert filters.short_day(SATURDAY) == "Sat 16 May 2026"
    assert filters.plain_day(SATURDAY) == "16 May 2026"
    assert filters.short_date(SATURDAY) == "16 May"


def test_moments_are_shown_in_utc() -> None:
    moment = datetime(2026, 5, 17, 23, 30, tzinfo=timezone(timedelta(hours=2)))
    assert filters.moment(moment) == "17 May 2026, 21:30 UTC"
    assert filters.full_moment(moment) == "Sunday 17 May 2026, 21:30 UTC"
    assert filters.clock(moment) == '<time datetime="2026-05-17T23:30:00+02:00">17 May 2026, 21:30</time>'


def test_times_carry_their_machine_form() -> None:
    assert filters.when(SATURDAY) == '<time datetime="2026-05-16">16 May 2026</time>'
    moment = datetime(2026, 5, 17, 20, 0, tzinfo=UTC)
    assert filters.when(moment) == '<time datetime="2026-05-17T20:00:00+00:00">17 May 2026, 20:00 UTC</time>'


def test_periods() -> None:
    assert filters.period("2026-W21") == "the week of 18 May 2026"
    assert filters.period("2026-06") == "June 2026"
    assert filters.short_period("2026-W21") == "week of 18 May"


@pytest.mark.parametrize(
    ("units", "text"),
    [
        (6120, "61.2"), (651, "6.51"), (999, "9.99"), (1000, "10.0"), (50, "0.50"), (0, "0.00"),
        (123456, "1,234.6"),
    ],
)
def test_cents(units: int, text: str) -> None:
    assert filters.cents(units) == text


@pytest.mark.parametrize(
    ("units", "text", "way", "glyph"),
    [
        (310, "+3.10", "up", "▲"),
        (-42, "\N{MINUS SIGN}0.42", "down", "▼"),
        (0, "0", "flat", ""),
        (123450, "+1,234.5", "up", "▲"),
    ],
)
def test_changes(units: int, text: str, way: str, glyph: str) -> None:
    assert (filters.change(units), filters.direction(units), filters.glyph(units)) == (text, way, glyph)


@given(st.integers(min_value=-(10**9), max_value=10**9))
def test_a_change_and_its_opposite_differ_in_the_sign_only(units: int) -> None:
    one, other = filters.change(units), filters.change(-units)
    assert one.lstrip("+\N{MINUS SIGN}") == other.lstrip("+\N{MINUS SIGN}")
    assert "-" not in one
    ways = {filters.direction(units), filters.direction(-units)}
    assert ways in ({"up", "down"}, {"flat"})


def test_counts() -> None:
    assert filters.counted(1, "paper") == "1\N{NO-BREAK SPACE}paper"
    assert filters.counted(1234, "paper") == "1,234\N{NO-BREAK SPACE}papers"
    assert filters.counted(0, "day ahead", "days ahead") == "0\N{NO-BREAK SPACE}days ahead"
    assert filters.number(-1234) == "\N{MINUS SIGN}1,234"


def test_credits() -> None:
    assert filters.credits(10_000_000) == "1,000.00"
    assert filters.credits(-12_345) == "\N{MINUS SIGN}1.23"


def test_decimals() -> None:
    assert filters.decimal(Decimal("8.158")) == "8.2"
    assert filters.decimal(-0.25, 2) == "\N{MINUS SIGN}0.25"
    assert filters.papers(8158) == "8.16"


def test_changes_of_counts_and_shares() -> None:
    assert [filters.signed(value) for value in (3, 0, -1200)] == ["+3", "±0", "\N{MINUS SIGN}1,200"]
    shares = [(1, 8), (1, 1), (61, 10_000), (1, 100_000), (0, 7), (0, 0)]
    assert [filters.percent(*share).replace("\N{NO-BREAK SPACE}", " ") for share in shares] == [
        "12.5 %", "100.0 %", "0.61 %", "under 0.01 %", "0 %", "0 %",
    ]  # fmt: skip
