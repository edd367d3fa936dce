"""Contracts: found, locked, and opened by their first trade."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, SQLModel, col

from market.entries import HOUSE_MINT, HOUSE_SUBSIDY, AccountKey, Kind, open_lines, subsidy_lines
from market.inserts import insert_unless_taken
from market.ledger import balances, lock_accounts, post
from market.maker import Maker, maker_for
from market.periods import Period
from market.prepared import Prepared
from market.pricing import ContractState
from nlp.tables import Term, TermVersion

CONTRACT = SQLModel.metadata.tables["contract"]
_STATE = sa.select(
    CONTRACT.c.id, CONTRACT.c.cap, CONTRACT.c.prior_1024, CONTRACT.c.depth_shares,
    CONTRACT.c.subsidy_units, CONTRACT.c.long_shares, CONTRACT.c.short_shares, CONTRACT.c.state_version,
    CONTRACT.c.settled_at, CONTRACT.c.resting_count, CONTRACT.c.is_halted,
)  # fmt: skip
_FIND = _STATE.where(
    CONTRACT.c.board_id == sa.bindparam("board"),
    CONTRACT.c.term_id == sa.bindparam("term"),
    CONTRACT.c.period == sa.bindparam("period"),
)
_READ = Prepared(_FIND)
_FIND_AND_LOCK = Prepared(_FIND.with_for_update())
_LOCK = Prepared(_STATE.where(CONTRACT.c.id == sa.bindparam("contract")).with_for_update())
_ADVANCE = Prepared(
    sa.update(CONTRACT)
    .where(
        CONTRACT.c.id == sa.bindparam("contract"),
        CONTRACT.c.state_version == sa.bindparam("at"),
        CONTRACT.c.settled_at.is_(None),
    )
    .values(
        long_shares=sa.bindparam("long"),
        short_shares=sa.bindparam("short"),
        state_version=sa.bindparam("version"),
    )
)


def unopened(f0: Decimal) -> ContractState:
    """The contract that a first trade would open with the forecast ``f0`` papers."""
    maker = maker_for(f0)
    return ContractState(None, maker, maker.subsidy_units(), 0, 0, 0, False)


def find_contract(
    session: Session, board_id: int, term_id: int, period: str, *, lock: bool = False
) -> ContractState | None:
    """The contract, or None when no trade has opened it; ``lock`` holds its row for this transaction."""
    named = {"board": board_id, "term": term_id, "period": period}
    row = (_FIND_AND_LOCK if lock else _READ).first(session, named)
    return None if row is None else _state(row)


def lock_contract(session: Session, contract_id: int) -> ContractState:
    """The contract of this id, its row held for this transaction; there is one."""
    row = _LOCK.first(session, {"contract": contract_id})
    assert row is not None
    return _state(row)


def _state(row: tuple[Any, ...]) -> ContractState:
    number, cap, prior, depth, subsidy, long, short, version, settled_at, resting, halted = row
    return ContractState(
        id=number,
        maker=Maker(cap, prior, depth),
        subsidy_units=subsidy,
        long=long,
        short=short,
        version=version,
        is_settled=settled_at is not None,
        resting_count=resting,
        is_halted=bool(halted),  # SQLite has no truth of its own
    )


def open_contract(
    session: Session,
    board_id: int,
    term_id: int,
    period: Period,
    f0: Decimal,
    now: datetime,
    *,
    lock: Iterable[AccountKey] = (),
) -> ContractState:
    """The contract, opened now unless somebody else just did, with its row locked.

    The term's current version is frozen into it, and the subsidy moves from the house into its pool; what the
    house lacks is made first. ``f0``: papers expected, more than 0; kept in thousandths. ``lock``: accounts
    that the caller will need too; they are locked together with the house's, in the one order of the ledger.
    """
    milli = max(1, round(Fraction(f0) * 1000))
    maker = maker_for(Decimal(f"{milli}e-3"))
    subsidy = maker.subsidy_units()
    values = {
        "board_id": board_id, "term_id": term_id, "term_version_id": _current_version(session, term_id),
        "period": period.name, "first_day": period.first_day, "last_day": period.last_day,
        "cap": maker.cap, "prior_1024": maker.prior_1024, "depth_shares": maker.depth_shares,
        "forecast_milli": milli, "subsidy_units": subsidy, "long_shares": 0, "short_shares": 0,
        "state_version": 0, "resting_count": 0, "is_halted": False,
        "statement_number": 0, "is_void": False, "opened_at": now,
    }  # fmt: skip
    opened = insert_unless_taken(session, CONTRACT, values)
    if opened is not None:
        lock_accounts(session, (HOUSE_MINT, HOUSE_SUBSIDY, *lock))
        _fund(session, opened, subsidy, now)
    contract = find_contract(session, board_id, term_id, period.name, lock=True)
    assert contract is not None
    return contract


def advance(session: Session, before: ContractState, after: ContractState) -> None:
    """Write a locked contract's next state; an `AssertionError` when it is not at ``before`` any more."""
    changed = _ADVANCE.run(
        session,
        {
            "contract": before.id, "at": before.version, "version": after.version,
            "long": after.long, "short": after.short,
        },
    )  # fmt: skip
    if changed != 1:
        raise AssertionError(f"contract {before.id} was changed under its lock")


def _fund(session: Session, contract_id: int, subsidy_units: int, now: datetime) -> None:
    shortfall = subsidy_units - balances(session, [HOUSE_SUBSIDY])[HOUSE_SUBSIDY]
    if shortfall > 0:
        post(session, Kind.SUBSIDY, subsidy_lines(shortfall), now, contract_id=contract_id)
    post(session, Kind.OPEN, open_lines(contract_id, subsidy_units), now, contract_id=contract_id)


def _current_version(session: Session, term_id: int) -> int:
    statement = (
        sa.select(col(TermVersion.id))
        .join(Term, col(Term.id) == TermVersion.term_id)
        .where(col(Term.id) == term_id, col(TermVersion.version) == Term.current_version)
    )
    version_id = session.connection().execute(statement).scalar_one()
    assert version_id is not None
    return version_id
