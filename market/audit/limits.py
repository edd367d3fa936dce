"""Limit orders (L3, L7): every share of theirs accounted for, and what is on hold is what rests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session

from market.audit.entries import CONTRACT, FILL, LIMIT_ORDER, ORDERS
from market.audit.findings import Finding
from market.audit.rows import rows
from market.entries import Kind, share_hold, trader_hold
from market.ledger import ACCOUNT, ENTRY
from market.limits import hold_each_units, limit_lead
from market.maker import Maker, Side


def _filled(from_hold: bool) -> sa.ColumnElement[Any]:
    which = FILL.c.from_hold if from_hold else ~FILL.c.from_hold
    shares = sa.func.coalesce(sa.func.sum(FILL.c.share_count), 0)
    return sa.select(shares).where(FILL.c.order_id == ORDERS.c.id, which).scalar_subquery()


def _entries(kind: Kind) -> sa.ColumnElement[Any]:
    of_order = ENTRY.c.order_id == ORDERS.c.id, ENTRY.c.kind == kind.value
    return sa.select(sa.func.count()).where(*of_order).scalar_subquery()


_PLACED = (
    sa.select(
        ORDERS.c.id, ORDERS.c.side, ORDERS.c.action, ORDERS.c.share_count,
        LIMIT_ORDER.c.order_id, LIMIT_ORDER.c.forecast_milli, LIMIT_ORDER.c.is_upward, LIMIT_ORDER.c.lead,
        LIMIT_ORDER.c.hold_each_units, LIMIT_ORDER.c.rested_shares, LIMIT_ORDER.c.open_shares,
        LIMIT_ORDER.c.ended_shares, LIMIT_ORDER.c.ended_as,
        CONTRACT.c.cap, CONTRACT.c.prior_1024, CONTRACT.c.depth_shares,
        _filled(False).label("at_once"), _filled(True).label("later"),
        _entries(Kind.HOLD).label("holds"), _entries(Kind.RELEASE).label("releases"),
    )
    .select_from(ORDERS)
    .join(LIMIT_ORDER, LIMIT_ORDER.c.order_id == ORDERS.c.id, isouter=True)
    .join(CONTRACT, CONTRACT.c.id == LIMIT_ORDER.c.contract_id, isouter=True)
    .where(ORDERS.c.status == "placed")
    .order_by(ORDERS.c.id)
)  # fmt: skip
_open = LIMIT_ORDER.c.open_shares > 0
_RESTING = (
    sa.select(CONTRACT.c.id, CONTRACT.c.resting_count, sa.func.count(LIMIT_ORDER.c.order_id))
    .join_from(CONTRACT, LIMIT_ORDER, (LIMIT_ORDER.c.contract_id == CONTRACT.c.id) & _open, isouter=True)
    .group_by(CONTRACT.c.id)
    .having(CONTRACT.c.resting_count != sa.func.count(LIMIT_ORDER.c.order_id))
    .order_by(CONTRACT.c.id)
)
_WANTED = (
    sa.select(
        ORDERS.c.trader_id, ORDERS.c.action, LIMIT_ORDER.c.contract_id, ORDERS.c.side,
        LIMIT_ORDER.c.open_shares, LIMIT_ORDER.c.hold_each_units,
    )
    .join_from(LIMIT_ORDER, ORDERS, ORDERS.c.id == LIMIT_ORDER.c.order_id)
    .where(_open)
)  # fmt: skip


def check_limit_orders(session: Session) -> Iterator[Finding]:
    """Each share of a placed order was filled, rests or was given up; its limit and hold are as they must."""
    for row in rows(session, _PLACED):
        for fault in _faults(row):
            yield Finding("L7", None, f"limit order {row.id} {fault}")


def check_resting_counts(session: Session) -> Iterator[Finding]:
    """A contract says how many orders rest on it."""
    for contract_id, said, found in rows(session, _RESTING):
        yield Finding("L7", None, f"contract {contract_id} says {said} orders rest on it, and {found} do")


def check_holds(session: Session) -> Iterator[Finding]:
    """What is on hold is what the resting orders may need, and nothing where nothing rests."""
    wanted: dict[str, int] = {}
    for row in rows(session, _WANTED):
        if row.hold_each_units is not None:
            account, amount = trader_hold(row.trader_id), row.open_shares * row.hold_each_units
        else:
            account = share_hold(row.trader_id, row.contract_id, Side(row.side))
            amount = row.open_shares
        wanted[account.name] = wanted.get(account.name, 0) + amount
    holds = sa.select(ACCOUNT.c.name, ACCOUNT.c.balance).where(ACCOUNT.c.name.like("trader:%:hold%"))
    for name, balance in rows(session, holds.order_by(ACCOUNT.c.id)):
        expected = wanted.pop(name, 0)
        if balance != expected:
            yield Finding("L3", None, f"{name} holds {balance}, and the resting orders need {expected}")
    for name, expected in sorted(wanted.items()):
        yield Finding("L3", None, f"{name} is not there, and the resting orders need {expected}")


def _faults(row: Any) -> Iterator[str]:
    if row.order_id is None or row.cap is None:
        yield "has no limit or no contract"
        return
    if row.share_count != row.at_once + row.rested_shares:
        yield f"is for {row.share_count} shares, {row.at_once} at once and {row.rested_shares} to rest"
    if row.rested_shares != row.later + row.open_shares + row.ended_shares:
        found = f"{row.later} were filled, {row.open_shares} rest and {row.ended_shares} ended"
        yield f"put {row.rested_shares} shares to rest; {found}"
    if (row.holds, row.releases) != (row.rested_shares > 0, row.ended_shares > 0):
        yield f"has {row.holds} entries that set aside and {row.releases} that return"
    if (row.ended_as is not None) != (row.ended_shares > 0):
        yield f"ended as {row.ended_as!r} with {row.ended_shares} shares"
    maker = Maker(row.cap, row.prior_1024, row.depth_shares)
    lead = limit_lead(maker, row.forecast_milli, row.is_upward)
    each = hold_each_units(maker, Side(row.side), lead) if row.action == "buy" else None
    if (row.lead, row.hold_each_units) != (lead, each):
        yield f"has its limit at {row.lead} and holds {row.hold_each_units} a share, not {lead} and {each}"
