"""Noise: somebody always has a reason that nobody else can see. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from market.maker import Side
from market.robots.strategy import Idea, MarketView, toward

BOUNDS = (0.01, 0.08)  # of the contract's depth
BUYS_LONG = 0.55  # people like what they read about


def noise(seen: Sequence[MarketView], chance: Random) -> Idea | None:
    """Trade any of the markets, on either side; None when there is none to look at."""
    if not seen:
        return None
    market = chance.choice(seen)
    side = Side.LONG if chance.random() < BUYS_LONG else Side.SHORT
    return toward(market, side, chance.uniform(*BOUNDS))
