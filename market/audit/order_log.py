"""The order log played again in memory (L15), and held against what the database says came of it.

What an order brings about on its contract is recorded right after it, under the same lock: so what is played
is a queue of expected entries a contract, and an entry that nothing is expected before is the next thing that
somebody did.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, SQLModel

from market.audit.entries import CONTRACT, CORRECTED, FILL, LIMIT_ORDER, ORDERS, STATEMENT
from market.audit.expected import Expected, entries_of
from market.audit.findings import Finding, Progress, Replayed
from market.audit.moment import see_one_moment
from market.audit.rows import rows
from market.entries import FEES, Kind
from market.errors import MarketError
from market.ledger import ACCOUNT, ENTRY, POSTING
from market.replay import ImpossibleEvent, Replay

BOARD = SQLModel.metadata.tables["board"]
MOST_FINDINGS = 1000
_IS_FEES = sa.or_(ACCOUNT.c.name == FEES.name, ACCOUNT.c.name.like("pool:%:fees"))
_FEES_OF_POOL = re.compile("pool:[0-9]+:fees")


Expectations = defaultdict[int | None, deque[Expected]]

# An entry's number is drawn under its locks, so entries that touch the same rows are in their true order.
_EVENTS = (
    sa.select(
        ENTRY.c.id.label("entry_id"), ENTRY.c.kind, ENTRY.c.contract_id, ENTRY.c.memo, ENTRY.c.recorded_at,
        CONTRACT.c.forecast_milli, CONTRACT.c.cap, CONTRACT.c.prior_1024, CONTRACT.c.depth_shares,
        CONTRACT.c.subsidy_units, STATEMENT.c.counted,
        ORDERS.c.id.label("order_id"), ORDERS.c.trader_id, ORDERS.c.period, ORDERS.c.side, ORDERS.c.action,
        ORDERS.c.share_count.label("asked_shares"), ORDERS.c.spend_units, ORDERS.c.limit_units,
        FILL.c.share_count, FILL.c.cost_units, FILL.c.fee_units, FILL.c.price_before_units,
        FILL.c.price_after_units, FILL.c.version_before, FILL.c.version_after, FILL.c.from_hold,
        ORDERS.c.idempotency_key, LIMIT_ORDER.c.forecast_milli.label("limit_milli"), LIMIT_ORDER.c.stands,
        LIMIT_ORDER.c.good_until, LIMIT_ORDER.c.lead, LIMIT_ORDER.c.hold_each_units, LIMIT_ORDER.c.ends_at,
        LIMIT_ORDER.c.rested_shares, LIMIT_ORDER.c.ended_shares, LIMIT_ORDER.c.open_shares,
        ENTRY.c.corrects_id, CORRECTED.c.kind.label("corrected_kind"),
    )
    .select_from(ENTRY)
    .join(CONTRACT, CONTRACT.c.id == ENTRY.c.contract_id, isouter=True)
    .join(STATEMENT, STATEMENT.c.entry_id == ENTRY.c.id, isouter=True)
    .join(ORDERS, ORDERS.c.id == ENTRY.c.order_id, isouter=True)
    .join(FILL, FILL.c.entry_id == ENTRY.c.id, isouter=True)
    .join(LIMIT_ORDER, LIMIT_ORDER.c.order_id == ORDERS.c.id, isouter=True)
    .join(CORRECTED, CORRECTED.c.id == ENTRY.c.corrects_id, isouter=True)
    .order_by(ENTRY.c.id)
)  # fmt: skip
_GRANTED = (
    sa.select(ACCOUNT.c.trader_id)
    .join_from(POSTING, ACCOUNT, ACCOUNT.c.id == POSTING.c.account_id)
    .where(POSTING.c.entry_id == sa.bindparam("entry"), ACCOUNT.c.trader_id.is_not(None))
)
_OPEN_SHARES = (
    sa.select(LIMIT_ORDER.c.order_id, LIMIT_ORDER.c.open_shares)
    .where(LIMIT_ORDER.c.open_shares > 0)
    .order_by(LIMIT_ORDER.c.order_id)
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
    expected: Expectations = defaultdict(deque)
    findings: list[Finding] = []
    order_count = 0
    for event in rows(session, _EVENTS):
        order_count += event.kind == Kind.TRADE
        try:
            findings.extend(_played(session, market, expected[event.contract_id], event))
        except (MarketError, ValueError) as error:
            findings.append(Finding("L15", event.entry_id, f"entry {event.entry_id} ({event.kind}): {error}"))
        steps.step()
        if len(findings) >= MOST_FINDINGS:
            break
    else:
        findings.extend(_missing(expected))
        findings.extend(_differences(session, market))
    steps.finish()
    return Replayed(total, order_count, len(market.contracts), tuple(findings))


def _played(
    session: Session, market: Replay, expected: deque[Expected], event: Any
) -> Iterator[Finding]:
    if expected:
        yield from _compared(event, expected.popleft())
    elif event.kind in (Kind.TRADE, Kind.HOLD, Kind.RELEASE):
        expected.extend(entries_of(market, event))
        yield from _compared(event, expected.popleft())
    elif event.kind == Kind.GRANT:
        for trader_id in _granted(session, event.entry_id):
            market.grant(trader_id)
    elif event.kind == Kind.OPEN:
        yield from _opened(market, event)
    elif event.kind == Kind.SETTLE:
        if event.counted is None:
            raise ImpossibleEvent("it is settled without a statement")
        market.settle(event.contract_id, event.counted)
    elif event.kind == Kind.CORRECT:
        _take_back(session, market, event)


def _take_back(session: Session, market: Replay, event: Any) -> None:
    if event.corrected_kind == Kind.GRANT:
        for trader_id in _granted(session, event.corrects_id):
            market.take_back_grant(trader_id)
    elif event.corrected_kind == Kind.SETTLE:
        market.take_back_settlement(event.contract_id)
    elif event.corrected_kind == Kind.OPEN:
        market.void(event.contract_id)
    else:
        raise ImpossibleEvent(f"it takes back entry {event.corrects_id}, which cannot be")


def _granted(session: Session, entry_id: int) -> list[int]:
    return list(session.connection().execute(_GRANTED, {"entry": entry_id}).scalars())


def _opened(market: Replay, event: Any) -> Iterator[Finding]:
    state = market.open(event.contract_id, event.forecast_milli)
    maker = state.maker
    made = (maker.cap, maker.prior_1024, maker.depth_shares, state.subsidy_units)
    stored = (event.cap, event.prior_1024, event.depth_shares, event.subsidy_units)
    if made != stored:
        yield _differs(event, "cap, prior, depth and subsidy", stored, made)


def _compared(event: Any, expected: Expected) -> Iterator[Finding]:
    if (event.kind, event.order_id) != (expected.kind, expected.order_id):
        wanted = f"a {expected.kind} of order {expected.order_id}"
        yield _differs(event, "it is", f"a {event.kind} of order {event.order_id}", wanted)
        return
    for field, value in expected.values.items():
        stored = getattr(event, field)
        if stored != value:
            what = field.removesuffix("_units").removesuffix("_count").replace("_", " ")
            yield _differs(event, f"{what} of order {event.order_id}", stored, value)


def _missing(expected: Expectations) -> Iterator[Finding]:
    for contract_id, queue in expected.items():
        for each in queue:
            yield Finding(
                "L15", None, f"contract {contract_id}: a {each.kind} of order {each.order_id} is missing"
            )


def _differences(session: Session, market: Replay) -> Iterator[Finding]:
    """What the projections say beside what was played."""
    yield from _fees(session, market)
    others = sa.select(ACCOUNT.c.name, ACCOUNT.c.balance).where(~_IS_FEES)
    for name, balance in rows(session, others.order_by(ACCOUNT.c.id)):
        if balance != market.balances.pop(name, 0):
            yield Finding("L15", None, f"{name} holds {balance}, which the orders do not make")
    for name, balance in sorted(market.balances.items()):
        if balance:
            yield Finding("L15", None, f"{name} should hold {balance}, and there is no such account")
    resting = {number: order for each in market.resting.values() for number, order in each.items()}
    for order_id, open_shares in rows(session, _OPEN_SHARES):
        order = resting.pop(order_id, None)
        made = order.open_shares if order else 0
        if open_shares != made:
            yield Finding("L15", None, f"order {order_id} has {open_shares} shares to rest instead of {made}")
    for order_id, order in sorted(resting.items()):
        yield Finding("L15", None, f"order {order_id} has no share to rest instead of {order.open_shares}")
    for row in rows(session, _STATES):
        state = market.contracts.get(row.id)
        stored = (row.long_shares, row.short_shares, row.state_version, row.settled_at is not None)
        stands = state and (state.long, state.short, state.version, state.is_settled)
        if stored != stands:
            yield Finding("L15", None, f"contract {row.id} stands at {stored}, and the orders make {stands}")


def _fees(session: Session, market: Replay) -> Iterator[Finding]:
    """All fees in one sum: older trades paid them to `fees` at once, not by way of their contract."""
    held = session.scalar(sa.select(sa.func.sum(ACCOUNT.c.balance)).where(_IS_FEES)) or 0
    names = [name for name in market.balances if name == FEES.name or _FEES_OF_POOL.fullmatch(name)]
    made = sum(market.balances.pop(name) for name in names)
    if held != made:
        yield Finding("L15", None, f"fees hold {int(held)}, and the orders make {made}")


def _differs(event: Any, what: str, stored: object, made: object) -> Finding:
    message = f"entry {event.entry_id} ({event.kind}): {what} {stored} instead of {made}"
    return Finding("L15", event.entry_id, message)
