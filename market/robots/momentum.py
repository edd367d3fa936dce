"""Momentum: what has been going up goes on going up, in price or in papers. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from market.maker import Side
from market.robots.strategy import Idea, MarketView, most_striking, toward

LEAST_MOVE = 0.015  # of the price; anything smaller is taken for noise
BOUNDS = (0.01, 0.05)  # of the contract's depth


def momentum(seen: Sequence[MarketView], chance: Random) -> Idea | None:
    """Follow the market that moved most; None while nothing moves."""
    strongest = most_striking(seen, move, LEAST_MOVE)
    if strongest is None:
        return None
    side = Side.LONG if move(strongest) > 0 else Side.SHORT
    return toward(strongest, side, chance.uniform(*BOUNDS))


def move(market: MarketView) -> float:
    """The last trades' change of price as a part of the price; before any trade, that of the daily papers."""
    if market.recent_units:
        start = market.recent_units[0] if len(market.recent_units) > 1 else market.opening_units
        return market.price_units / max(start, 1) - 1
    if len(market.paper_counts) < 2:
        return 0.0
    before, last = market.paper_counts[-2:]
    return (last - before) / (last + before) if last + before else 0.0
