"""The receipt of an order: as it was placed, the trades it made, what rests of it, or why it was refused."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.statements import in_force
from market.tables import Board, Contract, Fill, LimitOrder, Order, SettlementStatement
from nlp.tables import Term

_TRADE: tuple[Any, ...] = (
    col(Fill.share_count).label("filled_count"), col(Fill.cost_units), col(Fill.fee_units),
    col(Fill.price_before_units), col(Fill.price_after_units), col(Fill.version_before),
    col(Fill.version_after), col(Fill.recorded_at),
)  # fmt: skip


@dataclass(frozen=True)
class Trade:
    """What an order, or a part of it, did. `cost_units` is signed (negative: proceeds) and without the fee;
    prices are of one LONG share, in units."""

    share_count: int
    cost_units: int
    fee_units: int
    price_before_units: int
    price_after_units: int
    version_before: int
    version_after: int
    recorded_at: datetime

    @property
    def total_units(self) -> int:
        """Cash that left on a buy (cost and fee) or arrived on a sale (proceeds less fee), in units."""
        return abs(self.cost_units + self.fee_units)


@dataclass(frozen=True)
class LimitPart:
    """What a limit order says beyond an order, and what became of the part that rested.

    `fills` are the trades of that part, oldest first; `hold_units` what is set aside for it now (0 for a
    sale). `ended_as` is None unless shares were given up: "cancelled", "expired", "closed" or "crossed".
    """

    forecast_milli: int
    stands: str
    good_until: date | None
    rested_shares: int
    open_shares: int
    ended_shares: int
    ended_as: str | None
    hold_units: int
    fills: tuple[Trade, ...]


@dataclass(frozen=True)
class OrderReceipt:
    """An order of one trader. `trade` is what was filled at once, None when nothing was; a refused order has
    the refusal's name in `reason` and a sentence in `message`. `limit` is None for an order at the market.

    `counted` is the number of papers that its contract was settled on, None before; `is_void` when the
    contract was taken back as a whole.
    """

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
    limit: LimitPart | None = None
    counted: int | None = None
    is_void: bool = False

    @property
    def is_refused(self) -> bool:
        return bool(self.reason)


def order_receipt(session: Session, trader_id: int, order_id: int) -> OrderReceipt | None:
    """The receipt of the trader's own order; None if there is no such order or it is somebody else's."""
    row = session.execute(
        sa.select(
            col(Order.period), col(Order.side), col(Order.action),
            col(Order.share_count), col(Order.spend_units), col(Order.limit_units),
            col(Order.placed_at), col(Order.reason), col(Order.message),
            col(Board.code), col(Board.name), col(Term.slug), col(Term.label),
            *_TRADE, col(LimitOrder.forecast_milli), col(LimitOrder.stands), col(LimitOrder.good_until),
            col(LimitOrder.rested_shares), col(LimitOrder.open_shares), col(LimitOrder.ended_shares),
            col(LimitOrder.ended_as), col(LimitOrder.hold_each_units), col(SettlementStatement.counted),
            col(Contract.is_void),
        )
        .select_from(Order)
        .join(Board, col(Board.id) == col(Order.board_id))
        .join(Term, col(Term.id) == col(Order.term_id))
        .outerjoin(
            Contract,
            sa.and_(
                col(Contract.board_id) == Order.board_id,
                col(Contract.term_id) == Order.term_id,
                col(Contract.period) == Order.period,
            ),
        )
        .outerjoin(SettlementStatement, in_force())
        .outerjoin(Fill, sa.and_(col(Fill.order_id) == col(Order.id), ~col(Fill.from_hold)))
        .outerjoin(LimitOrder, col(LimitOrder.order_id) == col(Order.id))
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
        trade=None if row.filled_count is None else _trade(row),
        limit=None if row.forecast_milli is None else _limit(session, order_id, row),
        counted=row.counted,
        is_void=bool(row.is_void),
    )


def _limit(session: Session, order_id: int, row: sa.Row[Any]) -> LimitPart:
    later = sa.select(*_TRADE).where(col(Fill.order_id) == order_id, col(Fill.from_hold))
    fills = session.execute(later.order_by(col(Fill.version_after))).all() if row.rested_shares else ()
    return LimitPart(
        forecast_milli=row.forecast_milli,
        stands=row.stands,
        good_until=row.good_until,
        rested_shares=row.rested_shares,
        open_shares=row.open_shares,
        ended_shares=row.ended_shares,
        ended_as=row.ended_as,
        hold_units=row.open_shares * (row.hold_each_units or 0),
        fills=tuple(map(_trade, fills)),
    )


def _trade(row: sa.Row[Any]) -> Trade:
    return Trade(
        share_count=row.filled_count,
        cost_units=row.cost_units,
        fee_units=row.fee_units,
        price_before_units=row.price_before_units,
        price_after_units=row.price_after_units,
        version_before=row.version_before,
        version_after=row.version_after,
        recorded_at=row.recorded_at,
    )
