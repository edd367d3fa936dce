"""Cancelling a limit order: what still rests of it is given up, and its hold returned to the unit."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session

from market.contracts import lock_contract
from market.errors import KeyReused, UnknownOrder
from market.inserts import insert_unless_taken
from market.keys import CANCELLATION, check_no_order
from market.ledger import lock_accounts
from market.matching import Ended, EndedAs, Resting
from market.orders import CancelReceipt, check_key
from market.resting import LIMIT_ORDER, ORDERS, RESTING, accounts_of, as_resting, carry_out


def cancel_order(session: Session, trader_id: int, order_id: int, key: str, now: datetime) -> CancelReceipt:
    """End the trader's order, if any of it rests; the caller commits.

    The same key for the same order gets the stored answer again. Raises `UnknownOrder` unless the trader has
    such a limit order, `KeyReused` for a key that was used for something else, and `InvalidKey`.
    """
    check_key(key)
    contract_id = _contract_of(session, trader_id, order_id)
    check_no_order(session, order_id, key)
    if contract_id is None:  # it was refused
        order = None
    else:
        lock_contract(session, contract_id)
        order = _resting(session, order_id)
    receipt = _claimed(session, trader_id, order_id, key, order, now)
    if order is not None and contract_id is not None and not receipt.is_repeat:
        step = Ended(order, EndedAs.CANCELLED)
        held = lock_accounts(session, accounts_of(contract_id, [step]))
        carry_out(session, contract_id, [step], held, now)
    return receipt


def _contract_of(session: Session, trader_id: int, order_id: int) -> int | None:
    statement = (
        sa.select(LIMIT_ORDER.c.contract_id)
        .join_from(LIMIT_ORDER, ORDERS, ORDERS.c.id == LIMIT_ORDER.c.order_id)
        .where(ORDERS.c.id == order_id, ORDERS.c.trader_id == trader_id)
    )
    row = session.connection().execute(statement).one_or_none()
    if row is None:
        raise UnknownOrder(order_id)
    contract_id: int | None = row.contract_id
    return contract_id


def _resting(session: Session, order_id: int) -> Resting | None:
    row = session.connection().execute(RESTING.where(LIMIT_ORDER.c.order_id == order_id)).one_or_none()
    return None if row is None else as_resting(row)


def _claimed(
    session: Session, trader_id: int, order_id: int, key: str, order: Resting | None, now: datetime
) -> CancelReceipt:
    """The answer: of this request, stored now, or of the one that used the key before."""
    ended = order.open_shares if order else 0
    returned = ended * (order.hold_each_units or 0) if order else 0
    values = {
        "trader_id": trader_id, "idempotency_key": key, "order_id": order_id, "ended_shares": ended,
        "returned_units": returned, "recorded_at": now,
    }  # fmt: skip
    if insert_unless_taken(session, CANCELLATION, values) is not None:
        return CancelReceipt(order_id, ended, returned)
    row = session.connection().execute(
        sa.select(CANCELLATION).where(
            CANCELLATION.c.trader_id == trader_id, CANCELLATION.c.idempotency_key == key
        )
    ).one()  # fmt: skip
    if row.order_id != order_id:
        raise KeyReused(key)
    return CancelReceipt(order_id, row.ended_shares, row.returned_units, is_repeat=True)
