"""What an address says after its question mark, read strictly: what cannot be meant is refused in words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

EARLIEST = date(1900, 1, 1)  # no paper is older, and windows before it still lie in the calendar

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")


class BadParameter(Exception):
    """A value in the address that cannot be meant; becomes a 400 that says what would be understood."""

    def __init__(self, name: str, value: str, expected: str) -> None:
        super().__init__(f"The address says “{value[:60]}” for the {name}, which must be {expected}.")
        self.name = name


def one_of(name: str, value: str, choices: Iterable[str]) -> str:
    """`value`, which must be one of `choices`."""
    allowed = list(choices)
    if value not in allowed:
        raise BadParameter(name, value, "one of " + ", ".join(allowed))
    return value


def page_number(value: str | None) -> int:
    """The number of a page, from 1; 1 where the address names none. ASCII digits only, and no sign."""
    if value is None:
        return 1
    if not _NUMBER.fullmatch(value):
        raise BadParameter("page", value, "a whole number from 1")
    return int(value)


def day_of(value: str) -> date:
    """A day written as 2026-05-16; `looks_like_day` tells what is worth trying."""
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise BadParameter("day", value, "a day of the calendar, written like 2026-05-16") from None


def looks_like_day(value: str) -> bool:
    """Whether somebody meant a day, right or wrong: four digits, two, two."""
    return _DAY.fullmatch(value) is not None


def past_day(name: str, value: str | None, today: date) -> date | None:
    """A day from `EARLIEST` until ``today``; None where the address names none."""
    if value is None:
        return None
    expected = f"a day until today, {today.isoformat()}, and written like that"
    try:
        day = date.fromisoformat(value) if looks_like_day(value) else None
    except ValueError:
        day = None
    if day is None or not EARLIEST <= day <= today:
        raise BadParameter(name, value, expected)
    return day
