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


def _entries(*kinds: Kind) -> sa.ColumnElement[int]:
    """How many entries of these kinds the order has."""
    return (
        sa.select(sa.func.count())
        .where(ENTRY.c.order_id == ORDERS.c.id, ENTRY.c.kind.in_([kind.value for kind in kinds]))
        .scalar_subquery()
    )


_ORDERS = sa.select(
    ORDERS.c.id, sa.select(sa.func.min(ENTRY.c.id)).where(ENTRY.c.order_id == ORDERS.c.id).scalar_subquery()
).order_by(ORDERS.c.id)  # fmt: skip
_fills = sa.select(sa.func.count()).where(FILL.c.order_id == ORDERS.c.id).scalar_subquery()
_trades = _entries(Kind.TRADE)
_has_others = _entries(Kind.HOLD, Kind.RELEASE) > 0
_broken = sa.case(
    (ORDERS.c.status == "filled", sa.or_(_fills != 1, _trades != 1, _has_others)),
    (ORDERS.c.status == "refused", sa.or_(_fills > 0, _trades > 0, _has_others)),
    else_=_fills != _trades,
)

_FILLS = (
    sa.select(ORDERS.c.id, FILL.c.entry_id)
    .select_from(FILL)
    .join(ORDERS, ORDERS.c.id == FILL.c.order_id)
    .join(ENTRY, ENTRY.c.id == FILL.c.entry_id, isouter=True)
    .join(CONTRACT, CONTRACT.c.id == FILL.c.contract_id, isouter=True)
    .order_by(ORDERS.c.id, FILL.c.entry_id)
)
_is_whole = ORDERS.c.status == "filled"
_total = sa.case((ORDERS.c.action == "buy", 1), else_=-1) * (FILL.c.cost_units + FILL.c.fee_units)

_RULES = (
    (
        "was filled on another contract than it names",
        sa.or_(
            CONTRACT.c.board_id != ORDERS.c.board_id,
            CONTRACT.c.term_id != ORDERS.c.term_id,
            CONTRACT.c.period != ORDERS.c.period,
            ENTRY.c.contract_id != FILL.c.contract_id,
        ),
    ),
    (
        "has a fill whose entry is another order's, or none",
        sa.or_(ENTRY.c.order_id.is_(None), ENTRY.c.order_id != ORDERS.c.id, ENTRY.c.kind != Kind.TRADE.value),
    ),
    (
        "was filled with another number of shares than it asks for",
        _is_whole & (ORDERS.c.share_count != FILL.c.share_count),
    ),
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
    for order_id, entry_id in rows(session, _ORDERS.where(_broken)):
        message = "is filled and has no fill or no entry, or is refused and has one, or has too many"
        yield Finding("L7", entry_id, f"order {order_id} {message}")
    for message, broken in _RULES:
        for order_id, entry_id in rows(session, _FILLS.where(broken)):
            yield Finding("L7", entry_id, f"order {order_id} {message}")
    orphans = sa.select(ENTRY.c.id).where(ENTRY.c.kind == Kind.TRADE.value, ENTRY.c.order_id.is_(None))
    for (entry_id,) in rows(session, orphans.order_by(ENTRY.c.id)):
        yield Finding("L7", entry_id, f"entry {entry_id} is a trade without an order")
