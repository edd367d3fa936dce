"""Fetch after fetch, in whatever way each of them ends, no stretch of time is left out."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from nlp.fetching.stretches import AT_FIRST, Stretch, done, stretch_to_read
from tests.nlp.fetching.clocks import NOON

DAY = timedelta(days=1)


def test_a_first_fetch_begins_where_it_is_told_or_a_week_ago() -> None:
    assert stretch_to_read(None, NOON - DAY, NOON, DAY) == Stretch(NOON - DAY, NOON - DAY, NOON)
    assert stretch_to_read(None, None, NOON, DAY).first == NOON - AT_FIRST


def test_the_next_one_overlaps_the_last_and_not_what_was_never_asked_for() -> None:
    last = done(stretch_to_read(None, NOON - 5 * DAY, NOON, DAY))
    following = stretch_to_read(last, None, NOON + DAY, 2 * DAY)
    assert (following.first, following.until) == (NOON - 2 * DAY, NOON + DAY)
    assert stretch_to_read(last, None, NOON + DAY, 99 * DAY).first == NOON - 5 * DAY


def test_one_that_was_stopped_goes_on_unless_an_earlier_beginning_is_asked_for() -> None:
    stopped = stretch_to_read(None, NOON - 5 * DAY, NOON, DAY)
    later = NOON + DAY
    for since in (None, NOON - 5 * DAY, NOON - DAY):
        assert stretch_to_read(stopped, since, later, DAY) is stopped
    assert stretch_to_read(stopped, NOON - 6 * DAY, later, DAY).first == NOON - 6 * DAY


@st.composite
def runs(draw: st.DrawFn) -> list[tuple[datetime | None, datetime, bool]]:
    """Commands: the beginning each is given, its moment, and whether it is stopped."""
    now, made = NOON, []
    for _ in range(draw(st.integers(1, 8))):
        now += timedelta(hours=draw(st.integers(1, 60)))
        since = now - timedelta(hours=draw(st.integers(0, 300))) if draw(st.booleans()) else None
        made.append((since, now, draw(st.booleans())))
    return made


@given(runs())
def test_what_was_asked_for_is_read_by_the_first_command_that_ends(
    commands: list[tuple[datetime | None, datetime, bool]],
) -> None:
    last: Stretch | None = None
    wanted: list[datetime] = []  # beginnings that no command has read from to its end yet
    for since, now, is_stopped in commands:
        wanted += [since] if since else []
        covered: list[Stretch] = []
        while True:
            last = stretch_to_read(last, since if not covered else None, now, DAY)
            if is_stopped:
                break
            covered.append(last)
            last = done(last)
            if last.until >= now:
                break
        if not is_stopped:
            assert covered[-1].until >= now
            assert all(one.until >= other.first for one, other in pairwise(covered))
            assert covered[0].first <= min([*wanted, now])
            assert last.since <= min([*wanted, now])
            wanted = []
