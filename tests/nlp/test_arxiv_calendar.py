"""The day on which arXiv lists a paper: its deadline in New York, its weekends and its holidays."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.arxiv_calendar import NEW_YORK, first_submission, is_freeze_day, is_listing_day, listing_day


@pytest.mark.parametrize(
    ("submitted", "listed"),
    [
        ("2026-05-11 13:59:59", "2026-05-12"),  # Monday, before the deadline: Tuesday
        ("2026-05-11 14:00:00", "2026-05-13"),  # at the deadline: a day later
        ("2026-05-14 13:00:00", "2026-05-15"),
        ("2026-05-14 15:00:00", "2026-05-18"),  # Thursday afternoon: frozen on Friday, announced on Sunday
        ("2026-05-15 13:00:00", "2026-05-18"),
        ("2026-05-15 14:00:00", "2026-05-19"),  # Friday afternoon, and the weekend: Tuesday
        ("2026-05-16 01:00:00", "2026-05-19"),
        ("2026-05-18 13:59:00", "2026-05-19"),
        ("2026-06-18 15:00:00", "2026-06-23"),  # the Friday after it is a holiday: no new listing on Monday
        ("2026-11-25 15:00:00", "2026-11-30"),  # Thanksgiving on Thursday: frozen on Friday
        ("2016-12-01 15:30:00", "2016-12-02"),  # the deadline was 16:00 then
    ],
)
def test_the_schedule(submitted: str, listed: str) -> None:
    moment = datetime.fromisoformat(submitted).replace(tzinfo=ZoneInfo(NEW_YORK))
    assert listing_day(moment) == date.fromisoformat(listed)
    assert listing_day(moment.astimezone(UTC)) == date.fromisoformat(listed)


@given(st.datetimes(datetime(2018, 1, 1), datetime(2030, 1, 1)), st.integers(0, 10_000))
def test_later_submissions_are_not_listed_earlier(moment: datetime, minutes: int) -> None:
    submitted = moment.replace(tzinfo=UTC)
    day = listing_day(submitted)
    assert listing_day(submitted + timedelta(minutes=minutes)) >= day
    assert submitted.astimezone(ZoneInfo(NEW_YORK)).date() < day
    assert day.weekday() < 5
    frozen = day - timedelta(days=3 if day.weekday() == 0 else 1)
    assert is_freeze_day(frozen)


@given(st.dates(date(2015, 1, 1), date(2030, 1, 1)))
def test_the_first_submission_of_a_day_is_where_its_listing_begins(day: date) -> None:
    first = first_submission(day)
    assert listing_day(first) >= day > listing_day(first - timedelta(seconds=1))
    assert is_listing_day(day) == (listing_day(first) == day)


@pytest.mark.parametrize(
    ("day", "lists"),
    [
        ("2026-05-15", True),
        ("2026-05-16", False),  # Saturday
        ("2026-05-17", False),
        ("2026-05-18", True),
        ("2026-06-19", True),  # a holiday: nothing is frozen, what was frozen the day before is listed
        ("2026-06-22", False),  # the Monday after that
        ("2026-11-27", False),  # the day after Thanksgiving
    ],
)
def test_the_days_that_have_a_listing(day: str, lists: bool) -> None:
    assert is_listing_day(date.fromisoformat(day)) is lists
