"""The maker: exact whole numbers, bounded loss, and no trade that makes money from rounding."""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction
from math import exp, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from market import exact
from market.maker import Maker, Side, cost_of, fee_for, maker_for, moved, shares_for_spend

makers = st.builds(
    Maker,
    st.sampled_from([2**power for power in range(4, 24)]),
    st.integers(32, 992),
    st.integers(50, 200_000),
)
few = st.integers(0, 5_000)
many = st.integers(0, 2**40)
sides = st.sampled_from(Side)


@pytest.mark.parametrize(
    ("f0", "maker", "subsidy_credits"),
    [("60", Maker(256, 240, 511), 1897), ("2", Maker(16, 128, 875), 291)],
)
def test_the_worked_examples(f0: str, maker: Maker, subsidy_credits: int) -> None:
    assert maker_for(Decimal(f0)) == maker
    assert maker.subsidy_units() // 10_000 == subsidy_credits
    assert maker.forecast_milli(0, 0) == Decimal(f0) * 1000
    assert maker.price_units(0, 0) == 100 * int(f0)  # a LONG share costs as many cents as papers are expected


@pytest.mark.parametrize(
    ("f0", "tenth_credits", "factor"),
    [("0.5", 2, 1.4), ("2.999", 2, 1.4), ("3", 10, 2), ("30", 10, 2), ("30.001", 40, 3), ("500", 40, 3)],
)
def test_moving_the_forecast_by_a_tenth_costs_what_the_tier_says(
    f0: str, tenth_credits: int, factor: float
) -> None:
    maker = maker_for(Decimal(f0))
    shares = round(maker.depth_shares * 0.1 / (1 - maker.prior_1024 / 1024))
    assert maker.forecast_milli(shares, 0) == pytest.approx(1100 * float(f0), rel=0.02)
    assert cost_of(maker, 0, 0, Side.LONG, shares) / 10_000 == pytest.approx(tenth_credits, rel=0.25)
    limit = maker.position_limit()
    assert maker.forecast_milli(0, limit) >= 1000 * float(f0) / factor * 0.999
    assert maker.forecast_milli(0, limit + 2) <= 1000 * float(f0) / factor * 1.02
    assert maker.forecast_milli(limit, 0) <= 1000 * float(f0) * factor


def test_a_forecast_below_the_least_prior_opens_at_the_least_prior() -> None:
    maker = maker_for(Decimal("0.05"))
    assert (maker.cap, maker.prior_1024) == (16, 32)
    # The depth is for the half paper that the market opens at, not for the twentieth that was forecast.
    assert maker.depth_shares == 3875


@settings(deadline=None)
@given(st.decimals(Decimal("0.001"), 2**20, places=3))
def test_every_forecast_gets_a_maker_in_range(f0: Decimal) -> None:
    maker = maker_for(f0)
    assert maker.cap >= 16
    assert maker.cap >= 4 * f0 + 4
    assert maker.cap == 16 or maker.cap < 2 * (4 * f0 + 4)
    assert 32 <= maker.prior_1024 <= 992
    assert maker.depth_shares >= 50
    assert 0 < maker.subsidy_units() < 2**62
    assert maker.position_limit() > 0


@pytest.mark.parametrize("f0", ["0", "-1", "NaN", "Infinity", "1048577"])
def test_a_forecast_out_of_range_is_refused(f0: str) -> None:
    with pytest.raises(ValueError, match="opening forecast"):
        maker_for(Decimal(f0))


@settings(deadline=None)
@given(makers, few, few)
def test_the_potential_is_the_formula(maker: Maker, long: int, short: int) -> None:
    prior, lead = maker.prior_1024 / 1024, (long - short) / maker.depth_shares
    expected = 100 * maker.cap * (short + maker.depth_shares * log(prior * exp(lead) + 1 - prior))
    assert maker.potential(long, short) == pytest.approx(expected, rel=1e-9, abs=100 * maker.cap * 1e-6 + 1)


@settings(deadline=None)
@given(makers, many)
def test_the_potential_is_exact_where_it_is_a_whole_number(maker: Maker, shares: int) -> None:
    assert maker.potential(0, 0) == 0
    assert maker.potential(shares, shares) == 100 * maker.cap * shares


@settings(deadline=None)
@given(makers, many, many, sides)
def test_the_potential_grows_by_at_most_the_payout(maker: Maker, long: int, short: int, side: Side) -> None:
    assert 0 <= cost_of(maker, long, short, side, 1) <= 100 * maker.cap


@settings(deadline=None)
@given(makers, many, many, st.integers(0, 2**30))
def test_a_pair_of_shares_costs_exactly_what_it_pays(maker: Maker, long: int, short: int, pairs: int) -> None:
    before, after = maker.potential(long, short), maker.potential(long + pairs, short + pairs)
    assert after - before == 100 * maker.cap * pairs


@settings(deadline=None)
@given(makers, few, few, sides, st.lists(st.integers(1, 500), min_size=2, max_size=6))
def test_splitting_an_order_changes_nothing(
    maker: Maker, long: int, short: int, side: Side, parts: list[int]
) -> None:
    at, paid = (long, short), 0
    for part in parts:
        paid += cost_of(maker, *at, side, part)
        at = moved(*at, side, part)
    assert paid == cost_of(maker, long, short, side, sum(parts))


@settings(deadline=None)
@given(makers, st.lists(st.tuples(sides, st.integers(-400, 400)), max_size=12))
def test_any_round_trip_costs_nothing_and_the_pool_can_always_pay(
    maker: Maker, steps: list[tuple[Side, int]]
) -> None:
    at, pool = (0, 0), maker.subsidy_units()
    for side, change in steps:
        held = at[0] if side is Side.LONG else at[1]
        change = max(change, -held)
        pool += cost_of(maker, *at, side, change)
        at = moved(*at, side, change)
        assert pool >= maker.solvent_units(*at)
        for counted in (0, maker.cap // 2, maker.cap, 2 * maker.cap):
            owed = sum(
                shares * maker.payout_units(each, counted) for shares, each in zip(at, Side, strict=True)
            )
            assert owed <= maker.solvent_units(*at)
    for side, held in zip(Side, at, strict=True):
        pool += cost_of(maker, *at, side, -held)
        at = moved(*at, side, -held)
    assert pool == maker.subsidy_units()


@settings(deadline=None)
@given(makers, many, many)
def test_the_pool_can_always_pay_however_far_the_state(maker: Maker, long: int, short: int) -> None:
    assert maker.subsidy_units() + maker.potential(long, short) >= maker.solvent_units(long, short)


@settings(deadline=None)
@given(makers, many, many)
def test_prices_stay_within_the_payout(maker: Maker, long: int, short: int) -> None:
    assert 0 <= maker.price_units(long, short) <= 100 * maker.cap
    assert 0 <= maker.long_chance(long, short) <= 1


@settings(deadline=None)
@given(makers, few, few)
def test_the_price_of_short_is_the_rest(maker: Maker, long: int, short: int) -> None:
    mirrored = Maker(maker.cap, 1024 - maker.prior_1024, maker.depth_shares)
    total = maker.long_chance(long, short) + mirrored.long_chance(short, long)
    assert abs(total - 1) < Fraction(1, 10**45)


@settings(deadline=None)
@given(makers, st.integers(0, 300), sides)
def test_the_price_lies_between_the_costs_of_neighbouring_shares(maker: Maker, long: int, side: Side) -> None:
    price = 100 * maker.cap * maker.long_chance(long + 1, 0)
    assert cost_of(maker, long, 0, Side.LONG, 1) - 1 <= price <= cost_of(maker, long + 1, 0, Side.LONG, 1) + 1


@settings(deadline=None)
@given(makers, few, few, sides, st.integers(1, 10**9))
def test_spending_buys_the_most_shares_that_fit(
    maker: Maker, long: int, short: int, side: Side, spend: int
) -> None:
    count = shares_for_spend(maker, long, short, side, spend)

    def total(shares: int) -> int:
        cost = cost_of(maker, long, short, side, shares)
        return cost + fee_for(cost)

    assert count == 0 or total(count) <= spend
    assert total(count + 1) > spend


def test_spending_where_shares_are_nearly_free_stops_at_the_limit() -> None:
    assert shares_for_spend(Maker(16, 512, 50), 0, 2**40, Side.LONG, 2**61) == 2**40 - 1


def test_the_integers_do_not_depend_on_the_ambient_decimal_context() -> None:
    states = [(7, 0), (0, 9), (123, 45), (2**40, 3)]
    maker = Maker(64, 333, 777)
    usual = [(maker.potential(*at), maker.price_units(*at)) for at in states]
    exact.mixture_log_ceiling.cache_clear()
    exact.mixture_share.cache_clear()
    with decimal.localcontext(prec=3, rounding=decimal.ROUND_DOWN, Emax=5, Emin=-5):
        assert [(maker.potential(*at), maker.price_units(*at)) for at in states] == usual


def test_golden_integers() -> None:
    # Written down once from 120 digits: every machine and version must compute the same.
    maker = Maker(256, 240, 511)
    states = [(1, 0), (0, 1), (1000, 0), (0, 1000), (656, 123)]
    assert [maker.potential(*at) for at in states] == [6005, 19605, 11585169, 22660300, 7834615]


@pytest.mark.parametrize(
    ("cost", "fee"), [(0, 1), (1, 1), (199, 1), (200, 1), (201, 2), (-201, 2), (10_000, 50), (10_001, 51)]
)
def test_the_fee_is_half_a_percent_rounded_up(cost: int, fee: int) -> None:
    assert fee_for(cost) == fee


def test_more_shares_than_exist_cannot_be_sold() -> None:
    with pytest.raises(ValueError, match="negative number of shares"):
        cost_of(Maker(16, 128, 875), 3, 0, Side.LONG, -4)
