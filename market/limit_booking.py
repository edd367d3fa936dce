"""What is written of a limit order: its rows, the trade at once, the hold of what rests.

As in `booking`, nothing here refuses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session

from market.booking import FILL, ORDERS, REFUSE, Owner, book_trade
from market.chain import order_key
from market.entries import Kind, hold_lines, trade_lines
from market.errors import KeyReused, MarketError
from market.keys import claim_order
from market.ledger import Held, post
from market.limit_pricing import LimitQuote
from market.limits import LimitRequest
from market.matching import Step
from market.orders import LimitReceipt, total_of
from market.resting import LIMIT_ORDER, add_resting

_ANSWER = sa.select(
    ORDERS.c.id, ORDERS.c.body_hash, ORDERS.c.status, ORDERS.c.reason, ORDERS.c.message,
    FILL.c.share_count, FILL.c.cost_units, FILL.c.fee_units,
    LIMIT_ORDER.c.rested_shares, LIMIT_ORDER.c.hold_each_units,
).join_from(
    ORDERS, FILL, sa.and_(FILL.c.order_id == ORDERS.c.id, ~FILL.c.from_hold), isouter=True
).join(LIMIT_ORDER, LIMIT_ORDER.c.order_id == ORDERS.c.id, isouter=True)  # fmt: skip
_TAKEN = (
    sa.update(LIMIT_ORDER)
    .where(LIMIT_ORDER.c.order_id == sa.bindparam("order"))
    .values(
        contract_id=sa.bindparam("contract"), lead=sa.bindparam("at"), hold_each_units=sa.bindparam("each"),
        ends_at=sa.bindparam("over_at"), rested_shares=sa.bindparam("rest"), open_shares=sa.bindparam("rest"),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LimitOffer:
    """A quote on a locked contract, the locked accounts, and what follows from the order."""

    trader_id: int
    contract_id: int
    quote: LimitQuote
    ends_at: datetime
    held: Held
    following: tuple[Step, ...]


def claim_limit_key(
    session: Session,
    trader_id: int,
    board_id: int,
    term_id: int,
    request: LimitRequest,
    key: str,
    now: datetime,
) -> int | None:
    """Write the order's rows and return its id; None when the trader has used the key before."""
    values = {
        "trader_id": trader_id, "idempotency_key": key, "body_hash": request.body_hash(),
        "board_id": board_id, "term_id": term_id, "period": request.period,
        "side": request.side.value, "action": request.action.value, "share_count": request.share_count,
        "spend_units": None, "limit_units": None, "status": "placed", "reason": "", "message": "",
        "placed_at": now,
    }  # fmt: skip
    order_id = claim_order(session, values)
    if order_id is not None:
        limit = {
            "order_id": order_id, "forecast_milli": request.forecast_milli, "stands": request.stands.value,
            "good_until": request.good_until, "is_upward": request.is_upward,
            "rested_shares": 0, "open_shares": 0, "ended_shares": 0,
        }  # fmt: skip
        session.connection().execute(sa.insert(LIMIT_ORDER), limit)
    return order_id


def stored_limit_answer(session: Session, trader_id: int, request: LimitRequest, key: str) -> LimitReceipt:
    """The answer that the order with this key was given; raises `KeyReused` when it was another order."""
    statement = _ANSWER.where(ORDERS.c.trader_id == trader_id, ORDERS.c.idempotency_key == key)
    row = session.connection().execute(statement).one()
    if row.body_hash != request.body_hash():
        raise KeyReused(key)
    if row.status == "refused":
        return LimitReceipt(row.id, False, row.reason, row.message, is_repeat=True)
    return replace(_receipt(request, row._asdict()), is_repeat=True)


def refuse_limit(session: Session, order_id: int, refusal: MarketError) -> LimitReceipt:
    """Mark the claimed order as refused, with the refusal's name and sentence; its key stays spent."""
    reason, message = type(refusal).__name__, str(refusal)
    session.connection().execute(REFUSE, {"order": order_id, "why": reason, "said": message})
    return LimitReceipt(order_id, False, reason, message)


def book_limit(session: Session, order_id: int, offer: LimitOffer, key: str, now: datetime) -> LimitReceipt:
    """Trade what is filled at once and set aside what the rest may need."""
    made, contract_id = offer.quote, offer.contract_id
    request, owner = made.request, Owner(order_id, order_key(offer.trader_id, key))
    trade, rest = made.trade, made.rested_shares
    if trade:
        lines = trade_lines(
            offer.trader_id, contract_id, trade.side, trade.change, trade.cost_units, trade.fee_units
        )
        book_trade(session, contract_id, owner, trade, lines, offer.held, now)
    if rest:
        lines = hold_lines(offer.trader_id, contract_id, request.side, rest, made.hold_each_units)
        post(
            session, Kind.HOLD, lines, now, contract_id=contract_id, order_id=order_id, key=owner.key,
            held=offer.held,
        )  # fmt: skip
        add_resting(session, contract_id, 1)
    taken = {
        "order": order_id, "contract": contract_id, "at": made.limit, "each": made.hold_each_units,
        "over_at": offer.ends_at, "rest": rest,
    }  # fmt: skip
    session.connection().execute(_TAKEN, taken)
    fill = (
        {"share_count": abs(trade.change), "cost_units": trade.cost_units, "fee_units": trade.fee_units}
        if trade
        else {"share_count": None}
    )
    row = {"id": order_id, "rested_shares": rest, "hold_each_units": made.hold_each_units, **fill}
    return _receipt(request, row)


def _receipt(request: LimitRequest, row: Mapping[str, Any]) -> LimitReceipt:
    count = row["share_count"]
    return LimitReceipt(
        order_id=row["id"],
        is_taken=True,
        reason="",
        message="",
        filled_shares=count or 0,
        total_units=total_of(request.action, row["cost_units"], row["fee_units"]) if count else 0,
        rested_shares=row["rested_shares"],
        hold_units=row["rested_shares"] * (row["hold_each_units"] or 0),
    )
