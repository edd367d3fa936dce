"""What an order is about, found by its names, and the contract that it is for, under its lock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TypeVar

import sqlalchemy as sa
from sqlmodel import Session, SQLModel

from market.boards import board_by_code, date_in
from market.contracts import find_contract, open_contract, unopened
from market.entries import trader_cash
from market.errors import ContractClosed, ContractVoid, UnknownPeriod, UnknownTerm
from market.forecasts import opening_forecast
from market.halts import check_trading
from market.listing import LISTED, why_not_listed
from market.naming import term_at
from market.periods import Period, front_periods, parse_period
from market.prepared import Prepared
from market.pricing import ContractState
from market.tables import Board
from nlp.tables import Term

BOARD, LISTING, TERM = (SQLModel.metadata.tables[name] for name in ("board", "listing", "term"))

_FIND = Prepared(
    sa.select(
        LISTING.c.board_id, BOARD.c.code, BOARD.c.period, BOARD.c.time_zone, LISTING.c.term_id, TERM.c.label,
        LISTING.c.status,
    )
    .join_from(BOARD, LISTING, LISTING.c.board_id == BOARD.c.id)
    .join(TERM, TERM.c.id == LISTING.c.term_id)
    .where(BOARD.c.code == sa.bindparam("board"), TERM.c.slug == sa.bindparam("term"))
)  # fmt: skip

Decided = TypeVar("Decided")


@dataclass(frozen=True, slots=True)
class Instrument:
    """A listed term of a board."""

    board_id: int
    code: str
    period: str  # what the board's contracts count: "week" or "month"
    time_zone: str
    term_id: int
    label: str
    is_listed: bool

    def today(self, now: datetime) -> date:
        return date_in(self.time_zone, self.code, now)


def find_instrument(session: Session, board: str, term: str) -> Instrument:
    """The term with the slug ``term``, also one of before, on the board; raises `UnknownBoard` and
    `UnknownTerm`."""
    # PostgreSQL cannot even be asked for a text with NUL in it.
    row = None if "\0" in board + term else _FIND.first(session, {"board": board, "term": term})
    if row is None and "\0" not in board and (renamed := term_at(session, term)) is not None:
        row = _FIND.first(session, {"board": board, "term": renamed.slug})
    if row is None:
        raise UnknownTerm(term, board_by_code(session, board).code)
    board_id, code, period, time_zone, term_id, label, status = row
    return Instrument(board_id, code, period, time_zone, term_id, label, status == LISTED)


def open_period(instrument: Instrument, name: str, now: datetime) -> Period:
    """The period, if it is one that orders are taken for; raises `ContractClosed` and `UnknownPeriod`."""
    today = instrument.today(now)
    period = parse_period(name)
    front = front_periods(instrument.period, today)
    if period in front:
        return period
    if period.kind == instrument.period and period.first_day <= today:
        raise ContractClosed(period.name, period.first_day)
    names = ", ".join(each.name for each in front)
    raise UnknownPeriod(f"{name} is not open on {instrument.code}; the open periods are {names}.")


def contract_now(session: Session, instrument: Instrument, period: Period, now: datetime) -> ContractState:
    """The contract, without a lock; if nobody has traded it yet, as its first order would open it.

    Raises `ContractClosed` and `TradingHalted`.
    """
    contract = find_contract(session, instrument.board_id, instrument.term_id, period.name)
    if contract is None:
        check_trading(session, instrument.board_id, instrument.term_id, period.name)
        return unopened(_forecast(session, instrument, now))
    _check_open(session, instrument, contract, period)
    return contract


def under_lock(
    session: Session,
    instrument: Instrument,
    period: Period,
    trader_id: int,
    now: datetime,
    decide: Callable[[ContractState], Decided],
) -> Decided:
    """What is decided about the contract while its row is locked; opens it for its first order.

    An error undoes the opening as well. Raises `ContractClosed` and `TradingHalted`.
    """
    contract = find_contract(session, instrument.board_id, instrument.term_id, period.name, lock=True)
    if contract is not None:
        _check_open(session, instrument, contract, period)
        return decide(contract)
    f0 = _forecast(session, instrument, now)
    with session.begin_nested():
        accounts = [trader_cash(trader_id)]
        opened = open_contract(
            session, instrument.board_id, instrument.term_id, period, f0, now, lock=accounts
        )
        # Asked for under the lock that a halt takes too: one that came in between is seen.
        check_trading(session, instrument.board_id, instrument.term_id, period.name)
        return decide(opened)


def _forecast(session: Session, instrument: Instrument, now: datetime) -> Decimal:
    """f0 for a contract that is to be opened."""
    board = session.get_one(Board, instrument.board_id)
    if not instrument.is_listed:
        why = why_not_listed(session, board, session.get_one(Term, instrument.term_id))
        raise UnknownPeriod(f"{why} No new contract is opened on it.")
    return opening_forecast(session, board, instrument.term_id, instrument.today(now))


def _check_open(
    session: Session, instrument: Instrument, contract: ContractState, period: Period
) -> None:
    if contract.is_settled:  # before its first day
        raise ContractVoid(period.name, period.first_day)
    if contract.is_halted:
        check_trading(session, instrument.board_id, instrument.term_id, period.name)
