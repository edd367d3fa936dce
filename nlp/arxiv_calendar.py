"""When arXiv announces: the day on which it lists a paper that was submitted at some moment.

Submissions are frozen at 14:00 in New York (16:00 before 2017) on every day from Monday to Friday that is no
holiday of arXiv's. What was frozen is announced that evening at 20:00, or on Sunday evening for a Friday, and
listed under the day that follows. Source: arXiv's help pages "Availability of submissions" and its published
holidays. A paper may be held back by moderators, so the day is an estimate.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

NEW_YORK = "America/New_York"
FREEZE, FREEZE_BEFORE_2017 = time(14), time(16)
MONDAY, FRIDAY, SATURDAY = 0, 4, 5
ONE_DAY = timedelta(days=1)

# Weekdays without a freeze, as month and day. They differ from year to year; others are taken to have none.
HOLIDAYS = {
    2020: "01-01 01-20 06-09 11-26 12-25 12-29 12-30",
    2021: "01-01 10-20 11-25 12-24 12-28 12-30",
    2022: "01-17 06-20 09-05 11-24 12-27 12-29",
    2023: "01-16 06-14 06-19 07-04 08-17 09-04 11-23 12-25 12-27",
    2024: "01-15 05-22 06-19 07-04 09-02 10-08 11-28 12-25 12-26 12-31",
    2025: "01-01 01-20 06-19 07-04 09-01 11-27 12-25 12-30",
    2026: "01-01 01-19 06-19 07-03 09-07 11-26 12-25 12-29 12-31",
}


def is_freeze_day(day: date) -> bool:
    """Whether arXiv freezes the submissions of this day (of New York), and so announces them."""
    return day.weekday() < SATURDAY and f"{day:%m-%d}" not in HOLIDAYS.get(day.year, "")


def is_listing_day(day: date) -> bool:
    """Whether arXiv lists papers under this day: what was frozen the day before, on a Monday on Friday."""
    before = day - (3 if day.weekday() == MONDAY else 1) * ONE_DAY
    return day.weekday() < SATURDAY and is_freeze_day(before)


def listing_day(submitted_at: datetime) -> date:
    """The day whose listing has a paper submitted at this moment (aware), unless it is held back."""
    moment = submitted_at.astimezone(ZoneInfo(NEW_YORK))
    day = moment.date()
    if moment >= _freeze(day):
        day += ONE_DAY
    while not is_freeze_day(day):
        day += ONE_DAY
    return day + (3 * ONE_DAY if day.weekday() == FRIDAY else ONE_DAY)


def first_submission(day: date) -> datetime:
    """The moment from which what is submitted is listed on this day or later."""
    frozen = day
    while listing_day(_freeze(frozen - ONE_DAY)) >= day:
        frozen -= ONE_DAY
    return _freeze(frozen)


def _freeze(day: date) -> datetime:
    at = FREEZE if day >= date(2017, 1, 2) else FREEZE_BEFORE_2017
    return datetime.combine(day, at, ZoneInfo(NEW_YORK))
