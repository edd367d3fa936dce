"""The orders of one trader that rest, with what is set aside for them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from market.boards import today_of
from market.maker import Maker
from market.orders import Action
from market.tables import Board, Contract, LimitOrder, Order
from nlp.tables import Term


@dataclass(frozen=True)
class OpenOrder:
    """`open_shares` of `share_count` rest until the forecast passes `forecast_milli`, in thousandths of a
    paper; the market's own is `market_milli`. `hold_units` are set aside for a buy, for a sale its shares.

    `is_over` when its date or its contract's closing has come: it waits for its hold to be returned.
    """

    order_id: int
    board_code: str
    term_slug: str
    term_label: str
    period: str
    side: str
    action: str
    share_count: int
    open_shares: int
    forecast_milli: int
    market_milli: int
    good_until: date | None
    placed_at: datetime
    hold_units: int
    is_over: bool

    @property
    def is_buy(self) -> bool:
        return self.action == Action.BUY


def open_orders(session: Session, trader_id: int, now: datetime) -> tuple[OpenOrder, ...]:
    """The trader's resting orders, the soonest period first; one query."""
    rows = session.execute(
        sa.select(Order, LimitOrder, Contract, Board, col(Term.slug), col(Term.label))
        .join(LimitOrder, col(LimitOrder.order_id) == Order.id)
        .join(Contract, col(Contract.id) == LimitOrder.contract_id)
        .join(Board, col(Board.id) == Order.board_id)
        .join(Term, col(Term.id) == Order.term_id)
        .where(col(LimitOrder.open_shares) > 0, col(Order.trader_id) == trader_id)
        .order_by(col(Contract.first_day), col(Board.position), col(Term.label), col(Order.id))
    )
    return tuple(_open_order(order, limit, contract, board, slug, label, now)
                 for order, limit, contract, board, slug, label in rows)


def _open_order(
    order: Order, limit: LimitOrder, contract: Contract, board: Board, slug: str, label: str, now: datetime
) -> OpenOrder:
    assert order.id is not None
    assert order.share_count is not None
    maker = Maker(contract.cap, contract.prior_1024, contract.depth_shares)
    is_closed = today_of(board, now) >= contract.first_day
    return OpenOrder(
        order_id=order.id,
        board_code=board.code,
        term_slug=slug,
        term_label=label,
        period=order.period,
        side=order.side,
        action=order.action,
        share_count=order.share_count,
        open_shares=limit.open_shares,
        forecast_milli=limit.forecast_milli,
        market_milli=maker.forecast_milli(contract.long_shares, contract.short_shares),
        good_until=limit.good_until,
        placed_at=order.placed_at,
        hold_units=limit.open_shares * (limit.hold_each_units or 0),
        is_over=is_closed or (limit.ends_at is not None and limit.ends_at <= now),
    )
