"""Credits, cents and units: whole numbers inside, text at the edge. Pure.

1 credit = 100 cents = 10,000 units, and every stored amount is a whole number of units. Text is read by one
strict rule: ASCII digits, perhaps grouped by commas, nothing that some other reader could take otherwise.
"""

from __future__ import annotations

import re

from market.errors import InvalidAmount

UNITS_PER_CENT = 100
UNITS_PER_CREDIT = 10_000
GRANT_UNITS = 1_000 * UNITS_PER_CREDIT
LIMIT_UNITS = 2**62  # every amount lies strictly between this and its negative
LIMIT_SHARES = 2**40  # no order is for more

_WHOLE = r"(?:[0-9]{1,19}|[0-9]{1,3}(?:,[0-9]{3}){1,6})"
_CREDITS = re.compile(rf"({_WHOLE})(?:\.([0-9]{{1,4}}))?")
_SHARES = re.compile(_WHOLE)


def credits_text(units: int) -> str:
    """An amount in credits: two decimals, or four where the amount is not a whole number of cents.

    ``10_000_000`` is "1,000.00", ``-12_345`` is "-1.2345".
    """
    whole, rest = divmod(abs(units), UNITS_PER_CREDIT)
    decimals = f"{rest:04d}" if rest % UNITS_PER_CENT else f"{rest // UNITS_PER_CENT:02d}"
    return f"{'-' if units < 0 else ''}{whole:,}.{decimals}"


def parse_credits(text: str) -> int:
    """The units of an amount written in credits, as "12", "1,000.00" or "0.0001"; more than 0.

    Raises `InvalidAmount`.
    """
    found = _CREDITS.fullmatch(text.strip(" "))
    if found is None:
        raise InvalidAmount(f"{_shown(text)} is not an amount of credits; write it like 12.50.")
    whole, decimals = found.groups()
    units = int(whole.replace(",", "")) * UNITS_PER_CREDIT + int((decimals or "").ljust(4, "0"))
    return checked_units(units)


def parse_shares(text: str) -> int:
    """The number of shares written as "25" or "1,000"; more than 0. Raises `InvalidAmount`."""
    stripped = text.strip(" ")
    if _SHARES.fullmatch(stripped) is None:
        raise InvalidAmount(f"{_shown(text)} is not a number of shares; write a whole number like 25.")
    return checked_shares(int(stripped.replace(",", "")))


def checked_units(units: object) -> int:
    """``units`` if it is an `int` (no bool) with 0 < units < `LIMIT_UNITS`; else raises `InvalidAmount`."""
    return _checked(units, LIMIT_UNITS, "An amount of credits")


def checked_shares(shares: object) -> int:
    """``shares`` if it is an `int` (no bool) with 0 < shares < `LIMIT_SHARES`; else raises the same."""
    return _checked(shares, LIMIT_SHARES, "A number of shares")


def _checked(value: object, limit: int, what: str) -> int:
    # bool is a subclass of int, and 1.0 == 1: only the type itself tells.
    if type(value) is not int:
        raise InvalidAmount(f"{what} is a whole number, not {_shown(value)}.")
    if value <= 0:
        raise InvalidAmount(f"{what} is more than 0.")
    if value >= limit:
        raise InvalidAmount(f"{what} cannot be that large.")
    return value


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:36]}...{text[-1]}"
