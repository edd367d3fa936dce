"""Whole numbers out of logarithms, the same on every machine. Pure.

In `decimal` with a context of its own, never in floating point. Each value here is irrational (Lindemann and
Weierstrass), so with enough digits there is no doubt on which side of a whole number it lies: when the digits
do not settle it, it is computed anew with twice as many.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    ROUND_FLOOR,
    ROUND_HALF_EVEN,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
)
from fractions import Fraction
from functools import lru_cache

DIGITS = 50
_DOUBTFUL = 35  # of the digits, at most, while a scale is below 10**30
_KEPT = 4096  # results that are remembered: one trade's end is the next one's beginning
_TRAPS = [InvalidOperation, DivisionByZero, Overflow]


def log_floor(scale: int, ratio: Fraction) -> int:
    """The floor of scale*ln(ratio), for a ratio above 0 that is not 1."""

    def value(context: Context) -> Decimal:
        quotient = context.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
        return context.multiply(context.ln(quotient), Decimal(scale))

    return _floor(value)


@lru_cache(_KEPT)
def mixture_log_ceiling(scale: int, prior: int, steps: int, lead: int, depth: int) -> int:
    """The ceiling of scale*ln(r + (1 - r)*e^(-lead/depth)), r = prior/steps; exactly 0 for lead 0."""
    if lead == 0:
        return 0

    def value(context: Context) -> Decimal:
        mixture = context.fma(Decimal(steps - prior), _decay(lead, depth, context), Decimal(prior))
        logarithm = context.ln(context.divide(mixture, Decimal(steps)))
        return context.multiply(logarithm, Decimal(scale))

    return _floor(value) + 1


@lru_cache(_KEPT)
def mixture_share(prior: int, steps: int, lead: int, depth: int) -> Fraction:
    """r / (r + (1 - r)*e^(-lead/depth)), r = prior/steps, to `DIGITS` digits."""
    context = _context(DIGITS)
    rest = context.multiply(Decimal(steps - prior), _decay(lead, depth, context))
    return Fraction(context.divide(Decimal(prior), context.add(Decimal(prior), rest)))


def _decay(lead: int, depth: int, context: Context) -> Decimal:
    return context.exp(context.divide(Decimal(-lead), Decimal(depth)))


def _floor(value: Callable[[Context], Decimal]) -> int:
    digits = DIGITS
    while True:
        context = _context(digits)
        found = value(context)
        floor = found.to_integral_value(ROUND_FLOOR, context)
        part = context.subtract(found, floor)
        doubt = Decimal((0, (1,), _DOUBTFUL - digits))
        if doubt < part < context.subtract(Decimal(1), doubt):
            return int(floor)
        digits *= 2


def _context(digits: int) -> Context:
    # Never the thread's own context, which anybody may have changed. Far decays may underflow to 0.
    return Context(digits, ROUND_HALF_EVEN, MIN_EMIN, MAX_EMAX, traps=_TRAPS)
