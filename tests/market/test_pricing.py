"""Every reason that lies in the order to refuse it, and the pool's boundary to the unit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from market.errors import (
    Insolvent,
    InsufficientFunds,
    InsufficientShares,
    InvalidAmount,
    PositionLimit,
    PriceMoved,
)
from market.maker import Maker, Side, cost_of, fee_for
from market.orders import Action
from market.pricing import ContractState, check_pool, priced
from tests.market.factories import order

MAKER = Maker(16, 128, 875)
START = ContractState(7, MAKER, MAKER.subsidy_units(), 0, 0, 0, False)
RICH = 10**9


def state(long: int, short: int) -> ContractState:
    return replace(START, long=long, short=short, version=3)


def test_a_quote_says_what_happens() -> None:
    quote = priced(order(shares=100), "diffusion model", START, 20, RICH)
    cost = MAKER.potential(100, 0)
    assert (quote.share_count, quote.cost_units, quote.fee_units) == (100, cost, fee_for(cost))
    assert quote.total_units == cost + fee_for(cost)
    assert (quote.price_before_units, quote.forecast_before_milli) == (200, 2000)
    assert quote.price_after_units == MAKER.price_units(100, 0) > 200
    assert (quote.cap, quote.state_version, quote.held_shares, quote.position_limit) == (16, 0, 20, 329)


def test_a_sale_brings_the_proceeds_less_the_fee() -> None:
    quote = priced(order(action=Action.SELL, shares=50), "", state(50, 0), 50, 0)
    assert quote.cost_units == -MAKER.potential(50, 0)
    assert quote.total_units == -quote.cost_units - quote.fee_units


def test_an_order_by_credits_takes_all_that_fits() -> None:
    quote = priced(order(spend=50_000), "", START, 0, RICH)
    assert quote.total_units <= 50_000
    more = cost_of(MAKER, 0, 0, Side.LONG, quote.share_count + 1)
    assert more + fee_for(more) > 50_000
    with pytest.raises(InvalidAmount, match=r"0\.0005 credits do not pay for one share"):
        priced(order(spend=5), "", START, 0, RICH)


def test_cash_is_enough_to_the_unit() -> None:
    total = priced(order(shares=100), "", START, 0, RICH).total_units
    assert priced(order(shares=100), "", START, 0, total).cash_units == total
    with pytest.raises(InsufficientFunds, match=r"You have 2\.\d+ credits, and this order takes 2\.\d+\."):
        priced(order(shares=100), "", START, 0, total - 1)
    assert priced(order(shares=100), "", START, 0, None).cash_units is None


def test_a_limit_holds_to_the_unit() -> None:
    total = priced(order(shares=100), "", START, 0, RICH).total_units
    priced(order(shares=100, limit=total), "", START, 0, RICH)
    with pytest.raises(PriceMoved) as caught:
        priced(order(shares=100, limit=total - 1), "", START, 0, RICH)
    assert (caught.value.limit_units, caught.value.needed_units) == (total - 1, total)
    sale = order(action=Action.SELL, shares=50)
    brings = priced(sale, "", state(50, 0), 50, 0).total_units
    priced(replace(sale, limit_units=brings), "", state(50, 0), 50, 0)
    with pytest.raises(PriceMoved):
        priced(replace(sale, limit_units=brings + 1), "", state(50, 0), 50, 0)


def test_a_position_ends_at_its_limit() -> None:
    priced(order(shares=329), "", START, 0, RICH)
    with pytest.raises(PositionLimit):
        priced(order(shares=330), "", START, 0, RICH)
    with pytest.raises(PositionLimit, match="you hold 300"):
        priced(order(shares=30), "", state(300, 0), 300, RICH)
    with pytest.raises(PositionLimit):
        priced(order(shares=2**40 - 1), "", START, 0, RICH)


def test_only_held_shares_can_be_sold() -> None:
    with pytest.raises(InsufficientShares, match="You hold 5 LONG shares of this contract and cannot sell 6"):
        priced(order(action=Action.SELL, shares=6), "", state(50, 0), 5, 0)


def test_shares_that_cost_less_than_a_unit_are_not_sold_for_nothing() -> None:
    cheap = state(0, 40_000)  # LONG is as good as worthless here
    assert cost_of(MAKER, 0, 40_000, Side.LONG, 1) == 0
    with pytest.raises(InvalidAmount, match="smallest unit"):
        priced(order(shares=1), "", cheap, 0, RICH)
    with pytest.raises(InvalidAmount, match="fee would take all"):
        priced(order(action=Action.SELL, shares=1), "", state(1, 40_000), 1, 0)


@pytest.mark.parametrize("at", [(0, 0), (329, 0), (0, 329), (300, 200), (2**30, 0)])
def test_the_pool_is_checked_to_the_unit(at: tuple[int, int]) -> None:
    here = state(*at)
    pool = here.subsidy_units + MAKER.potential(*at)
    check_pool(here, Side.LONG, pool, at[0])
    for wrong in (pool - 1, pool + 1):
        with pytest.raises(Insolvent, match="instead of"):
            check_pool(here, Side.LONG, wrong, at[0])
    with pytest.raises(Insolvent, match="exist"):
        check_pool(here, Side.SHORT, pool, at[1] + 1)


def test_a_pool_that_just_covers_the_payout_is_solvent_and_one_unit_less_is_not() -> None:
    # A subsidy that leaves nothing over: the boundary itself.
    due = MAKER.solvent_units(300, 0)
    exact = replace(state(300, 0), subsidy_units=due - MAKER.potential(300, 0))
    check_pool(exact, Side.LONG, due, 300)
    with pytest.raises(Insolvent, match=f"would hold {due - 1}, and could owe {due}"):
        check_pool(exact, Side.LONG, due - 1, 300)
