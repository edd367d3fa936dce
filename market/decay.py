"""Sums over periods that are worth less the longer ago they are, kept in whole numbers. Pure.

A count y of period t adds y * weight(t) to a sum, where weights grow by 1/decay from period to period; read
at period T the sum is divided by weight(T), so that what is T - t periods old counts decay^(T - t). Whole
numbers add up to the same in any order, so a late correction and a rebuild meet in one value. The price is
their length, which grows by a third of a bit a week at a decay of .8.
"""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from functools import lru_cache

from market.periods import MONTH

LONG = Fraction(98, 100)
MIDDLE = Fraction(80, 100)

FRACTION_BITS = 64  # of a weight in period 0, so that even a hundred weeks before it nothing is rounded away
_FIRST_DAY = date(1990, 1, 1)  # a Monday, before any archive of preprints


def number_of(kind: str, day: date) -> int:
    """Periods of this kind from the first days of 1990 to the one that ``day`` lies in; below 0 before."""
    if kind == MONTH:
        return (day.year - _FIRST_DAY.year) * 12 + day.month - 1
    return (day - _FIRST_DAY).days // 7


@lru_cache(8192)
def weight(decay: Fraction, number: int) -> int:
    """What one paper of the period with this number adds to a sum; above 0 but in the far past."""
    grown = Fraction(decay.denominator, decay.numerator) ** number
    return (grown.numerator << FRACTION_BITS) // grown.denominator


def value_at(total: int, decay: Fraction, number: int) -> float:
    """A sum as it stands in the period with this number, where one paper of that period counts 1."""
    return total / weight(decay, number)
