"""Who holds shares of contracts that are to be settled, and which orders still rest on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import sqlalchemy as sa
from sqlmodel import Session

from market.entries import Holder, share_asset
from market.ledger import ACCOUNT
from market.maker import Side
from market.matching import Ended
from market.resting import LIMIT_ORDER, RESTING, as_resting

IDS_AT_ONCE = 500  # databases limit the parameters of a statement


def holders_of(session: Session, contract_ids: Sequence[int]) -> Mapping[int, tuple[Holder, ...]]:
    """By contract, in the order of the traders. Nobody can trade while the contracts' rows are locked."""
    statement = (
        sa.select(ACCOUNT.c.contract_id, ACCOUNT.c.trader_id, ACCOUNT.c.asset, ACCOUNT.c.balance)
        .where(ACCOUNT.c.trader_id.is_not(None), ACCOUNT.c.balance > 0)
        .order_by(ACCOUNT.c.contract_id, ACCOUNT.c.trader_id)
    )
    shares: defaultdict[int, dict[int, list[int]]] = defaultdict(dict)
    for some in groups(contract_ids):
        rows = session.connection().execute(statement.where(ACCOUNT.c.contract_id.in_(some)))
        for contract_id, trader_id, asset, balance in rows:
            # What a resting sale has set aside is returned before the contract pays.
            held = shares[contract_id].setdefault(trader_id, [0, 0])
            held[asset != share_asset(contract_id, Side.LONG)] += balance
    return {
        contract_id: tuple(Holder(trader_id, *held) for trader_id, held in of_traders.items())
        for contract_id, of_traders in shares.items()
    }


def closed_on(session: Session, contract_ids: Sequence[int]) -> Mapping[int, tuple[Ended, ...]]:
    """By contract, its resting orders, which end: it takes no trades any more."""
    ended: defaultdict[int, tuple[Ended, ...]] = defaultdict(tuple)
    for some in groups(contract_ids):
        statement = RESTING.where(LIMIT_ORDER.c.contract_id.in_(some)).order_by(LIMIT_ORDER.c.order_id)
        for row in session.connection().execute(statement):
            order = as_resting(row)
            ended[row.contract_id] += (Ended(order, order.ends_as),)
    return ended


def groups(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    """The ids, some at a time."""
    for start in range(0, len(ids), IDS_AT_ONCE):
        yield ids[start : start + IDS_AT_ONCE]
