"""Idempotency keys: a trader spends each on one thing, be it an order or a cancellation (L7).

Both claim a key at the unique index of the orders, so that of two at the same time the later one waits for
the earlier one's transaction, whatever contracts they are about.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, SQLModel

from market.errors import KeyReused
from market.inserts import insert_unless_taken
from market.prepared import Prepared

CANCELLATION, ORDERS = (SQLModel.metadata.tables[name] for name in ("cancellation", "orders"))

_CANCELLED_WITH = Prepared(
    sa.select(CANCELLATION.c.id).where(
        CANCELLATION.c.trader_id == sa.bindparam("trader"),
        CANCELLATION.c.idempotency_key == sa.bindparam("key"),
    )
)
_GIVE_UP = Prepared(sa.delete(ORDERS).where(ORDERS.c.id == sa.bindparam("order")))


def claim_order(session: Session, values: Mapping[str, Any]) -> int | None:
    """Write an order's row and return its id; None when the trader has an order with this key.

    Raises `KeyReused` when a cancellation of theirs has it; then nothing is written.
    """
    order_id = insert_unless_taken(session, ORDERS, values)
    if order_id is None:
        return None
    # Asked for after the insert, which has waited for whoever was using the key.
    named = {"trader": values["trader_id"], "key": values["idempotency_key"]}
    if _CANCELLED_WITH.first(session, named) is not None:
        _GIVE_UP.run(session, {"order": order_id})
        raise KeyReused(values["idempotency_key"])
    return order_id


def check_no_order(session: Session, order_id: int, key: str) -> None:
    """Raise `KeyReused` when the trader of the order has spent the key on an order.

    Until the transaction ends, nobody else can.
    """
    order = session.connection().execute(sa.select(ORDERS).where(ORDERS.c.id == order_id)).one()
    values = {**order._asdict(), "idempotency_key": key}
    del values["id"]
    claimed = insert_unless_taken(session, ORDERS, values)
    if claimed is None:
        raise KeyReused(key)
    _GIVE_UP.run(session, {"order": claimed})
