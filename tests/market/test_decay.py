"""Decayed sums in whole numbers: the recursion they stand for, and that order does not matter."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.decay import LONG, MIDDLE, number_of, value_at, weight
from market.periods import period_of

COUNTS = st.lists(st.integers(0, 900), min_size=1, max_size=60)
NUMBERS = st.integers(-40, 2500)
DAYS = st.dates(date(1950, 1, 1), date(2090, 12, 31))


@given(COUNTS, NUMBERS, st.sampled_from([LONG, MIDDLE]))
def test_a_sum_read_at_a_period_is_that_of_the_recursion(
    counts: list[int], first: int, decay: Fraction
) -> None:
    by_recursion, total = 0.0, 0
    for number, count in enumerate(counts, first):
        by_recursion = float(decay) * by_recursion + count
        total += count * weight(decay, number)
    assert value_at(total, decay, first + len(counts) - 1) == pytest.approx(by_recursion, rel=1e-6)


@given(st.lists(st.tuples(NUMBERS, st.integers(-50, 50)), max_size=40), st.randoms(use_true_random=False))
def test_the_order_of_additions_changes_nothing(changes: list[tuple[int, int]], chance: Random) -> None:
    in_order = sum(count * weight(MIDDLE, number) for number, count in changes)
    chance.shuffle(changes)
    shuffled = 0
    for number, count in changes:
        shuffled += count * weight(MIDDLE, number)
    assert shuffled == in_order


@given(DAYS, st.sampled_from(["week", "month"]))
def test_periods_are_numbered_one_after_the_other(day: date, kind: str) -> None:
    period = period_of(kind, day)
    number = number_of(kind, day)
    assert number_of(kind, period.first_day) == number_of(kind, period.last_day) == number
    assert number_of(kind, period.last_day + timedelta(days=1)) == number + 1


def test_the_first_period_counts_from_zero() -> None:
    assert number_of("week", date(1990, 1, 1)) == number_of("month", date(1990, 1, 31)) == 0
    assert weight(LONG, 0) == weight(MIDDLE, 0) == 2**64
    assert value_at(3 * weight(MIDDLE, 7), MIDDLE, 8) == pytest.approx(2.4)
