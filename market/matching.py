"""Which resting orders a state of a contract fills, in which order and how far. Pure.

Resting orders trade with the maker, never with one another. An upward order (see `limits`) is *crossed* while
the contract's lead lies below its limit, a downward one while the lead lies above. The best price comes first
(the highest limit upward, the lowest downward), then the older order; where both ways are crossed, the older
one of the two best. Each is filled until it is full or the maker stands at its limit.

Every step therefore fills at least one share, or takes an expired order away, so the loop ends; and as a
limit order that comes in may play against one that rests, back and forth between their limits, the number of
steps in one transaction is bounded as well. What is left stays crossed until the next trade or sweep.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from market.limits import raises_forecast, shares_to_limit
from market.maker import Side
from market.orders import Action
from market.pricing import ContractState, Trade, traded

MOST_STEPS = 100  # in one transaction


class EndedAs(StrEnum):
    """Why the rest of an order was given up."""

    CANCELLED = "cancelled"
    EXPIRED = "expired"  # its date is over
    CLOSED = "closed"  # its contract takes no more orders
    CROSSED = "crossed"  # its owner placed an order the other way that reached its limit


@dataclass(frozen=True, slots=True)
class Resting:
    """An order that rests: ``open_shares`` (more than 0) of it, with its limit at ``limit`` (a lead).

    ``key`` is the trader and the idempotency key ("7:f3a9"). ``hold_each_units`` is what a buy has set aside
    for each share; None: a sale, which has set aside the shares. From ``ends_at`` on it is over, as
    ``ends_as`` says.
    """

    order_id: int
    trader_id: int
    key: str
    side: Side
    action: Action
    limit: int
    open_shares: int
    hold_each_units: int | None
    ends_at: datetime
    ends_as: EndedAs

    @property
    def is_upward(self) -> bool:
        return raises_forecast(self.side, self.action)

    def reach(self, lead: int) -> int:
        """How many of its shares can be filled at ``lead``; more than 0 when it is crossed."""
        return min(self.open_shares, shares_to_limit(lead, self.limit, self.is_upward))


@dataclass(frozen=True, slots=True)
class Filled:
    """Some of an order's shares are traded; ``order`` is as it was before."""

    order: Resting
    trade: Trade


@dataclass(frozen=True, slots=True)
class Ended:
    """All of an order's shares that still rest are given up."""

    order: Resting
    why: EndedAs


Step = Filled | Ended


def crossed_by_own(
    resting: Iterable[Resting], trader_id: int, is_upward: bool, reach: int
) -> tuple[Ended, ...]:
    """The trader's own orders the other way that an order of theirs would play against; they are ended.

    ``reach`` is the lead that the order comes to, or its limit while a part of it rests.
    """
    return tuple(
        Ended(order, EndedAs.CROSSED)
        for order in sorted(resting, key=lambda order: order.order_id)
        if order.trader_id == trader_id
        and order.is_upward != is_upward
        and shares_to_limit(reach, order.limit, order.is_upward) > 0
    )


def without(resting: Iterable[Resting], ended: Iterable[Ended]) -> tuple[Resting, ...]:
    """The orders that go on resting."""
    gone = {each.order.order_id for each in ended}
    return tuple(order for order in resting if order.order_id not in gone)


def reserved_shares(resting: Iterable[Resting], trader_id: int, side: Side) -> int:
    """The shares of the side that the trader's resting orders may still buy, or hold for sale."""
    return sum(order.open_shares for order in resting if (order.trader_id, order.side) == (trader_id, side))


def next_steps(
    contract: ContractState, resting: Iterable[Resting], now: datetime, most: int = MOST_STEPS
) -> tuple[Step, ...]:
    """What follows at this state: at most ``most`` steps, in their order; nothing while trading is halted."""
    if contract.is_halted:
        return ()
    book = {order.order_id: order for order in resting}
    steps: list[Step] = []
    while len(steps) < most:
        order = _first_crossed(book.values(), contract.lead)
        if order is None:
            break
        if order.ends_at <= now:
            steps.append(Ended(order, order.ends_as))
            del book[order.order_id]
            continue
        count = order.reach(contract.lead)
        trade = traded(contract, order.side, count if order.action is Action.BUY else -count)
        steps.append(Filled(order, trade))
        contract = trade.after
        if count == order.open_shares:
            del book[order.order_id]
        else:
            book[order.order_id] = replace(order, open_shares=order.open_shares - count)
    return tuple(steps)


def _first_crossed(resting: Iterable[Resting], lead: int) -> Resting | None:
    best: dict[bool, Resting] = {}
    for order in resting:
        if order.reach(lead) > 0:
            other = best.get(order.is_upward)
            if other is None or _rank(order) < _rank(other):
                best[order.is_upward] = order
    return min(best.values(), key=lambda order: order.order_id, default=None)


def _rank(order: Resting) -> tuple[int, int]:
    return (-order.limit if order.is_upward else order.limit), order.order_id
