"""The order log played again in memory (L15), and held against what the database says came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, SQLModel

from market.audit.entries import CONTRACT, FILL, ORDERS, STATEMENT
from market.audit.findings import Finding, Progress, Replayed
from market.audit.moment import see_one_moment
from market.audit.rows import rows
from market.entries import Kind
from market.errors import MarketError
from market.ledger import ACCOUNT, ENTRY, POSTING
from market.maker import Side
from market.orders import Action, OrderRequest
from market.replay import ImpossibleEvent, Replay

BOARD = SQLModel.metadata.tables["board"]
MOST_FINDINGS = 1000

# An entry's number is drawn under its locks, so entries that touch the same rows are in their true order.
_EVENTS = (
    sa.select(
        ENTRY.c.id.label("entry_id"), ENTRY.c.kind, ENTRY.c.contract_id,
        CONTRACT.c.forecast_milli, CONTRACT.c.cap, CONTRACT.c.prior_1024, CONTRACT.c.depth_shares,
        CONTRACT.c.subsidy_units, STATEMENT.c.counted,
        ORDERS.c.id.label("order_id"), ORDERS.c.trader_id, ORDERS.c.period, ORDERS.c.side, ORDERS.c.action,
        ORDERS.c.share_count.label("asked_shares"), ORDERS.c.spend_units, ORDERS.c.limit_units,
        FILL.c.share_count, FILL.c.cost_units, FILL.c.fee_units, FILL.c.price_before_units,
        FILL.c.price_after_units, FILL.c.version_before, FILL.c.version_after,
    )
    .select_from(ENTRY)
    .join(CONTRACT, CONTRACT.c.id == ENTRY.c.contract_id, isouter=True)
    .join(STATEMENT, STATEMENT.c.entry_id == ENTRY.c.id, isouter=True)
    .join(ORDERS, ORDERS.c.id == ENTRY.c.order_id, isouter=True)
    .join(FILL, FILL.c.order_id == ORDERS.c.id, isouter=True)
    .order_by(ENTRY.c.id)
)  # fmt: skip
_GRANTED = (
    sa.select(ACCOUNT.c.trader_id)
    .join_from(POSTING, ACCOUNT, ACCOUNT.c.id == POSTING.c.account_id)
    .where(POSTING.c.entry_id == sa.bindparam("entry"), ACCOUNT.c.trader_id.is_not(None))
)
_STATES = sa.select(
    CONTRACT.c.id, CONTRACT.c.long_shares, CONTRACT.c.short_shares, CONTRACT.c.state_version,
    CONTRACT.c.settled_at,
).order_by(CONTRACT.c.id)  # fmt: skip


def replay(session: Session, progress: Callable[[int, int], None] | None = None) -> Replayed:
    """Play what was recorded through the market in memory; compare every cost, price, version and balance.

    Give it a session in which nothing was read yet: then it sees one moment.
    """
    see_one_moment(session)
    total = session.scalar(sa.select(sa.func.count()).select_from(ENTRY)) or 0
    steps = Progress(total, progress)
    market = Replay()
    findings: list[Finding] = []
    order_count = 0
    for event in rows(session, _EVENTS):
        order_count += event.kind == Kind.TRADE
        try:
            findings.extend(_played(session, market, event))
        except (MarketError, ValueError) as error:
            findings.append(Finding("L15", event.entry_id, f"entry {event.entry_id} ({event.kind}): {error}"))
        steps.step()
        if len(findings) >= MOST_FINDINGS:
            break
    else:
        findings.extend(_differences(session, market))
    steps.finish()
    return Replayed(total, order_count, len(market.contracts), tuple(findings))


def _played(session: Session, market: Replay, event: Any) -> Iterator[Finding]:
    if event.kind == Kind.GRANT:
        for (trader_id,) in session.connection().execute(_GRANTED, {"entry": event.entry_id}):
            market.grant(trader_id)
    elif event.kind == Kind.OPEN:
        yield from _opened(market, event)
    elif event.kind == Kind.TRADE:
        yield from _traded(market, event)
    elif event.kind == Kind.SETTLE:
        if event.counted is None:
            raise ImpossibleEvent("it is settled without a statement")
        market.settle(event.contract_id, event.counted)


def _opened(market: Replay, event: Any) -> Iterator[Finding]:
    state = market.open(event.contract_id, event.forecast_milli)
    maker = state.maker
    made = (maker.cap, maker.prior_1024, maker.depth_shares, state.subsidy_units)
    stored = (event.cap, event.prior_1024, event.depth_shares, event.subsidy_units)
    if made != stored:
        yield _differs(event, "cap, prior, depth and subsidy", stored, made)


def _traded(market: Replay, event: Any) -> Iterator[Finding]:
    if event.order_id is None or event.version_after is None:
        raise ImpossibleEvent("it is a trade without an order or a fill")
    request = OrderRequest(
        "", "", event.period, Side(event.side), Action(event.action), event.asked_shares, event.spend_units,
        event.limit_units,
    )  # fmt: skip
    played = market.trade(event.trader_id, event.contract_id, request)
    made = played.quote
    wanted = (
        ("shares", event.share_count, made.share_count),
        ("cost", event.cost_units, made.cost_units),
        ("fee", event.fee_units, made.fee_units),
        ("price before", event.price_before_units, made.price_before_units),
        ("price after", event.price_after_units, made.price_after_units),
        ("version before", event.version_before, made.state_version),
        ("version after", event.version_after, played.version_after),
    )
    for what, stored, expected in wanted:
        if stored != expected:
            yield _differs(event, f"{what} of order {event.order_id}", stored, expected)


def _differences(session: Session, market: Replay) -> Iterator[Finding]:
    """What the projections say beside what was played."""
    for name, balance in rows(session, sa.select(ACCOUNT.c.name, ACCOUNT.c.balance).order_by(ACCOUNT.c.id)):
        if balance != market.balances.pop(name, 0):
            yield Finding("L15", None, f"{name} holds {balance}, which the orders do not make")
    for name, balance in sorted(market.balances.items()):
        if balance:
            yield Finding("L15", None, f"{name} should hold {balance}, and there is no such account")
    for row in rows(session, _STATES):
        state = market.contracts.get(row.id)
        stored = (row.long_shares, row.short_shares, row.state_version, row.settled_at is not None)
        made = state and (state.long, state.short, state.version, state.is_settled)
        if stored != made:
            yield Finding("L15", None, f"contract {row.id} stands at {stored}, and the orders make {made}")


def _differs(event: Any, what: str, stored: object, made: object) -> Finding:
    message = f"entry {event.entry_id} ({event.kind}): {what} {stored} instead of {made}"
    return Finding("L15", event.entry_id, message)
