"""Entries against what they record (L1, L14): an order and its fill, an opening, a settlement, a sign-up.

The lines of each entry are made anew from those, by the functions that made them, and compared. So a posting
that was altered is found at its entry, even where the sums were kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, SQLModel

from market.audit.findings import Finding, Progress
from market.audit.rows import rows
from market.entries import (
    FEES,
    HOUSE_SUBSIDY,
    Holder,
    Kind,
    Line,
    grant_lines,
    hold_lines,
    open_lines,
    pool_cash,
    pool_fees,
    resting_trade_lines,
    settle_lines,
    share_asset,
    subsidy_lines,
    trade_lines,
)
from market.ledger import ACCOUNT, ENTRY, POSTING
from market.maker import Maker, Side
from market.money import GRANT_UNITS

CONTRACT = SQLModel.metadata.tables["contract"]
FILL = SQLModel.metadata.tables["fill"]
LIMIT_ORDER = SQLModel.metadata.tables["limit_order"]
ORDERS = SQLModel.metadata.tables["orders"]
STATEMENT = SQLModel.metadata.tables["settlement_statement"]
CORRECTED = ENTRY.alias("corrected")
TRADER = SQLModel.metadata.tables["trader"]

_ENTRIES = (
    sa.select(
        ENTRY.c.id, ENTRY.c.kind, ENTRY.c.contract_id,
        POSTING.c.amount, ACCOUNT.c.name, ACCOUNT.c.asset, ACCOUNT.c.trader_id.label("of_trader"),
        CONTRACT.c.subsidy_units, CONTRACT.c.cap, CONTRACT.c.prior_1024, CONTRACT.c.depth_shares,
        STATEMENT.c.counted, ENTRY.c.corrects_id, ENTRY.c.sequence, CORRECTED.c.kind.label("corrected_kind"),
        ORDERS.c.trader_id, ORDERS.c.side, ORDERS.c.action,
        FILL.c.share_count, FILL.c.cost_units, FILL.c.fee_units, FILL.c.contract_id.label("filled_contract"),
        FILL.c.from_hold, LIMIT_ORDER.c.hold_each_units, LIMIT_ORDER.c.rested_shares,
        LIMIT_ORDER.c.ended_shares,
    )
    .select_from(ENTRY)
    .join(POSTING, POSTING.c.entry_id == ENTRY.c.id, isouter=True)
    .join(ACCOUNT, ACCOUNT.c.id == POSTING.c.account_id, isouter=True)
    .join(CONTRACT, CONTRACT.c.id == ENTRY.c.contract_id, isouter=True)
    .join(STATEMENT, STATEMENT.c.entry_id == ENTRY.c.id, isouter=True)
    .join(ORDERS, ORDERS.c.id == ENTRY.c.order_id, isouter=True)
    .join(FILL, FILL.c.entry_id == ENTRY.c.id, isouter=True)
    .join(LIMIT_ORDER, LIMIT_ORDER.c.order_id == ORDERS.c.id, isouter=True)
    .join(CORRECTED, CORRECTED.c.id == ENTRY.c.corrects_id, isouter=True)
    .order_by(ENTRY.c.id, POSTING.c.line)
)  # fmt: skip


def check_entries(session: Session, progress: Progress) -> Iterator[Finding]:
    """Every entry: its lines are those that what it records calls for, and they balance per asset."""
    house_units = 0  # what house:subsidy holds at this point, by entries as they should be
    for _, group in groupby(rows(session, _ENTRIES), itemgetter(0)):
        lines = list(group)
        expected = _expected(session, lines, house_units)
        house_units += _house_change(lines, expected)
        yield from _differences(lines, expected)
        yield from _imbalance(lines)
        progress.step()


def check_grants(session: Session) -> Iterator[Finding]:
    """Every trader was granted the sign-up credits once."""
    granted = (
        sa.select(ACCOUNT.c.trader_id, sa.func.count().label("times"))
        .join_from(ENTRY, POSTING, POSTING.c.entry_id == ENTRY.c.id)
        .join(ACCOUNT, ACCOUNT.c.id == POSTING.c.account_id)
        .where(ENTRY.c.kind == Kind.GRANT.value, ACCOUNT.c.trader_id.is_not(None))
        .group_by(ACCOUNT.c.trader_id)
        .subquery()
    )
    times = sa.func.coalesce(granted.c.times, 0)
    statement = (
        sa.select(TRADER.c.id, times)
        .join_from(TRADER, granted, granted.c.trader_id == TRADER.c.id, isouter=True)
        .where(times != 1)
        .order_by(TRADER.c.id)
    )
    for trader_id, count in rows(session, statement):
        yield Finding("L2", None, f"trader {trader_id} was granted credits {count} times instead of once")


def _expected(session: Session, lines: Sequence[Any], house_units: int) -> Mapping[str, int] | None:
    """What the entry should post, by account; {} when what it records is missing, None when anything goes."""
    head = lines[0]
    if head.kind == Kind.GRANT:
        traders = {line.of_trader for line in lines} - {None}
        return _amounts(grant_lines(traders.pop(), GRANT_UNITS)) if len(traders) == 1 else {}
    if head.kind == Kind.TRADE:
        return {} if head.share_count is None or head.side is None else _trade(lines)
    if head.kind == Kind.CORRECT:
        return taken_back(session, head)
    if head.kind not in list(Kind):
        return None
    if head.contract_id is None or head.cap is None:
        return {}
    if head.kind == Kind.SUBSIDY:
        return _amounts(subsidy_lines(head.subsidy_units - house_units))
    if head.kind in (Kind.HOLD, Kind.RELEASE):
        return {} if head.rested_shares is None else _amounts(_hold(head))
    if head.kind == Kind.OPEN:
        return _amounts(open_lines(head.contract_id, head.subsidy_units))
    return {} if head.counted is None else _amounts(_settle(session, head))


def _trade(lines: Sequence[Any]) -> dict[str, int]:
    head = lines[0]
    change = head.share_count if head.action == "buy" else -head.share_count
    traded = head.trader_id, head.filled_contract, Side(head.side), change, head.cost_units, head.fee_units
    if head.from_hold:
        amounts = _amounts(resting_trade_lines(*traded, head.hold_each_units or 0))
    else:
        amounts = _amounts(trade_lines(*traded))
    if any(line.name == FEES.name for line in lines):  # as it was before contracts gathered their fees
        amounts[FEES.name] = amounts.pop(pool_fees(head.filled_contract).name)
    return amounts


def _hold(head: Any) -> tuple[Line, ...]:
    count = head.rested_shares if head.kind == Kind.HOLD else -head.ended_shares
    return hold_lines(head.trader_id, head.contract_id, Side(head.side), count, head.hold_each_units)


def _settle(session: Session, head: Any) -> tuple[Line, ...]:
    """The settlement by what the contract's accounts held just before it."""
    pool_units = fee_units = 0
    held: dict[int, dict[str, int]] = {}
    statement = (
        sa.select(ACCOUNT.c.name, ACCOUNT.c.asset, ACCOUNT.c.trader_id, sa.func.sum(POSTING.c.amount))
        .join_from(ACCOUNT, POSTING, POSTING.c.account_id == ACCOUNT.c.id)
        .where(ACCOUNT.c.contract_id == head.contract_id, POSTING.c.entry_id < head.id)
        .group_by(ACCOUNT.c.id)
    )
    for name, asset, trader_id, total in session.connection().execute(statement):
        if trader_id is not None:
            shares = held.setdefault(trader_id, {})  # those on hold, all returned, and those at hand
            shares[asset] = shares.get(asset, 0) + int(total)
        elif name == pool_cash(head.contract_id).name:
            pool_units = int(total)
        elif name == pool_fees(head.contract_id).name:
            fee_units = int(total)
    long, short = (share_asset(head.contract_id, side) for side in (Side.LONG, Side.SHORT))
    holders = [Holder(trader, shares.get(long, 0), shares.get(short, 0)) for trader, shares in held.items()]
    maker = Maker(head.cap, head.prior_1024, head.depth_shares)
    long_pays, short_pays = (maker.payout_units(side, head.counted) for side in Side)
    return settle_lines(head.contract_id, pool_units, holders, long_pays, short_pays, fee_units)


def taken_back(session: Session, head: Any) -> dict[str, int]:
    """What a correction must post: the entry that it takes back, or all that a contract came to before it."""
    if head.corrected_kind in (Kind.GRANT, Kind.SETTLE):
        which = ENTRY.c.id == head.corrects_id
    elif head.corrected_kind == Kind.OPEN:
        before = ENTRY.c.sequence < head.sequence
        which = sa.and_(ENTRY.c.contract_id == head.contract_id, before, ENTRY.c.kind != Kind.SUBSIDY.value)
    else:
        return {}
    statement = (
        sa.select(ACCOUNT.c.name, sa.func.sum(POSTING.c.amount))
        .join_from(ENTRY, POSTING, POSTING.c.entry_id == ENTRY.c.id)
        .join(ACCOUNT, ACCOUNT.c.id == POSTING.c.account_id)
        .where(which)
        .group_by(ACCOUNT.c.id, ACCOUNT.c.name)
    )
    return {name: -int(total) for name, total in session.connection().execute(statement) if total}


def _amounts(lines: Iterable[Line]) -> dict[str, int]:
    return {line.account.name: line.amount for line in lines}


def _recorded(lines: Sequence[Any]) -> Counter[str]:
    amounts: Counter[str] = Counter()
    for line in lines:
        if line.name is not None:
            amounts[line.name] += line.amount
    return amounts


def _house_change(lines: Sequence[Any], expected: Mapping[str, int] | None) -> int:
    return (expected or _recorded(lines)).get(HOUSE_SUBSIDY.name, 0)


def _differences(lines: Sequence[Any], expected: Mapping[str, int] | None) -> Iterator[Finding]:
    head = lines[0]
    if expected is None:
        return
    if not expected:
        yield Finding("L14", head.id, f"entry {head.id} ({head.kind}): what it records is missing")
        return
    recorded = _recorded(lines)
    for name in dict.fromkeys([*recorded, *expected]):
        if recorded[name] != expected.get(name, 0):
            amounts = f"{recorded[name]} was posted to {name} instead of {expected.get(name, 0)}"
            yield Finding("L14", head.id, f"entry {head.id} ({head.kind}): {amounts}")


def _imbalance(lines: Sequence[Any]) -> Iterator[Finding]:
    head = lines[0]
    sums: Counter[str] = Counter()
    for line in lines:
        if line.name is not None:
            sums[line.asset] += line.amount
    if len(lines) < 2 or any(line.amount == 0 for line in lines):
        yield Finding("L1", head.id, f"entry {head.id} ({head.kind}): fewer than two postings, or one of 0")
    for asset, total in sums.items():
        if total != 0:
            message = f"entry {head.id} ({head.kind}): {asset} sums to {total} instead of 0"
            yield Finding("L1", head.id, message)
