"""The receipt of an order: the order as it was placed, and the trade it made or why it was refused."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.tables import Board, Fill, Order
from nlp.tables import Term


@dataclass(frozen=True)
class Trade:
    """What a filled order did. `cost_units` is signed (negative: proceeds) and without the fee; prices are of
    one LONG share, in units."""

    share_count: int
    cost_units: int
    fee_units: int
    price_before_units: int
    price_after_units: int
    version_before: int
    version_after: int

    @property
    def total_units(self) -> int:
        """Cash that left on a buy (cost and fee) or arrived on a sale (proceeds less fee), in units."""
        return abs(self.cost_units + self.fee_units)


@dataclass(frozen=True)
class OrderReceipt:
    """An order of one trader. `trade` is None when it was refused; `reason` and `message` then say why."""

    order_id: int
    board_code: str
    board_name: str
    term_slug: str
    term_label: str
    period: str
    side: str
    action: str
    asked_share_count: int | None
    asked_spend_units: int | None
    limit_units: int | None
    placed_at: datetime
    reason: str
    message: str
    trade: Trade | None


def order_receipt(session: Session, trader_id: int, order_id: int) -> OrderReceipt | None:
    """The receipt of the trader's own order; None if there is no such order or it is somebody else's."""
    row = session.execute(
        sa.select(
            col(Order.period), col(Order.side), col(Order.action),
            col(Order.share_count), col(Order.spend_units), col(Order.limit_units),
            col(Order.placed_at), col(Order.reason), col(Order.message),
            col(Board.code), col(Board.name), col(Term.slug), col(Term.label),
            col(Fill.share_count).label("filled_count"), col(Fill.cost_units), col(Fill.fee_units),
            col(Fill.price_before_units), col(Fill.price_after_units),
            col(Fill.version_before), col(Fill.version_after),
        )
        .select_from(Order)
        .join(Board, col(Board.id) == col(Order.board_id))
        .join(Term, col(Term.id) == col(Order.term_id))
        .outerjoin(Fill, col(Fill.order_id) == col(Order.id))
        .where(col(Order.id) == order_id, col(Order.trader_id) == trader_id)
    ).one_or_none()
    if row is None:
        return None
    return OrderReceipt(
        order_id=order_id,
        board_code=row.code,
        board_name=row.name,
        term_slug=row.slug,
        term_label=row.label,
        period=row.period,
        side=row.side,
        action=row.action,
        asked_share_count=row.share_count,
        asked_spend_units=row.spend_units,
        limit_units=row.limit_units,
        placed_at=row.placed_at,
        reason=row.reason,
        message=row.message,
        trade=_trade(row),
    )


def _trade(row: sa.Row[Any]) -> Trade | None:
    if row.filled_count is None:
        return None
    return Trade(
        share_count=row.filled_count,
        cost_units=row.cost_units,
        fee_units=row.fee_units,
        price_before_units=row.price_before_units,
        price_after_units=row.price_after_units,
        version_before=row.version_before,
        version_after=row.version_after,
    )
