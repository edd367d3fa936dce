"""Floors of logarithms, compared with ones of many more digits."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from market import exact
from market.exact import log_floor, mixture_log_ceiling, mixture_share

scales = st.integers(1, 10**15)
depths = st.integers(50, 200_000)
WIDE = Context(150)


def wide_floor(scale: int, quotient: Decimal) -> int:
    return int(WIDE.multiply(WIDE.ln(quotient), Decimal(scale)).to_integral_value(ROUND_FLOOR, WIDE))


@settings(deadline=None)
@given(scales, st.fractions(Fraction(1, 1000), 1000).filter(lambda ratio: ratio != 1))
def test_the_floor_of_a_logarithm(scale: int, ratio: Fraction) -> None:
    quotient = WIDE.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
    assert log_floor(scale, ratio) == wide_floor(scale, quotient)


@settings(deadline=None)
@given(scales, st.integers(32, 992), st.integers(1, 10**7), depths)
def test_the_ceiling_of_a_mixture(scale: int, prior: int, lead: int, depth: int) -> None:
    decay = WIDE.exp(WIDE.divide(Decimal(-lead), Decimal(depth)))
    weight = WIDE.add(Decimal(prior), WIDE.multiply(Decimal(1024 - prior), decay))
    floor = wide_floor(scale, WIDE.divide(weight, Decimal(1024)))
    assert mixture_log_ceiling(scale, prior, 1024, lead, depth) == floor + 1


def test_without_a_lead_it_is_exactly_zero() -> None:
    assert mixture_log_ceiling(10**12, 512, 1024, 0, 100) == 0
    assert mixture_share(512, 1024, 0, 100) == Fraction(1, 2)


def test_a_value_that_few_digits_leave_in_doubt_is_computed_with_more() -> None:
    asked: list[int] = []

    def nearly_seven(context: Context) -> Decimal:
        asked.append(context.prec)
        return context.add(Decimal(7), Decimal("-1e-60"))

    # Fifty digits would round it to 7 and miss the floor by one.
    assert exact._floor(nearly_seven) == 6
    assert asked == [50, 100]
