"""What a simulated trader sees and what it may answer. Pure.

A strategy is a function from the few markets it looks at, and a source of chance, to one idea or none. It
sees what any visitor sees at that moment, and its own shares.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from market.maker import Side
from market.orders import Action


@dataclass(frozen=True, slots=True)
class MarketView:
    """One contract as it is public at a moment, with the looker's own shares.

    `contract_id` is None before its first trade. Prices are of one LONG share in units: `opening_units` is
    where the contract opened (or would), `plain_units` what the plain forecast says now. `recent_units` holds
    the prices after the last trades, `paper_counts` the papers with the term on each of the last days; both
    oldest first.
    """

    contract_id: int | None
    board: str
    term: str
    period: str
    opening_units: int
    plain_units: int
    recent_units: tuple[int, ...]
    depth_shares: int
    paper_counts: tuple[int, ...]
    long_held: int = 0
    short_held: int = 0

    @property
    def price_units(self) -> int:
        return self.recent_units[-1] if self.recent_units else self.opening_units

    def held(self, side: Side) -> int:
        return self.long_held if side is Side.LONG else self.short_held


@dataclass(frozen=True, slots=True)
class Idea:
    """An order that a strategy would place; `share_count` is at least 1."""

    market: MarketView
    side: Side
    action: Action
    share_count: int


Strategy = Callable[[Sequence[MarketView], Random], Idea | None]


def most_striking(
    seen: Sequence[MarketView], measure: Callable[[MarketView], float], least: float
) -> MarketView | None:
    """The market whose measure lies farthest from 0, on either side; None where none reaches ``least``."""
    striking = [market for market in seen if abs(measure(market)) >= least]
    return max(striking, key=lambda market: abs(measure(market)), default=None)


def toward(market: MarketView, side: Side, depth_share: float) -> Idea:
    """Move the price toward `side`: sell shares of the other side if there are any, else buy.

    `depth_share` says how far: the shares are that part of the contract's depth, so that a busy contract and
    a quiet one move alike.
    """
    share_count = max(1, round(market.depth_shares * depth_share))
    other = Side.SHORT if side is Side.LONG else Side.LONG
    if market.held(other):
        return Idea(market, other, Action.SELL, min(share_count, market.held(other)))
    return Idea(market, side, Action.BUY, share_count)
