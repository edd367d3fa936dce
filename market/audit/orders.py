"""Orders, fills and entries belong together (L7): a filled order has one of each, a refused one neither."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa
from sqlmodel import Session

from market.audit.entries import CONTRACT, FILL, ORDERS
from market.audit.findings import Finding
from market.audit.rows import rows
from market.entries import Kind
from market.ledger import ENTRY

_JOINED = (
    sa.select(ORDERS.c.id, ENTRY.c.id.label("entry_id"))
    .select_from(ORDERS)
    .join(FILL, FILL.c.order_id == ORDERS.c.id, isouter=True)
    .join(ENTRY, ENTRY.c.order_id == ORDERS.c.id, isouter=True)
    .join(CONTRACT, CONTRACT.c.id == FILL.c.contract_id, isouter=True)
    .order_by(ORDERS.c.id)
)
_has_both = sa.and_(FILL.c.order_id.is_not(None), ENTRY.c.id.is_not(None))
_has_neither = sa.and_(FILL.c.order_id.is_(None), ENTRY.c.id.is_(None))
_total = sa.case((ORDERS.c.action == "buy", 1), else_=-1) * (FILL.c.cost_units + FILL.c.fee_units)

_RULES = (
    (
        "is filled and has no fill or no entry, or is refused and has one",
        sa.case((ORDERS.c.status == "filled", ~_has_both), else_=~_has_neither),
    ),
    (
        "was filled on another contract than it names",
        sa.or_(
            CONTRACT.c.board_id != ORDERS.c.board_id,
            CONTRACT.c.term_id != ORDERS.c.term_id,
            CONTRACT.c.period != ORDERS.c.period,
            ENTRY.c.contract_id != FILL.c.contract_id,
        ),
    ),
    ("was filled with another number of shares than it asks for", ORDERS.c.share_count != FILL.c.share_count),
    ("took more credits than it allows", _total > ORDERS.c.spend_units),
    (
        "was filled past its limit",
        sa.case(
            (ORDERS.c.action == "buy", _total > ORDERS.c.limit_units), else_=_total < ORDERS.c.limit_units
        ),
    ),
)


def check_orders(session: Session) -> Iterator[Finding]:
    """Every order got what its status says and no more than it allowed; every trade has its order."""
    for message, broken in _RULES:
        for order_id, entry_id in rows(session, _JOINED.where(broken)):
            yield Finding("L7", entry_id, f"order {order_id} {message}")
    orphans = sa.select(ENTRY.c.id).where(ENTRY.c.kind == Kind.TRADE.value, ENTRY.c.order_id.is_(None))
    for (entry_id,) in rows(session, orphans.order_by(ENTRY.c.id)):
        yield Finding("L7", entry_id, f"entry {entry_id} is a trade without an order")
