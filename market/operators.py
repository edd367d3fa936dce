"""Who is an operator: traders that somebody with the command line made so. Events, the last of each holds."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from market.errors import UnknownTrader
from market.remarks import Remark
from market.tables import OperatorEvent, Trader
from market.traders import find_trader


def set_operator(session: Session, name: str, on: bool, remark: Remark, now: datetime) -> bool:
    """Make the trader an operator or one no longer; whether that changed anything. Raises `UnknownTrader`."""
    trader = find_trader(session, name)
    if trader is None or trader.id is None:
        raise UnknownTrader(f"There is no trader {name!r}.")
    if is_operator(session, trader.id) == on:
        return False
    session.add(
        OperatorEvent(
            trader_id=trader.id, is_on=on, reason=remark.reason, operator=remark.operator, recorded_at=now
        )
    )
    session.flush()
    return True


def is_operator(session: Session, trader_id: int) -> bool:
    """Whether the trader is an operator now. One query."""
    last = select(OperatorEvent.is_on).where(OperatorEvent.trader_id == trader_id)
    return bool(session.exec(last.order_by(col(OperatorEvent.id).desc()).limit(1)).first())


def operator_names(session: Session) -> tuple[str, ...]:
    """The names of all operators, in order."""
    newest = sa.select(sa.func.max(col(OperatorEvent.id))).group_by(col(OperatorEvent.trader_id))
    names = sa.select(col(Trader.name)).join(OperatorEvent, col(OperatorEvent.trader_id) == Trader.id)
    return tuple(
        session.scalars(
            names.where(col(OperatorEvent.id).in_(newest), col(OperatorEvent.is_on))
            .order_by(col(Trader.name))
        )
    )
