"""What an order may say, and the hash that tells two orders apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from market.errors import InvalidAmount, UnknownPeriod
from market.maker import Side
from market.orders import Action, InvalidKey, check_key
from tests.market.factories import order


@pytest.mark.parametrize("shares", [-5, 0, -0, True, 1.0, "1", "１", 2**40, float("nan")])
def test_shares_that_are_no_number_of_shares_are_refused(shares: Any) -> None:
    with pytest.raises(InvalidAmount):
        order(shares=shares)


@pytest.mark.parametrize("units", [-5, True, 1.0, "1", 2**62])
def test_credits_and_limits_that_are_no_amount_are_refused(units: Any) -> None:
    with pytest.raises(InvalidAmount):
        order(spend=units)
    with pytest.raises(InvalidAmount):
        order(limit=units)


def test_an_order_says_either_shares_or_credits() -> None:
    with pytest.raises(InvalidAmount):
        order(shares=None)
    with pytest.raises(InvalidAmount):
        replace(order(shares=3), spend_units=5)
    with pytest.raises(InvalidAmount, match="how many shares"):
        order(action=Action.SELL, spend=5)


@pytest.mark.parametrize("period", ["", "W21", "2026-W99", "2026-13", "2026-W21\x00", "x" * 400])
def test_what_is_no_period_is_refused(period: str) -> None:
    with pytest.raises(UnknownPeriod):
        order(period=period)


def test_sides_and_actions_are_checked() -> None:
    assert order("LONG", "buy").side is Side.LONG  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="UP"):
        order("UP")  # type: ignore[arg-type]


def test_the_hash_tells_orders_apart() -> None:
    orders = [
        order(), order(shares=2), order(Side.SHORT), order(action=Action.SELL), order(spend=1),
        order(limit=1), order(period="2026-W22"), order(term="dropout"), replace(order(), board="tmlr"),
    ]  # fmt: skip
    assert len({each.body_hash() for each in orders}) == len(orders)
    assert order().body_hash() == order().body_hash()
    # It is stored: a release that changed it would take every repeated order for another one.
    assert order().body_hash() == "79a4faee065baf5126a92d00c6dd2bdb3562123ab1b8258927e16dd259ed171d"


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 65, "é", "a\n", None, 7])
def test_what_is_no_key_is_refused(key: Any) -> None:
    with pytest.raises(InvalidKey):
        check_key(key)


def test_keys_as_browsers_and_programs_make_them() -> None:
    for key in ("7b0c9a52-0c1f-4d7e-9a55-1c5e0f0c3f11", "q_Zr-9", "robot:12:3", "x" * 64):
        check_key(key)
