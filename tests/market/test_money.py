"""Units, and the text that people read and write for them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from market.errors import InvalidAmount
from market.money import (
    LIMIT_SHARES,
    LIMIT_UNITS,
    checked_shares,
    checked_units,
    credits_text,
    parse_credits,
    parse_shares,
)


@pytest.mark.parametrize(
    ("units", "text"),
    [
        (0, "0.00"),
        (1, "0.0001"),
        (100, "0.01"),
        (12_300, "1.23"),
        (12_345, "1.2345"),
        (10_000_000, "1,000.00"),
        (-12_345, "-1.2345"),
        (-100, "-0.01"),
    ],
)
def test_credits_show_cents_and_more_only_when_needed(units: int, text: str) -> None:
    assert credits_text(units) == text


@settings(deadline=None)
@given(st.integers(1, LIMIT_UNITS - 1))
def test_what_is_shown_can_be_typed_in_again(units: int) -> None:
    assert parse_credits(credits_text(units)) == units


@pytest.mark.parametrize(
    ("text", "units"), [("12", 120_000), (" 0.5 ", 5_000), ("1,000.00", 10_000_000), ("0.0001", 1)]
)
def test_credits_are_read(text: str, units: int) -> None:
    assert parse_credits(text) == units


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "-5", "+5", "-0", "0", "0.00", "1e3", "NaN", "inf", "0x10", "1_000", "1 000", "1,00", ",5",
        "5.", ".5", "1.00001", "１", "٣", "1\n", "1;2", "1.2.3", "true", "461168601842738.8000", "9" * 5000,
    ],
)  # fmt: skip
def test_what_is_not_plainly_an_amount_is_refused(text: str) -> None:
    with pytest.raises(InvalidAmount):
        parse_credits(text)


@pytest.mark.parametrize(
    "text",
    ["", "-5", "-0", "0", "true", "1.0", "1.", "１", "²", "1e3", "+1", "1,0", "1\u200b", "9" * 5000],
)
def test_what_is_not_plainly_a_number_of_shares_is_refused(text: str) -> None:
    with pytest.raises(InvalidAmount):
        parse_shares(text)


def test_shares_are_read() -> None:
    assert parse_shares("25") == 25
    assert parse_shares(" 1,000 ") == 1000
    assert parse_shares(str(LIMIT_SHARES - 1)) == LIMIT_SHARES - 1


@pytest.mark.parametrize("value", [True, False, 1.0, "1", None, 0, -1, float("nan"), 2**62, 2**40])
def test_only_whole_numbers_in_range_count_as_shares(value: object) -> None:
    with pytest.raises(InvalidAmount):
        checked_shares(value)


def test_the_largest_amount_is_just_below_the_limit() -> None:
    assert checked_units(LIMIT_UNITS - 1) == LIMIT_UNITS - 1
    with pytest.raises(InvalidAmount):
        checked_units(LIMIT_UNITS)


def test_a_long_wrong_input_is_not_echoed_whole() -> None:
    with pytest.raises(InvalidAmount) as caught:
        parse_shares("x" * 10_000)
    assert len(str(caught.value)) < 150
