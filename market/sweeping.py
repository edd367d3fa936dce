"""The sweep: orders that are over are ended, and crossed ones that a transaction left over are filled.

It changes nothing that would not happen anyway, at the next trade or settlement; it only makes it soon.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, SQLModel

from market.contracts import lock_contract
from market.db import read_session, transact
from market.ledger import lock_accounts
from market.matching import MOST_STEPS, Ended, Step, next_steps, without
from market.pricing import ContractState
from market.resting import LIMIT_ORDER, RESTING, accounts_of, as_resting, carry_out, resting_orders

CONTRACT = SQLModel.metadata.tables["contract"]


def contracts_to_sweep(session: Session, now: datetime) -> tuple[int, ...]:
    """The contracts with an order that is over, or crossed while trading is not halted, by their ids."""
    lead = CONTRACT.c.long_shares - CONTRACT.c.short_shares
    crossed = sa.or_(
        sa.and_(LIMIT_ORDER.c.is_upward, LIMIT_ORDER.c.lead > lead),
        sa.and_(~LIMIT_ORDER.c.is_upward, LIMIT_ORDER.c.lead < lead),
    )
    statement = (
        sa.select(LIMIT_ORDER.c.contract_id)
        .join_from(LIMIT_ORDER, CONTRACT, CONTRACT.c.id == LIMIT_ORDER.c.contract_id)
        .where(
            LIMIT_ORDER.c.open_shares > 0,
            sa.or_(LIMIT_ORDER.c.ends_at <= now, sa.and_(crossed, ~CONTRACT.c.is_halted)),
        )
        .distinct()
        .order_by(LIMIT_ORDER.c.contract_id)
    )
    return tuple(session.connection().execute(statement).scalars())


def sweep_contract(session: Session, contract_id: int, now: datetime) -> int:
    """End and fill what is due on one contract, at most `MOST_STEPS` of each; how many steps that were.

    Call it again while it finds something. The caller commits.
    """
    contract = lock_contract(session, contract_id)
    steps = _due(session, contract, now)
    carry_out(session, contract_id, steps, lock_accounts(session, accounts_of(contract_id, steps)), now)
    return len(steps)


def _due(session: Session, contract: ContractState, now: datetime) -> Sequence[Step]:
    assert contract.id is not None
    over = RESTING.where(LIMIT_ORDER.c.contract_id == contract.id, LIMIT_ORDER.c.ends_at <= now)
    rows = session.connection().execute(over.order_by(LIMIT_ORDER.c.order_id).limit(MOST_STEPS))
    ended = [Ended(order, order.ends_as) for order in map(as_resting, rows)]
    resting = without(resting_orders(session, contract.id), ended)
    return (*ended, *next_steps(contract, resting, now))


def sweep(engine: Engine, now: datetime) -> int:
    """Everything that is due, each contract in transactions of its own; how many orders were ended or filled.

    It may be stopped anywhere and run again, by several at once.
    """
    with read_session(engine) as session:
        contracts = contracts_to_sweep(session, now)
    done = 0
    for contract_id in contracts:
        while steps := transact(engine, partial(sweep_contract, contract_id=contract_id, now=now)):
            done += steps
    return done
