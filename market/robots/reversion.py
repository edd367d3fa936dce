"""Mean reversion: a price that ran away from the plain forecast comes back to it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from market.maker import Side
from market.robots.strategy import Idea, MarketView, most_striking, toward

LEAST_DISTANCE = 0.04  # of the plain forecast
BOUNDS = (0.05, 0.2)  # of the contract's depth


def reversion(seen: Sequence[MarketView], chance: Random) -> Idea | None:
    """Trade the market farthest from its plain forecast back toward it; None while all are near."""
    farthest = most_striking(seen, distance, LEAST_DISTANCE)
    if farthest is None:
        return None
    side = Side.SHORT if distance(farthest) > 0 else Side.LONG
    return toward(farthest, side, chance.uniform(*BOUNDS))


def distance(market: MarketView) -> float:
    """How far the price stands above (below: negative) the plain forecast, as a part of that."""
    return market.price_units / max(market.plain_units, 1) - 1
