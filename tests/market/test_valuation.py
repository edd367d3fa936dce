"""What a position is worth: sequential sales before fees, never more than the pool, less than its price."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.maker import Maker, Side, cost_of, fee_for, maker_for, moved
from market.valuation import liquidation_units, sales

makers = st.decimals("0.1", "300", places=2).map(maker_for)
shares = st.integers(0, 3000)


@st.composite
def positions(draw: st.DrawFn) -> tuple[Maker, int, int, dict[Side, int]]:
    """A maker, its state, and the shares of one trader."""
    maker, long, short = draw(makers), draw(shares), draw(shares)
    held = {Side.LONG: draw(st.integers(0, long)), Side.SHORT: draw(st.integers(0, short))}
    return maker, long, short, held


@given(positions(), st.data())
def test_it_is_the_sum_of_sequential_sales_before_fees_in_any_order(
    position: tuple[Maker, int, int, dict[Side, int]], data: st.DataObject
) -> None:
    maker, long, short, held = position
    made = sales(maker, long, short, held)
    left, state, brought = dict(held), (long, short), 0
    while any(left.values()):
        side = data.draw(st.sampled_from([each for each in Side if left[each]]))
        count = data.draw(st.sampled_from([1, left[side]]) | st.integers(1, left[side]))
        brought -= cost_of(maker, *state, side, -count)
        state, left[side] = moved(*state, side, -count), left[side] - count
    assert sum(sale.proceeds_units for sale in made.values()) == brought
    assert {side: sale.share_count for side, sale in made.items()} == {
        side: count for side, count in held.items() if count
    }


@given(positions())
def test_the_pool_can_always_pay_it(position: tuple[Maker, int, int, dict[Side, int]]) -> None:
    maker, long, short, held = position
    pool = maker.subsidy_units() + maker.potential(long, short)
    made = sales(maker, long, short, held).values()
    assert 0 <= sum(sale.proceeds_units for sale in made) <= pool
    assert all(sale.fee_units == fee_for(sale.proceeds_units) for sale in made)
    assert all(sale.value_units == max(0, sale.proceeds_units - sale.fee_units) for sale in made)


@given(makers, shares, shares, st.sampled_from(Side), st.integers(1, 3000))
def test_it_lies_between_the_prices_before_and_after(
    maker: Maker, long: int, short: int, side: Side, held: int
) -> None:
    after = (long, short)
    before = moved(*after, side, held)
    sale = sales(maker, *before, {side: held})[side]
    # The potential is rounded up, so a difference may be off by less than a unit.
    least, most = (_price(maker, state, side) * held for state in (after, before))
    assert least - 1 < sale.proceeds_units < most + 1


def test_where_depth_matters_it_is_far_less_than_price_times_quantity() -> None:
    maker = maker_for(Decimal(60))
    held = maker.depth_shares
    price = _price(maker, (held, 0), Side.LONG)
    assert liquidation_units(maker, held, 0, {Side.LONG: held}) < Fraction(3, 4) * price * held


def test_a_fee_takes_no_more_than_there_is() -> None:
    assert liquidation_units(maker_for(Decimal(2)), 10, 10, {}) == 0
    assert sales(maker_for(Decimal(2)), 10, 10, {Side.LONG: 0}) == {}
    worthless = sales(Maker(16, 32, 50), 1, 2000, {Side.LONG: 1})[Side.LONG]
    assert (worthless.proceeds_units, worthless.fee_units, worthless.value_units) == (0, 1, 0)


def test_both_sides_are_sold_one_after_the_other() -> None:
    maker = maker_for(Decimal(2))
    held = {Side.LONG: 100, Side.SHORT: 40}
    made = sales(maker, 150, 60, held)
    long = -cost_of(maker, 150, 60, Side.LONG, -100)
    short = -cost_of(maker, 50, 60, Side.SHORT, -40)
    assert [sale.proceeds_units for sale in made.values()] == [long, short]
    assert liquidation_units(maker, 150, 60, held) == long - fee_for(long) + short - fee_for(short)


def test_more_than_there_are_shares_cannot_be_sold() -> None:
    with pytest.raises(ValueError, match="negative"):
        sales(maker_for(Decimal(2)), 10, 0, {Side.LONG: 11})


def _price(maker: Maker, state: tuple[int, int], side: Side) -> Fraction:
    """Of one share, exactly enough."""
    chance = maker.long_chance(*state)
    return 100 * maker.cap * (chance if side is Side.LONG else 1 - chance)
