"""Which trades count as volume: not those by which an owner only went back and forth. Pure.

Within a trading day of the board, what an owner sells of a contract and side after buying it, or buys after
selling it, was a round trip: neither half of it counts. An owner is a trader, or all the traders that are
linked: what one buys and another sells is a round trip too. The newest shares go back first.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple


class Dealt(NamedTuple):
    """``change`` shares (negative: sold, never 0) of a contract's side that an owner traded on a day."""

    owner: int
    contract_id: int
    side: str  # of `maker.Side`
    day: date
    change: int


def counted_shares(trades: Iterable[Dealt]) -> list[int]:
    """How many shares of each trade count, 0 or more; the trades are in the order in which they were made."""
    counted: list[int] = []
    with_shares: dict[tuple[object, ...], list[int]] = {}  # the places of trades that have some left
    ways: dict[tuple[object, ...], bool] = {}
    for place, trade in enumerate(trades):
        key = trade[:-1]  # all but the change
        left, is_buy, stack = abs(trade.change), trade.change > 0, with_shares.setdefault(key, [])
        while left and stack and ways[key] is not is_buy:
            gone = min(left, counted[stack[-1]])
            counted[stack[-1]] -= gone
            left -= gone
            if not counted[stack[-1]]:
                stack.pop()
        counted.append(left)
        if left:
            ways[key] = is_buy
            stack.append(place)
    return counted
