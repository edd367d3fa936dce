"""What is written of an order: its row with the spent key; if filled, entry, fill and new state.

`trading` decides; nothing here refuses. An error while booking is a fault, and the caller's transaction
undoes all of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, SQLModel

from market.chain import order_key
from market.contracts import advance
from market.entries import Kind, Line, pool_cash, pool_issued, trade_lines
from market.errors import KeyReused, MarketError
from market.keys import claim_order
from market.ledger import Held, post
from market.matching import Step
from market.orders import Action, OrderRequest, Quote, Receipt, total_of
from market.prepared import Prepared
from market.pricing import ContractState, Trade, check_pool, state_after

ORDERS = SQLModel.metadata.tables["orders"]
FILL = SQLModel.metadata.tables["fill"]

_ANSWER = sa.select(
    ORDERS.c.id, ORDERS.c.body_hash, ORDERS.c.status, ORDERS.c.reason, ORDERS.c.message,
    FILL.c.share_count, FILL.c.cost_units, FILL.c.fee_units,
    FILL.c.price_before_units, FILL.c.price_after_units, FILL.c.version_before, FILL.c.version_after,
).join_from(
    ORDERS, FILL, sa.and_(FILL.c.order_id == ORDERS.c.id, ~FILL.c.from_hold), isouter=True
)  # fmt: skip
_NEW_FILL = Prepared(
    sa.insert(FILL),
    (
        "order_id", "contract_id", "entry_id", "from_hold", "share_count", "cost_units", "fee_units",
        "version_before", "version_after", "price_before_units", "price_after_units", "recorded_at",
    ),
)  # fmt: skip
REFUSE = (
    sa.update(ORDERS)
    .where(ORDERS.c.id == sa.bindparam("order"))
    .values(status="refused", reason=sa.bindparam("why"), message=sa.bindparam("said"))
)


@dataclass(frozen=True, slots=True)
class Offer:
    """A quote on a locked contract, the locked accounts that it was made from, and what follows from it."""

    trader_id: int
    contract_id: int
    contract: ContractState
    quote: Quote
    held: Held
    following: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Owner:
    """The order that a trade belongs to; ``key`` is its trader and idempotency key ("7:f3a9")."""

    order_id: int
    key: str


def claim_key(
    session: Session,
    trader_id: int,
    board_id: int,
    term_id: int,
    request: OrderRequest,
    key: str,
    now: datetime,
) -> int | None:
    """Write the order's row and return its id; None when the trader has used the key before.

    Of two requests with one key at the same time, the later one waits here for the earlier one's transaction.
    """
    values = {
        "trader_id": trader_id, "idempotency_key": key, "body_hash": request.body_hash(),
        "board_id": board_id, "term_id": term_id, "period": request.period,
        "side": request.side.value, "action": request.action.value, "share_count": request.share_count,
        "spend_units": request.spend_units, "limit_units": request.limit_units,
        "status": "filled", "reason": "", "message": "", "placed_at": now,
    }  # fmt: skip
    return claim_order(session, values)


def stored_answer(session: Session, trader_id: int, request: OrderRequest, key: str) -> Receipt:
    """The answer that the order with this key was given; raises `KeyReused` when it was another order."""
    statement = _ANSWER.where(ORDERS.c.trader_id == trader_id, ORDERS.c.idempotency_key == key)
    row = session.connection().execute(statement).one()
    if row.body_hash != request.body_hash():
        raise KeyReused(key)
    if row.status == "refused":
        return Receipt(row.id, False, row.reason, row.message, is_repeat=True)
    return replace(_receipt(row.id, request.action, row._asdict()), is_repeat=True)


def refuse(session: Session, order_id: int, refusal: MarketError) -> Receipt:
    """Mark the claimed order as refused, with the refusal's name and sentence; its key stays spent."""
    reason, message = type(refusal).__name__, str(refusal)
    session.connection().execute(REFUSE, {"order": order_id, "why": reason, "said": message})
    return Receipt(order_id, False, reason, message)


def book(session: Session, order_id: int, offer: Offer, key: str, now: datetime) -> Receipt:
    """Move the money and the shares, write the fill and the contract's new state.

    Raises `Insolvent` when the pool would not hold what it must.
    """
    made, before = offer.quote, offer.contract
    side = made.request.side
    change = made.share_count if made.request.action is Action.BUY else -made.share_count
    after = state_after(before, side, change)
    trade = Trade(side, change, made.cost_units, made.fee_units, before, after)
    lines = trade_lines(offer.trader_id, offer.contract_id, side, change, made.cost_units, made.fee_units)
    prices = made.price_before_units, made.price_after_units
    owner = Owner(order_id, order_key(offer.trader_id, key))
    fill = book_trade(session, offer.contract_id, owner, trade, lines, offer.held, now, prices=prices)
    return _receipt(order_id, made.request.action, fill)


def book_trade(
    session: Session,
    contract_id: int,
    owner: Owner,
    trade: Trade,
    lines: Sequence[Line],
    held: Held,
    now: datetime,
    *,
    prices: tuple[int, int] | None = None,
    from_hold: bool = False,
) -> Mapping[str, Any]:
    """Post the lines, write the fill and the contract's new state; the values of the fill.

    ``prices`` are those before and after, where they are known. Raises `Insolvent` as `book`.
    """
    before, after = trade.before, trade.after
    pool_units = held[pool_cash(contract_id)].balance + trade.cost_units
    issued_shares = trade.change - held[pool_issued(contract_id, trade.side)].balance
    check_pool(after, trade.side, pool_units, issued_shares)
    entry_id = post(
        session, Kind.TRADE, lines, now, contract_id=contract_id, order_id=owner.order_id, key=owner.key,
        held=held,
    )  # fmt: skip
    advance(session, before, after)
    price_before, price_after = prices or (_price(before), _price(after))
    fill = {
        "share_count": abs(trade.change), "cost_units": trade.cost_units, "fee_units": trade.fee_units,
        "price_before_units": price_before, "price_after_units": price_after,
        "version_before": before.version, "version_after": after.version,
    }  # fmt: skip
    _NEW_FILL.run(
        session,
        {
            **fill, "order_id": owner.order_id, "contract_id": contract_id, "entry_id": entry_id,
            "from_hold": from_hold, "recorded_at": now,
        },
    )  # fmt: skip
    return fill


def _price(contract: ContractState) -> int:
    return contract.maker.price_units(contract.long, contract.short)


def _receipt(order_id: int, action: Action, fill: Mapping[str, Any]) -> Receipt:
    return Receipt(
        order_id=order_id,
        is_filled=True,
        reason="",
        message="",
        share_count=fill["share_count"],
        cost_units=fill["cost_units"],
        fee_units=fill["fee_units"],
        total_units=total_of(action, fill["cost_units"], fill["fee_units"]),
        price_before_units=fill["price_before_units"],
        price_after_units=fill["price_after_units"],
        version_before=fill["version_before"],
        version_after=fill["version_after"],
    )
