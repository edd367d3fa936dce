"""What somebody did, played in the market in memory: every entry that it makes, in their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from market.entries import Kind
from market.limit_pricing import LimitQuote
from market.limits import LimitRequest, Stands
from market.maker import Side
from market.matching import Ended, EndedAs, Step
from market.orders import Action, OrderRequest
from market.pricing import Trade
from market.replay import ImpossibleEvent, Played, Replay
from market.resting import as_resting


@dataclass(frozen=True, slots=True)
class Expected:
    """An entry that the market in memory makes; ``values`` by the columns of the order log."""

    kind: Kind
    order_id: int
    values: Mapping[str, object]


def entries_of(market: Replay, event: Any) -> Iterator[Expected]:
    """What somebody did, by the first of its entries: all the entries that it makes."""
    if event.order_id is None or (event.kind == Kind.TRADE and event.version_after is None):
        raise ImpossibleEvent(f"it is a {event.kind} without an order or a fill")
    number, now = event.contract_id, event.recorded_at
    if event.kind == Kind.RELEASE:
        yield _ended(market.end(number, event.order_id, EndedAs(event.memo), now))
    elif event.from_hold:
        yield _followed(market.step(number, now))
    elif event.limit_milli is not None:
        limit = market.place_limit(as_resting(event), number, _limit_request(event), now)
        if limit.quote.trade:
            yield _traded(event.order_id, limit.quote.trade, from_hold=False)
        if limit.quote.rested_shares:
            yield _rested(event.order_id, limit.quote)
        yield from map(_followed, limit.following)
    else:
        played = market.trade(event.trader_id, number, _request(event), now)
        yield _at_the_market(event.order_id, played)
        yield from map(_followed, played.following)


def _request(event: Any) -> OrderRequest:
    return OrderRequest(
        "", "", event.period, Side(event.side), Action(event.action), event.asked_shares, event.spend_units,
        event.limit_units,
    )  # fmt: skip


def _limit_request(event: Any) -> LimitRequest:
    return LimitRequest(
        "", "", event.period, Side(event.side), Action(event.action), event.asked_shares, event.limit_milli,
        Stands(event.stands), event.good_until,
    )  # fmt: skip


def _at_the_market(order_id: int, played: Played) -> Expected:
    made = played.quote
    values = {
        "share_count": made.share_count, "cost_units": made.cost_units, "fee_units": made.fee_units,
        "price_before_units": made.price_before_units, "price_after_units": made.price_after_units,
        "version_before": made.state_version, "version_after": played.version_after, "from_hold": False,
    }  # fmt: skip
    return Expected(Kind.TRADE, order_id, values)


def _traded(order_id: int, trade: Trade, *, from_hold: bool) -> Expected:
    before, after = trade.before, trade.after
    values = {
        "share_count": abs(trade.change), "cost_units": trade.cost_units, "fee_units": trade.fee_units,
        "price_before_units": before.maker.price_units(before.long, before.short),
        "price_after_units": after.maker.price_units(after.long, after.short),
        "version_before": before.version, "version_after": after.version, "from_hold": from_hold,
    }  # fmt: skip
    return Expected(Kind.TRADE, order_id, values)


def _rested(order_id: int, quote: LimitQuote) -> Expected:
    values = {
        "rested_shares": quote.rested_shares, "lead": quote.limit, "hold_each_units": quote.hold_each_units,
    }  # fmt: skip
    return Expected(Kind.HOLD, order_id, values)


def _followed(step: Step) -> Expected:
    if isinstance(step, Ended):
        return _ended(step)
    return _traded(step.order.order_id, step.trade, from_hold=True)


def _ended(step: Ended) -> Expected:
    values = {"ended_shares": step.order.open_shares, "memo": step.why.value}
    return Expected(Kind.RELEASE, step.order.order_id, values)
