"""How long a client waits."""

from __future__ import annotations

from datetime import timedelta
from email.utils import format_datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nlp.fetching.waiting import asked_seconds, interval_seconds, pause_seconds
from tests.nlp.fetching.clocks import NOON


@given(st.integers(1, 10), st.none() | st.floats(0, 1e6), st.floats(0, 1))
def test_a_pause_is_what_was_asked_for_at_least_and_grows(
    attempt: int, asked: float | None, chance: float
) -> None:
    pause = pause_seconds(attempt, asked, chance)
    assert pause >= max(5 * 2 ** (attempt - 1), asked or 0)
    assert pause_seconds(attempt + 1, asked, 0) >= pause_seconds(attempt, asked, 0)
    assert asked or pause <= 5 * 2 ** (attempt - 1) * 1.5


@given(st.integers(-1000, 10**6))
def test_a_date_of_http_is_as_good_as_seconds(seconds: int) -> None:
    header = format_datetime(NOON + timedelta(seconds=seconds), usegmt=True)
    assert asked_seconds(header, NOON) == max(0, seconds)
    assert seconds < 0 or asked_seconds(str(seconds), NOON) == seconds


@given(st.text())
@example("Fri, 15 May 2026 00:00:00 +99999999999999")
def test_whatever_else_it_says_asks_for_nothing_or_for_seconds(text: str) -> None:
    asked = asked_seconds(text, NOON)
    assert asked is None or asked >= 0


@pytest.mark.parametrize(
    ("address", "seconds"),
    [
        ("https://export.arxiv.org/api/query", 3),
        ("http://127.0.0.1:8001/api", 0),
        ("http://localhost/", 0),
        ("http://[::1]:80/", 0),
        ("http://127.0.0.1.example.org/", 3),
        ("http://10.0.0.1/", 3),
    ],
)
def test_a_server_on_this_machine_needs_no_politeness(address: str, seconds: float) -> None:
    assert interval_seconds(address) == seconds
