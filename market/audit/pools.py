"""Contracts against their pools (L4, L5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session

from market.audit.entries import CONTRACT
from market.audit.findings import Finding
from market.audit.rows import rows
from market.entries import CREDITS, Kind
from market.ledger import ACCOUNT, ENTRY
from market.maker import Maker


def _held(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[Any]:
    return sa.func.coalesce(sa.func.sum(sa.case((condition, ACCOUNT.c.balance), else_=0)), 0)


_is_trader = ACCOUNT.c.trader_id.is_not(None)
_is_credits = ACCOUNT.c.asset == CREDITS
_is_fees = ACCOUNT.c.name.like("pool:%:fees")
_is_long = ACCOUNT.c.asset.like("contract:%:LONG")
_is_short = ACCOUNT.c.asset.like("contract:%:SHORT")

_POOLS = (
    sa.select(
        CONTRACT,
        _held(~_is_trader & _is_credits & ~_is_fees).label("cash"),
        _held(~_is_trader & _is_credits & _is_fees).label("fees"),
        _held(~_is_trader & _is_long).label("issued_long"),
        _held(~_is_trader & _is_short).label("issued_short"),
        _held(_is_trader & _is_long).label("held_long"),
        _held(_is_trader & _is_short).label("held_short"),
    )
    .join_from(CONTRACT, ACCOUNT, ACCOUNT.c.contract_id == CONTRACT.c.id, isouter=True)
    .group_by(CONTRACT.c.id)
    .order_by(CONTRACT.c.id)
)


def check_pools(session: Session) -> Iterator[Finding]:
    """An open contract's pool is S + potential and can pay; a settled one's accounts are all empty."""
    for row in rows(session, _POOLS):
        maker = Maker(row.cap, row.prior_1024, row.depth_shares)
        is_open = row.settled_at is None
        long, short = (row.long_shares, row.short_shares) if is_open else (0, 0)
        cash = row.subsidy_units + maker.potential(long, short) if is_open else 0
        wanted = (
            (f"pool:{row.id}:cash", row.cash, cash),
            (f"pool:{row.id}:fees", row.fees, row.fees if is_open else 0),
            (f"pool:{row.id}:issued:LONG", row.issued_long, -long),
            (f"pool:{row.id}:issued:SHORT", row.issued_short, -short),
            (f"the traders' LONG shares of contract {row.id}", row.held_long, long),
            (f"the traders' SHORT shares of contract {row.id}", row.held_short, short),
        )
        for what, found, expected in wanted:
            if found != expected:
                yield Finding("L4" if is_open else "L18", None, f"{what}: {int(found)} instead of {expected}")
        least = maker.solvent_units(long, short)
        if row.cash < least:
            yield Finding("L5", None, f"pool:{row.id}:cash holds {int(row.cash)} and could owe {least}")


def check_openings(session: Session) -> Iterator[Finding]:
    """Every contract was funded once."""
    counted = (
        sa.select(ENTRY.c.contract_id, sa.func.count().label("times"))
        .where(ENTRY.c.kind == Kind.OPEN.value)
        .group_by(ENTRY.c.contract_id)
        .subquery()
    )
    times = sa.func.coalesce(counted.c.times, 0)
    statement = (
        sa.select(CONTRACT.c.id, times)
        .join_from(CONTRACT, counted, counted.c.contract_id == CONTRACT.c.id, isouter=True)
        .where(times != 1)
        .order_by(CONTRACT.c.id)
    )
    for contract_id, count in rows(session, statement):
        yield Finding("L4", None, f"contract {contract_id} was funded {count} times instead of once")
