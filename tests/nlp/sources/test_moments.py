"""Moments in the two forms of the sources."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.sources.moments import moment


@pytest.mark.parametrize(
    "text",
    [
        "2026-05-13T18:00:01Z", "2026-05-13T14:00:01-04:00", "2026-05-13T18:00:01.000000+00:00",
        "Wed, 13 May 2026 18:00:01 GMT", "Wed, 13 May 2026 14:00:01 -0400", "Wed, 13 May 26 18:00:01 GMT",
    ],
)  # fmt: skip
def test_one_moment(text: str) -> None:
    assert moment(text) == datetime(2026, 5, 13, 18, 0, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "", "2026-05-13", "2026-05-13T18:00:01", "Wed, 13 May 2026 18:00:01", "Wed, 32 May 2026 18:00:01 GMT",
        "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "Wed, 13 May 2026 18:00:01 +" + "9" * 30, "9" * 5000,
    ],
)  # fmt: skip
def test_no_moment(text: str) -> None:
    assert moment(text) is None


_MAIL = r"[A-Z][a-z]{2}, [0-9]{1,9} May [0-9]{1,9} [0-9:]{1,9} [+-][0-9]{1,30}"


@given(st.text(max_size=40) | st.from_regex(_MAIL))
def test_any_text_is_a_moment_that_other_zones_know_or_none(text: str) -> None:
    found = moment(text)
    assert found is None or found.astimezone(UTC).utcoffset() is not None
