"""Fills against the maker (L8, L15): each contract's trades replayed from nothing, in their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session

from market.audit.entries import CONTRACT, FILL, LIMIT_ORDER, ORDERS
from market.audit.findings import Finding, Progress
from market.audit.rows import rows
from market.maker import Maker, Side, cost_of, fee_for, moved

_FILLS = (
    sa.select(
        CONTRACT.c.id, CONTRACT.c.cap, CONTRACT.c.prior_1024, CONTRACT.c.depth_shares,
        CONTRACT.c.subsidy_units, CONTRACT.c.long_shares, CONTRACT.c.short_shares, CONTRACT.c.state_version,
        FILL.c.order_id, FILL.c.share_count, FILL.c.cost_units, FILL.c.fee_units, FILL.c.version_before,
        FILL.c.version_after, FILL.c.price_before_units, FILL.c.price_after_units,
        ORDERS.c.side, ORDERS.c.action, FILL.c.entry_id, LIMIT_ORDER.c.lead, LIMIT_ORDER.c.is_upward,
    )
    .select_from(CONTRACT)
    .join(FILL, FILL.c.contract_id == CONTRACT.c.id, isouter=True)
    .join(ORDERS, ORDERS.c.id == FILL.c.order_id, isouter=True)
    .join(LIMIT_ORDER, LIMIT_ORDER.c.order_id == FILL.c.order_id, isouter=True)
    .order_by(CONTRACT.c.id, FILL.c.version_after)
)  # fmt: skip


def check_fills(session: Session, progress: Progress) -> Iterator[Finding]:
    """Every fill cost what the maker asks at its state, and the last one leaves the contract's state."""
    for _, group in groupby(rows(session, _FILLS), itemgetter(0)):
        yield from _replay(group, progress)


def _replay(fills: Iterator[Any], progress: Progress) -> Iterator[Finding]:
    long = short = version = 0
    row: Any = None
    for row in fills:
        if row.order_id is None:
            break  # a contract without a trade
        progress.step()
        if row.side is None:
            yield Finding("L7", row.entry_id, f"fill of order {row.order_id}: there is no such order")
            return
        maker = Maker(row.cap, row.prior_1024, row.depth_shares)
        change = row.share_count if row.action == "buy" else -row.share_count
        after = moved(long, short, Side(row.side), change)
        if min(after) < 0:
            yield _finding("L15", row, "shares sold", row.share_count, f"at most {max(long, short)}")
            return
        yield from _check_fill(row, maker, (long, short), after, change, version)
        (long, short), version = after, row.version_after
    yield from _check_state(row, long, short, version)


def _check_fill(
    row: Any, maker: Maker, before: tuple[int, int], after: tuple[int, int], change: int, version: int
) -> Iterator[Finding]:
    cost = cost_of(maker, *before, Side(row.side), change)
    if (row.version_before, row.version_after) != (version, version + 1):
        yield _finding("L8", row, "version", row.version_after, version + 1)
    wanted: Sequence[tuple[str, int, int]] = (
        ("cost", row.cost_units, cost),
        ("fee", row.fee_units, fee_for(cost)),
        ("price before", row.price_before_units, maker.price_units(*before)),
        ("price after", row.price_after_units, maker.price_units(*after)),
    )
    for what, found, expected in wanted:
        if found != expected:
            yield _finding("L15", row, what, found, expected)
    lead = after[0] - after[1]
    if row.lead is not None and (lead > row.lead if row.is_upward else lead < row.lead):
        yield _finding("L15", row, "LONG less SHORT", lead, f"its limit {row.lead}")


def _check_state(row: Any, long: int, short: int, version: int) -> Iterator[Finding]:
    stored = (row.long_shares, row.short_shares, row.state_version)
    made = (long, short, version)
    if stored != made:
        message = f"contract {row.id}: LONG, SHORT and version are {stored}, and its fills make {made}"
        yield Finding("L8", None, message)
    subsidy = Maker(row.cap, row.prior_1024, row.depth_shares).subsidy_units()
    if row.subsidy_units != subsidy:
        yield Finding("L4", None, f"contract {row.id}: subsidy {row.subsidy_units} instead of {subsidy}")


def _finding(invariant: str, row: Any, what: str, found: int, expected: object) -> Finding:
    message = f"fill of order {row.order_id} on contract {row.id}: {what} {found} instead of {expected}"
    return Finding(invariant, row.entry_id, message)
