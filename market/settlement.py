"""Settlement: each contract is paid once, to every holder in one entry, and its pool returns to zero."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.boards import today_of
from market.db import read_session, transact
from market.entries import (
    FEES,
    HOUSE_SUBSIDY,
    AccountKey,
    Holder,
    Kind,
    Line,
    pool_cash,
    pool_fees,
    pool_issued,
    settle_lines,
    trader_cash,
    trader_position,
)
from market.errors import Insolvent, MarketError, SettlementWaits
from market.evidence import Evidence
from market.holders import closed_on, groups, holders_of
from market.ledger import Held, lock_accounts, post
from market.maker import Maker, Side
from market.matching import Ended
from market.recount import hold
from market.resting import accounts_of, carry_out
from market.statement_documents import papers_hash
from market.statements import carrying_papers, check_ready, is_due
from market.tables import Board, Contract, SettlementStatement
from nlp.tables import Term

CONTRACTS_AT_ONCE = 50  # that one transaction settles; what they rest on is gathered once in each


@dataclass(frozen=True, slots=True)
class SettlementOutcome:
    """What became of a contract that is due: settled on ``counted`` papers, or waiting for ``reason``.

    ``was_settled`` when it had been settled before this call. A waiting one has counted None.
    """

    contract_id: int
    board: str
    term_label: str
    period: str
    is_settled: bool
    was_settled: bool
    counted: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class _Settlement:
    """What a contract settles on, read under its lock."""

    contract: Contract
    papers: tuple[str, ...]
    evidence: Mapping[str, Any]  # the columns of the statement that say what the count rests on
    holders: tuple[Holder, ...] = ()
    resting: tuple[Ended, ...] = ()  # orders that no sweep has ended yet


def settle_due(session: Session, now: datetime) -> tuple[SettlementOutcome, ...]:
    """Settle every contract whose period and grace days are over, or say what each waits for.

    Any number of callers at once settle each contract once. In order of the contracts' ids.
    """
    return _settle(session, _due_ids(session, now), now)


def settle_in_steps(engine: Engine, now: datetime) -> tuple[SettlementOutcome, ...]:
    """The same, `CONTRACTS_AT_ONCE` of them in a transaction of their own.

    Nobody waits long for what one of them holds, and it may be stopped anywhere and run again, by several at
    once.
    """
    with read_session(engine) as session:
        ids = _due_ids(session, now)
    outcomes: list[SettlementOutcome] = []
    for start in range(0, len(ids), CONTRACTS_AT_ONCE):
        some = ids[start : start + CONTRACTS_AT_ONCE]
        outcomes.extend(transact(engine, partial(_settle, ids=some, now=now)))
    return tuple(outcomes)


def settle_contract(session: Session, contract_id: int, now: datetime) -> SettlementOutcome:
    """Settle one contract, or say what it waits for; settling again changes nothing.

    Raises `MarketError` when there is no such contract.
    """
    outcomes = _settle(session, [contract_id], now)
    if not outcomes:
        raise MarketError(f"There is no contract {contract_id}.")
    return outcomes[0]


def _due_ids(session: Session, now: datetime) -> list[int]:
    rows = session.exec(
        select(Contract, Board)
        .join(Board, col(Board.id) == Contract.board_id)
        .where(col(Contract.settled_at).is_(None))
        # No board is a whole day ahead of UTC, and grace days are not negative: the rest cannot be due.
        .where(col(Contract.last_day) <= now.astimezone(UTC).date())
        .order_by(col(Contract.id))
    )
    return [_id(each) for each, board in rows if is_due(board, each.last_day, today_of(board, now))]


def _settle(session: Session, ids: Sequence[int], now: datetime) -> tuple[SettlementOutcome, ...]:
    """All the contracts' rows are locked first, then all their accounts: the ledger's one lock order.

    Their boards are held before that, so that no paper comes in or moves while its period is counted.
    """
    _hold_boards(session, ids)
    evidence = Evidence(session, now)
    outcomes: list[SettlementOutcome] = []
    ready: list[_Settlement] = []
    ready_on: dict[tuple[str, str], str] = {}  # of a board and period, why they wait, or ""
    for contract, board, label in list(_locked(session, ids)):
        outcome = SettlementOutcome(_id(contract), board.code, label, contract.period, False, False, None, "")
        if contract.settled_at is not None:
            counted = _counted(session, contract)
            outcomes.append(replace(outcome, is_settled=True, was_settled=True, counted=counted))
            continue
        where = board.code, contract.period
        if where not in ready_on:
            ready_on[where] = _why_waits(session, contract, board, today_of(board, now))
        if ready_on[where]:
            outcomes.append(replace(outcome, reason=ready_on[where]))
            continue
        papers = carrying_papers(session, contract)
        ready.append(_Settlement(contract, papers, evidence.of(contract, board)))
        outcomes.append(replace(outcome, is_settled=True, counted=len(papers)))
    _pay_all(session, ready, now)
    return tuple(outcomes)


def _why_waits(session: Session, contract: Contract, board: Board, today: date) -> str:
    try:
        check_ready(session, contract, board, today)
    except SettlementWaits as wait:
        return str(wait)
    return ""


def _pay_all(session: Session, ready: Sequence[_Settlement], now: datetime) -> None:
    """Pay the contracts, whose rows are locked."""
    ids = [_id(each.contract) for each in ready]
    holders, resting = holders_of(session, ids), closed_on(session, ids)
    ready = [
        replace(each, holders=holders.get(number, ()), resting=resting.get(number, ()))
        for number, each in zip(ids, ready, strict=True)
    ]
    held = lock_accounts(session, {account for each in ready for account in _accounts(each)})
    for settlement in ready:
        _pay(session, settlement, held, now)
    session.flush()


def _counted(session: Session, contract: Contract) -> int | None:
    """What the contract was settled on, by the statement in force; None for one that is void."""
    if contract.is_void:
        return None
    return session.get_one(SettlementStatement, (contract.id, contract.statement_number)).counted


def _locked(session: Session, ids: Sequence[int]) -> Iterator[tuple[Contract, Board, str]]:
    """The contracts of these ids, which are in order, with their rows locked."""
    statement = (
        select(Contract, Board, Term.label)
        .join(Board, col(Board.id) == Contract.board_id)
        .join(Term, col(Term.id) == Contract.term_id)
        .order_by(col(Contract.id))
        .with_for_update(of=Contract)
        .execution_options(populate_existing=True)  # another worker may have settled it meanwhile
    )
    for some in groups(ids):
        yield from session.exec(statement.where(col(Contract.id).in_(some))).all()


def _hold_boards(session: Session, ids: Sequence[int]) -> None:
    board_ids: set[int] = set()
    for some in groups(ids):
        boards = sa.select(col(Contract.board_id)).where(col(Contract.id).in_(some))
        board_ids.update(session.execute(boards).scalars())
    for board_id in sorted(board_ids):
        hold(session, board_id)


def _accounts(settlement: _Settlement) -> Iterator[AccountKey]:
    number = _id(settlement.contract)
    yield from (HOUSE_SUBSIDY, FEES, pool_cash(number), pool_fees(number))
    yield from (pool_issued(number, Side.LONG), pool_issued(number, Side.SHORT))
    for holder in settlement.holders:
        yield trader_cash(holder.trader_id)
        yield trader_position(holder.trader_id, number, Side.LONG)
        yield trader_position(holder.trader_id, number, Side.SHORT)
    yield from accounts_of(number, settlement.resting)


def _pay(session: Session, settlement: _Settlement, held: Held, now: datetime) -> None:
    contract, papers = settlement.contract, settlement.papers
    number = _id(contract)
    carry_out(session, number, settlement.resting, held, now)
    pool_units, fee_units = held[pool_cash(number)].balance, held[pool_fees(number)].balance
    lines = settled_lines(contract, pool_units, settlement.holders, len(papers), fee_units)
    memo = f"{contract.period} settled on {len(papers)} papers"
    entry_id = post(session, Kind.SETTLE, lines, now, contract_id=number, memo=memo, held=held)
    session.add(
        SettlementStatement(
            contract_id=number,
            entry_id=entry_id,
            counted=len(papers),
            papers=list(papers),
            papers_hash=papers_hash(papers),
            recorded_at=now,
            **settlement.evidence,
        )
    )
    contract.settled_at, contract.statement_number = now, 1
    session.add(contract)


def settled_lines(
    contract: Contract, pool_units: int, holders: Sequence[Holder], counted: int, fee_units: int = 0
) -> tuple[Line, ...]:
    """The lines that pay everybody and return the rest; raises `Insolvent` if the pool cannot."""
    maker = Maker(contract.cap, contract.prior_1024, contract.depth_shares)
    pays = maker.payout_units(Side.LONG, counted), maker.payout_units(Side.SHORT, counted)
    owed = sum(holder.long_shares * pays[0] + holder.short_shares * pays[1] for holder in holders)
    if owed > pool_units:
        raise Insolvent(f"The pool of contract {contract.id} holds {pool_units} and owes {owed}.")
    return settle_lines(_id(contract), pool_units, holders, *pays, fee_units=fee_units)


def _id(contract: Contract) -> int:
    assert contract.id is not None
    return contract.id
