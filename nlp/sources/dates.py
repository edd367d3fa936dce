"""Days as the sources write them, in English whatever the locale."""

from __future__ import annotations

from datetime import date

from nlp.errors import UnknownSource
from nlp.sources.source import Page

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def month_number(name: str) -> int | None:
    """1 to 12 for "February" or "Feb"; None for anything else."""
    for number, month in enumerate(MONTHS, 1):
        if name in (month, month[:3]):
            return number
    return None


def agreed_day(page: Page, stated: date | None) -> date:
    """The one day of a page; raises `UnknownSource` where there is none or the sender says another."""
    day = page.day or stated
    if day is None:
        raise UnknownSource(page.origin, "the page does not state its day; give it with --day YYYY-MM-DD")
    if stated not in (None, day):
        raise UnknownSource(page.origin, f"the page is of {stated}, but the day given is {day}")
    return day
