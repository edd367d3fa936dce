"""What the simulated traders' strategies decide on markets made by hand."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from market.maker import Side
from market.orders import Action
from market.robots.momentum import momentum
from market.robots.noise import noise
from market.robots.reversion import reversion
from market.robots.strategy import Idea, MarketView, toward


def market(term: str, **values: object) -> MarketView:
    quiet = MarketView(
        contract_id=None, board="cs.LG", term=term, period="2026-W21", opening_units=200, plain_units=200,
        recent_units=(), depth_shares=800, paper_counts=(2, 2),
    )
    return replace(quiet, **values)  # type: ignore[arg-type]


QUIET = market("quiet")


def test_a_price_without_trades_is_the_opening_one() -> None:
    assert QUIET.price_units == 200
    assert market("traded", recent_units=(210, 190)).price_units == 190


@pytest.mark.parametrize("strategy", [momentum, reversion, noise])
def test_with_no_market_to_look_at_nobody_trades(strategy: object) -> None:
    assert strategy([], Random(1)) is None  # type: ignore[operator]


@pytest.mark.parametrize("strategy", [momentum, reversion])
def test_nothing_happens_in_quiet_markets(strategy: object) -> None:
    assert strategy([QUIET, QUIET], Random(1)) is None  # type: ignore[operator]


@pytest.mark.parametrize(
    ("values", "side"),
    [
        ({"recent_units": (200, 204, 210)}, Side.LONG),
        ({"recent_units": (210, 204, 200)}, Side.SHORT),
        ({"recent_units": (230,)}, Side.LONG),
        ({"paper_counts": (1, 4)}, Side.LONG),
        ({"paper_counts": (4, 1)}, Side.SHORT),
    ],
    ids=["price rose", "price fell", "first trade rose", "more papers", "fewer papers"],
)
def test_momentum_follows_the_strongest_move(values: dict[str, object], side: Side) -> None:
    moving = market("moving", **values)
    idea = momentum([QUIET, moving, market("slower", recent_units=(200, 204))], Random(1))
    assert idea is not None
    assert (idea.market, idea.side, idea.action) == (moving, side, Action.BUY)


@pytest.mark.parametrize(("price", "side"), [(240, Side.SHORT), (160, Side.LONG)])
def test_reversion_trades_the_farthest_price_back(price: int, side: Side) -> None:
    far = market("far", recent_units=(price,))
    idea = reversion([QUIET, market("near", recent_units=(209,)), far], Random(1))
    assert idea is not None
    assert (idea.market, idea.side, idea.action) == (far, side, Action.BUY)


def test_reversion_goes_to_what_is_expected_now_and_not_to_where_the_contract_opened() -> None:
    more_papers_since = market("more", plain_units=300, recent_units=(200,))
    idea = reversion([QUIET, more_papers_since], Random(1))
    assert idea is not None
    assert (idea.market, idea.side) == (more_papers_since, Side.LONG)


def test_shares_of_the_other_side_are_sold_first_and_never_more_than_are_held() -> None:
    held = market("held", short_held=3)
    assert toward(held, Side.LONG, 0.05) == Idea(held, Side.SHORT, Action.SELL, 3)
    assert toward(held, Side.SHORT, 0.05) == Idea(held, Side.SHORT, Action.BUY, 40)


def test_an_order_is_never_for_less_than_one_share() -> None:
    assert toward(market("deep", depth_shares=50), Side.LONG, 0.001).share_count == 1


@pytest.mark.parametrize("strategy", [momentum, reversion, noise])
def test_the_same_chance_gives_the_same_idea(strategy: object) -> None:
    seen = [market(f"term-{number}", recent_units=(200, 200 + 7 * number)) for number in range(5)]
    assert strategy(seen, Random("a")) == strategy(seen, Random("a"))  # type: ignore[operator]
