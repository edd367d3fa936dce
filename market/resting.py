"""Resting orders in the database: read under their contract's lock, put to rest, filled and ended.

Every change of them happens under that lock; `carry_out` writes what `matching` says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, SQLModel

from market.booking import Owner, book_trade
from market.chain import order_key
from market.entries import (
    AccountKey,
    Kind,
    hold_lines,
    pool_cash,
    pool_fees,
    pool_issued,
    resting_trade_lines,
    share_hold,
    trader_cash,
    trader_hold,
    trader_position,
)
from market.ledger import Held, post
from market.maker import Side
from market.matching import MOST_STEPS, Ended, EndedAs, Filled, Resting, Step
from market.orders import Action
from market.periods import parse_period
from market.prepared import Prepared

CONTRACT = SQLModel.metadata.tables["contract"]
LIMIT_ORDER = SQLModel.metadata.tables["limit_order"]
ORDERS = SQLModel.metadata.tables["orders"]

RESTING = sa.select(
    LIMIT_ORDER.c.order_id, LIMIT_ORDER.c.contract_id, ORDERS.c.trader_id, ORDERS.c.idempotency_key,
    ORDERS.c.period, ORDERS.c.side, ORDERS.c.action, LIMIT_ORDER.c.lead, LIMIT_ORDER.c.open_shares,
    LIMIT_ORDER.c.hold_each_units, LIMIT_ORDER.c.ends_at, LIMIT_ORDER.c.good_until,
).join_from(
    LIMIT_ORDER, ORDERS, ORDERS.c.id == LIMIT_ORDER.c.order_id
).where(LIMIT_ORDER.c.open_shares > 0)  # fmt: skip
_of_contract = sa.and_(LIMIT_ORDER.c.contract_id == sa.bindparam("contract"), LIMIT_ORDER.c.open_shares > 0)
_at = sa.bindparam("at", type_=sa.BigInteger)
# Each way by itself: so both are a look into the index.
_REACHED = tuple(
    Prepared(
        sa.select(LIMIT_ORDER.c.order_id).where(_of_contract, way == is_upward, passed).limit(1)
    )
    for way, is_upward, passed in (
        (LIMIT_ORDER.c.is_upward, sa.true(), LIMIT_ORDER.c.lead > _at),
        (LIMIT_ORDER.c.is_upward, sa.false(), LIMIT_ORDER.c.lead < _at),
    )
)
_RESERVED = Prepared(
    sa.select(sa.cast(sa.func.coalesce(sa.func.sum(LIMIT_ORDER.c.open_shares), 0), sa.BigInteger))
    .join_from(LIMIT_ORDER, ORDERS, ORDERS.c.id == LIMIT_ORDER.c.order_id)
    .where(
        _of_contract,
        ORDERS.c.trader_id == sa.bindparam("trader"),
        ORDERS.c.side == sa.bindparam("side"),
    )
)
_ADD_RESTING = (
    sa.update(CONTRACT)
    .where(CONTRACT.c.id == sa.bindparam("contract"))
    .values(resting_count=CONTRACT.c.resting_count + sa.bindparam("more"))
)
_FILL_SOME = (
    sa.update(LIMIT_ORDER)
    .where(LIMIT_ORDER.c.order_id == sa.bindparam("order"))
    .values(open_shares=LIMIT_ORDER.c.open_shares - sa.bindparam("count"))
)
_END = (
    sa.update(LIMIT_ORDER)
    .where(LIMIT_ORDER.c.order_id == sa.bindparam("order"))
    .values(open_shares=0, ended_shares=LIMIT_ORDER.c.open_shares, ended_as=sa.bindparam("why"))
)


def is_any_reached(session: Session, contract_id: int, lead: int) -> bool:
    """Whether an order that rests on the contract can be filled while it stands at ``lead``."""
    values = {"contract": contract_id, "at": lead}
    return any(statement.first(session, values) is not None for statement in _REACHED)


def reserved_on(session: Session, contract_id: int, trader_id: int, side: Side) -> int:
    """The shares of the side that the trader's resting orders may still buy, or hold for sale."""
    values = {"contract": contract_id, "trader": trader_id, "side": side.value}
    ((count,),) = _RESERVED.rows(session, values)
    return int(count)


def resting_orders(session: Session, contract_id: int, trader_id: int | None = None) -> tuple[Resting, ...]:
    """The contract's resting orders that one transaction can reach, and all of the trader's.

    The best ones each way, as many as there can be steps: what lies behind them has to wait anyway.
    """
    of_contract = RESTING.where(LIMIT_ORDER.c.contract_id == contract_id)
    others = of_contract if trader_id is None else of_contract.where(ORDERS.c.trader_id != trader_id)
    statements = [
        others.where(LIMIT_ORDER.c.is_upward == is_upward)
        .order_by(best, LIMIT_ORDER.c.order_id)
        .limit(MOST_STEPS)
        for is_upward, best in ((True, LIMIT_ORDER.c.lead.desc()), (False, LIMIT_ORDER.c.lead))
    ]
    if trader_id is not None:
        statements.append(of_contract.where(ORDERS.c.trader_id == trader_id))
    return tuple(as_resting(row) for each in statements for row in session.connection().execute(each))


def as_resting(row: Any) -> Resting:
    """A row of the columns of `RESTING`."""
    last_day = parse_period(row.period).first_day - timedelta(days=1)
    expires = row.good_until is not None and row.good_until < last_day
    return Resting(
        order_id=row.order_id,
        trader_id=row.trader_id,
        key=order_key(row.trader_id, row.idempotency_key),
        side=Side(row.side),
        action=Action(row.action),
        limit=row.lead,
        open_shares=row.open_shares,
        hold_each_units=row.hold_each_units,
        ends_at=row.ends_at,
        ends_as=EndedAs.EXPIRED if expires else EndedAs.CLOSED,
    )


def accounts_of_order(trader_id: int, contract_id: int, side: Side) -> Iterator[AccountKey]:
    """The accounts that an order of the trader moves at once."""
    yield from (trader_cash(trader_id), trader_position(trader_id, contract_id, side))
    yield from (pool_fees(contract_id), pool_cash(contract_id), pool_issued(contract_id, side))


def accounts_of(contract_id: int, steps: Iterable[Step]) -> Iterator[AccountKey]:
    """The accounts that the steps move, to be locked before the first of them is carried out."""
    for step in steps:
        order = step.order
        yield from accounts_of_order(order.trader_id, contract_id, order.side)
        yield hold_account(order, contract_id)


def hold_account(order: Resting, contract_id: int) -> AccountKey:
    """Where what the order may need is set aside."""
    if order.hold_each_units is not None:
        return trader_hold(order.trader_id)
    return share_hold(order.trader_id, contract_id, order.side)


def carry_out(
    session: Session, contract_id: int, steps: Iterable[Step], held: Held, now: datetime
) -> None:
    """Write the steps, in their order; the contract and the accounts are locked."""
    gone = 0
    for step in steps:
        if isinstance(step, Ended):
            _end(session, contract_id, step, held, now)
            gone += 1
        else:
            gone += _fill(session, contract_id, step, held, now)
    add_resting(session, contract_id, -gone)


def add_resting(session: Session, contract_id: int, more: int) -> None:
    """The contract has so many more resting orders; its row is locked."""
    if more:
        session.connection().execute(_ADD_RESTING, {"contract": contract_id, "more": more})


def _fill(session: Session, contract_id: int, step: Filled, held: Held, now: datetime) -> bool:
    """Whether the order is full now."""
    order, trade = step.order, step.trade
    lines = resting_trade_lines(
        order.trader_id, contract_id, order.side, trade.change, trade.cost_units, trade.fee_units,
        order.hold_each_units or 0,
    )  # fmt: skip
    owner = Owner(order.order_id, order.key)
    book_trade(session, contract_id, owner, trade, lines, held, now, from_hold=True)
    count = abs(trade.change)
    session.connection().execute(_FILL_SOME, {"order": order.order_id, "count": count})
    return count == order.open_shares


def _end(session: Session, contract_id: int, step: Ended, held: Held, now: datetime) -> None:
    order = step.order
    lines = hold_lines(order.trader_id, contract_id, order.side, -order.open_shares, order.hold_each_units)
    post(
        session, Kind.RELEASE, lines, now, contract_id=contract_id, order_id=order.order_id, key=order.key,
        memo=step.why.value, held=held,
    )  # fmt: skip
    session.connection().execute(_END, {"order": order.order_id, "why": step.why.value})
