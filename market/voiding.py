"""Contracts that are void: every account is then what it would be without them (L17).

That is one linked entry, which takes back all that the contract's entries come to, from its opening on; the
fees too. Credits that were made for its subsidy stay with the house.
"""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session

from market.corrections import CannotCorrect, Correction, checked_reason, key_of, locked_contract, posted
from market.entries import FEES, HOUSE_SUBSIDY, AccountKey, Kind, Line, reversed_lines
from market.ledger import ACCOUNT, ENTRY, POSTING, Draft, lock_accounts
from market.matching import Ended, EndedAs
from market.resting import LIMIT_ORDER, RESTING, accounts_of, as_resting, carry_out


def void_contract(session: Session, contract_id: int, reason: str, now: datetime) -> Correction:
    """Void a contract, settled or not: everybody has what they would have without it; the caller commits.

    Its resting orders end. Raises `CannotCorrect` where somebody no longer has what they gained by it.
    """
    reason = checked_reason(reason)
    contract = locked_contract(session, contract_id)
    if contract.is_void:
        raise CannotCorrect(f"Contract {contract_id} is void already.")
    opening = session.execute(
        sa.select(ENTRY.c.id).where(ENTRY.c.contract_id == contract_id, ENTRY.c.kind == Kind.OPEN.value)
    ).scalar_one()
    steps = _ended(session, contract_id, now)
    held = lock_accounts(session, {*_accounts_of(session, contract_id), *accounts_of(contract_id, steps)})
    carry_out(session, contract_id, steps, held, now)
    lines = reversed_lines(_sums(session, contract_id))
    if not lines:
        raise CannotCorrect(f"Nobody has paid or got anything by contract {contract_id}.")
    entry = Draft(Kind.CORRECT, lines, reason, corrects_id=opening)
    (entry_id,) = posted(session, [entry], now, contract_id, held)
    contract.settled_at = contract.settled_at or now
    contract.is_void, contract.statement_number = True, 0
    session.add(contract)
    session.flush()
    return Correction(entry_id, opening, contract_id, reason)


def _ended(session: Session, contract_id: int, now: datetime) -> list[Ended]:
    """The contract's resting orders, which end now."""
    of_contract = RESTING.where(LIMIT_ORDER.c.contract_id == contract_id).order_by(LIMIT_ORDER.c.order_id)
    orders = [as_resting(row) for row in session.connection().execute(of_contract)]
    return [
        Ended(order, order.ends_as if order.ends_at <= now else EndedAs.CANCELLED) for order in orders
    ]


def _accounts_of(session: Session, contract_id: int) -> set[AccountKey]:
    """Every account that an entry of the contract has posted to."""
    names = session.execute(
        sa.select(ACCOUNT.c.name)
        .join(POSTING, POSTING.c.account_id == ACCOUNT.c.id)
        .join(ENTRY, ENTRY.c.id == POSTING.c.entry_id)
        .where(ENTRY.c.contract_id == contract_id)
        .distinct()
    ).scalars()
    return {HOUSE_SUBSIDY, FEES, *map(key_of, names)}


def _sums(session: Session, contract_id: int) -> tuple[Line, ...]:
    """What the contract's entries come to for each account; credits that were made for it stay made."""
    total = sa.cast(sa.func.sum(POSTING.c.amount), sa.BigInteger)
    rows = session.execute(
        sa.select(ACCOUNT.c.name, total)
        .join(POSTING, POSTING.c.account_id == ACCOUNT.c.id)
        .join(ENTRY, ENTRY.c.id == POSTING.c.entry_id)
        .where(ENTRY.c.contract_id == contract_id, ENTRY.c.kind != Kind.SUBSIDY.value)
        .group_by(ACCOUNT.c.id, ACCOUNT.c.name)
        .having(total != 0)
        .order_by(ACCOUNT.c.id)
    )
    return tuple(Line(key_of(name), amount) for name, amount in rows)
