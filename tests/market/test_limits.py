"""Limits as leads and what is set aside for them: whole numbers that hold whatever the way to the limit."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.errors import InvalidAmount, InvalidLimit, UnknownPeriod
from market.limits import (
    LEAST_FORECAST_MILLI,
    Stands,
    check_limit,
    hold_each_units,
    limit_lead,
    papers_text,
    shares_to_limit,
)
from market.maker import Maker, Side, cost_of, fee_for, maker_for, moved
from market.orders import Action
from tests.market.factories import limit_order

MAKER = maker_for(Decimal(60))
makers = st.sampled_from([maker_for(Decimal(text)) for text in ("0.3", "2", "12.5", "60", "700")])


def forecast(maker: Maker, lead: int) -> int:
    return maker.forecast_milli(max(lead, 0), max(-lead, 0))


@st.composite
def limits(draw: st.DrawFn) -> tuple[Maker, int]:
    maker = draw(makers)
    return maker, draw(st.integers(LEAST_FORECAST_MILLI, 1000 * maker.cap - LEAST_FORECAST_MILLI))


@given(limits())
def test_a_limit_is_the_last_lead_that_keeps_to_it(given_: tuple[Maker, int]) -> None:
    maker, milli = given_
    up, down = limit_lead(maker, milli, True), limit_lead(maker, milli, False)
    assert forecast(maker, up) <= milli < forecast(maker, up + 1)
    assert forecast(maker, down - 1) < milli <= forecast(maker, down)


@given(limits(), st.sampled_from(Side), st.integers(0, 3000), st.lists(st.integers(1, 900), max_size=8))
def test_what_is_set_aside_is_enough_for_any_fills(
    given_: tuple[Maker, int], side: Side, opposite: int, steps: list[int]
) -> None:
    """The order is bought in these parts, each at the worst price: up to the very limit."""
    maker, milli = given_
    limit = limit_lead(maker, milli, side is Side.LONG)
    each = hold_each_units(maker, side, limit)
    for count in steps:
        # A state from which `count` shares end at the limit, with some shares of the other side outstanding.
        before = limit - count if side is Side.LONG else limit + count
        short = max(opposite, -before)
        state = (before + short, short)
        cost = cost_of(maker, *state, side, count)
        assert cost >= 0
        assert cost + fee_for(cost) <= count * each
        after = moved(*state, side, count)
        assert after[0] - after[1] == limit


@given(limits(), st.sampled_from(Side))
def test_what_is_set_aside_is_hardly_more_than_one_share_at_the_limit(
    given_: tuple[Maker, int], side: Side
) -> None:
    maker, milli = given_
    limit = limit_lead(maker, milli, side is Side.LONG)
    short = max(0, -limit) + 1
    state = (limit + short, short)
    bought = moved(*state, side, -1)
    if min(bought) < 0:
        return
    cost = cost_of(maker, *bought, side, 1)
    price_step = cost_of(maker, *state, side, 1) - cost  # how much dearer the next share is
    assert hold_each_units(maker, side, limit) - cost - fee_for(cost) <= 4 + max(0, price_step)


@given(limits(), st.sampled_from(Side), st.integers(1, 900))
def test_a_sale_at_its_limit_brings_more_than_its_fee(
    given_: tuple[Maker, int], side: Side, count: int
) -> None:
    maker, milli = given_
    limit = limit_lead(maker, milli, side is Side.SHORT)  # selling LONG goes down, selling SHORT up
    before = limit + count if side is Side.LONG else limit - count
    short = max(0, -before) + count
    proceeds = -cost_of(maker, before + short, short, side, -count)
    assert proceeds - fee_for(proceeds) >= 1


def test_how_far_it_is_to_a_limit() -> None:
    assert shares_to_limit(-3, 10, True) == 13
    assert shares_to_limit(-3, 10, False) == 0
    assert shares_to_limit(12, 10, False) == 2
    assert shares_to_limit(10, 10, True) == shares_to_limit(10, 10, False) == 0


@pytest.mark.parametrize("milli", [LEAST_FORECAST_MILLI - 1, 256_000 - LEAST_FORECAST_MILLI + 1, 256_000])
def test_a_limit_lies_where_both_sides_are_worth_something(milli: int) -> None:
    with pytest.raises(InvalidLimit, match=r"between 0\.05 and 255\.95 papers"):
        check_limit(MAKER, milli)


@pytest.mark.parametrize("milli", [0, -1, True, 1.5, "61", 2**40])
def test_a_limit_is_a_whole_number_of_thousandths(milli: object) -> None:
    with pytest.raises(InvalidLimit):
        limit_order(milli=milli)  # type: ignore[arg-type]


@pytest.mark.parametrize("shares", [0, -5, True, 1.0, "１", 2**40])
def test_shares_are_a_whole_number(shares: object) -> None:
    with pytest.raises(InvalidAmount):
        limit_order(shares=shares)  # type: ignore[arg-type]


def test_a_date_goes_with_the_order_that_stands_until_it() -> None:
    limit_order(stands=Stands.UNTIL_DATE, until=date(2026, 5, 17))
    with pytest.raises(InvalidLimit):
        limit_order(stands=Stands.UNTIL_DATE)
    with pytest.raises(InvalidLimit):
        limit_order(until=date(2026, 5, 17))
    with pytest.raises(UnknownPeriod):
        limit_order(period="soon")


@pytest.mark.parametrize(
    ("side", "action", "is_upward"),
    [
        (Side.LONG, Action.BUY, True),
        (Side.LONG, Action.SELL, False),
        (Side.SHORT, Action.BUY, False),
        (Side.SHORT, Action.SELL, True),
    ],
)
def test_which_way_an_order_moves_the_forecast(side: Side, action: Action, is_upward: bool) -> None:
    assert limit_order(side, action).is_upward is is_upward


def test_every_field_is_in_the_hash() -> None:
    variants = [
        limit_order(), limit_order(shares=2), limit_order(milli=2001), limit_order(Side.SHORT),
        limit_order(action=Action.SELL), limit_order(period="2026-W22"), limit_order(term="other"),
        limit_order(stands=Stands.AT_ONCE),
        *(limit_order(stands=Stands.UNTIL_DATE, until=date(2026, 5, day)) for day in (17, 18)),
    ]  # fmt: skip
    assert len({each.body_hash() for each in variants}) == len(variants)


@pytest.mark.parametrize(
    ("milli", "text"), [(61_200, "61.2"), (50, "0.05"), (7000, "7"), (1_255_950, "1,255.95")]
)
def test_papers_in_words(milli: int, text: str) -> None:
    assert papers_text(milli) == text
