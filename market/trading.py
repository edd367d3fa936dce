"""Trading: a quote is a dry run of the order, and an order is one locked, all-or-nothing transaction.

What can be refused is decided before anything but the order's own row is written. Once booking has begun, an
error is a fault: it is raised, and the caller's transaction undoes everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

import sqlalchemy as sa
from sqlmodel import Session, SQLModel

from market.boards import board_by_code, date_in
from market.booking import Offer, book, claim_key, refuse, stored_answer
from market.contracts import find_contract, open_contract, unopened
from market.entries import FEES, pool_cash, pool_issued, trader_cash, trader_position
from market.errors import (
    ContractClosed,
    InsufficientFunds,
    InvalidAmount,
    PositionLimit,
    PriceMoved,
    UnknownPeriod,
    UnknownTerm,
)
from market.forecasts import opening_forecast
from market.ledger import balances, lock_accounts
from market.listing import LISTED
from market.maker import Side
from market.orders import Action, OrderRequest, Quote, Receipt, check_key
from market.periods import Period, front_periods, parse_period
from market.prepared import Prepared
from market.pricing import ContractState, priced
from market.tables import Board

BOARD, LISTING, TERM = (SQLModel.metadata.tables[name] for name in ("board", "listing", "term"))

__all__ = ["Action", "OrderRequest", "Quote", "Receipt", "Side", "place_order", "quote"]

_FIND = Prepared(
    sa.select(
        LISTING.c.board_id, BOARD.c.code, BOARD.c.period, BOARD.c.time_zone, LISTING.c.term_id, TERM.c.label,
        LISTING.c.status,
    )
    .join_from(BOARD, LISTING, LISTING.c.board_id == BOARD.c.id)
    .join(TERM, TERM.c.id == LISTING.c.term_id)
    .where(BOARD.c.code == sa.bindparam("board"), TERM.c.slug == sa.bindparam("term"))
)  # fmt: skip
REFUSALS = (ContractClosed, InsufficientFunds, InvalidAmount, PositionLimit, PriceMoved, UnknownPeriod)


@dataclass(frozen=True, slots=True)
class _Instrument:
    """What an order is about, found by its names."""

    board_id: int
    code: str
    period: str  # what the board's contracts count: "week" or "month"
    time_zone: str
    term_id: int
    label: str
    is_listed: bool

    def today(self, now: datetime) -> date:
        return date_in(self.time_zone, self.code, now)


def quote(session: Session, trader_id: int | None, request: OrderRequest, now: datetime) -> Quote:
    """What the order would do now; writes and locks nothing. A guest (None) is not asked for cash.

    Raises whatever would refuse the order, and `UnknownBoard`, `UnknownTerm`.
    """
    instrument = _instrument(session, request)
    period = _open_period(instrument, request.period, now)
    contract = find_contract(session, instrument.board_id, instrument.term_id, period.name)
    if contract is None:
        contract = unopened(_forecast(session, instrument, now))
    _check_unsettled(contract, period)
    held_shares, cash_units = _holdings(session, trader_id, contract, request.side)
    return priced(request, instrument.label, contract, held_shares, cash_units)


def place_order(session: Session, trader_id: int, request: OrderRequest, key: str, now: datetime) -> Receipt:
    """Fill the order or refuse it; either way its ``key`` is spent and the answer is stored.

    The same key with the same order gets the stored answer again. Raises `KeyReused` for the same key with
    another order, `InvalidKey`, `UnknownBoard` and `UnknownTerm`; the caller commits.
    """
    check_key(key)
    instrument = _instrument(session, request)
    order_id = claim_key(session, trader_id, instrument.board_id, instrument.term_id, request, key, now)
    if order_id is None:
        return stored_answer(session, trader_id, request, key)
    try:
        offer = _locked_offer(session, trader_id, instrument, request, now)
    except REFUSALS as refusal:
        return refuse(session, order_id, refusal)
    return book(session, order_id, offer, key, now)


def _instrument(session: Session, request: OrderRequest) -> _Instrument:
    named = {"board": request.board, "term": request.term}
    # PostgreSQL cannot even be asked for a text with NUL in it.
    row = None if "\0" in request.board + request.term else _FIND.first(session, named)
    if row is None:
        raise UnknownTerm(request.term, board_by_code(session, request.board).code)
    board_id, code, period, time_zone, term_id, label, status = row
    return _Instrument(board_id, code, period, time_zone, term_id, label, status == LISTED)


def _open_period(instrument: _Instrument, name: str, now: datetime) -> Period:
    """The period, if it is one of those that orders are taken for."""
    today = instrument.today(now)
    period = parse_period(name)
    front = front_periods(instrument.period, today)
    if period in front:
        return period
    if period.kind == instrument.period and period.first_day <= today:
        raise ContractClosed(period.name, period.first_day)
    names = ", ".join(each.name for each in front)
    raise UnknownPeriod(f"{name} is not open on {instrument.code}; the open periods are {names}.")


def _forecast(session: Session, instrument: _Instrument, now: datetime) -> Decimal:
    """f0 for a contract that is to be opened."""
    if not instrument.is_listed:
        raise UnknownPeriod(f"{instrument.label!r} is no longer listed, so no contract is opened on it.")
    board = session.get_one(Board, instrument.board_id)
    return opening_forecast(session, board, instrument.term_id, instrument.today(now))


def _check_unsettled(contract: ContractState, period: Period) -> None:
    if contract.is_settled:  # only with a clock that was set back
        raise ContractClosed(period.name, period.first_day)


def _holdings(
    session: Session, trader_id: int | None, contract: ContractState, side: Side
) -> tuple[int, int | None]:
    """The shares of the side and the cash that the trader has; a guest has no cash account to look at."""
    if trader_id is None:
        return 0, None
    cash = trader_cash(trader_id)
    if contract.id is None:
        return 0, balances(session, [cash])[cash]
    position = trader_position(trader_id, contract.id, side)
    found = balances(session, [cash, position])
    return found[position], found[cash]


def _locked_offer(
    session: Session, trader_id: int, instrument: _Instrument, request: OrderRequest, now: datetime
) -> Offer:
    """The order priced under its locks; opens the contract for its first trade. Raises what refuses it."""
    period = _open_period(instrument, request.period, now)
    contract = find_contract(session, instrument.board_id, instrument.term_id, period.name, lock=True)
    if contract is not None:
        _check_unsettled(contract, period)
        return _offer_on(session, trader_id, instrument.label, request, contract)
    f0 = _forecast(session, instrument, now)
    with session.begin_nested():  # a refusal undoes the opening as well
        accounts = (trader_cash(trader_id), FEES)
        contract = open_contract(
            session, instrument.board_id, instrument.term_id, period, f0, now, lock=accounts
        )
        return _offer_on(session, trader_id, instrument.label, request, contract)


def _offer_on(
    session: Session, trader_id: int, label: str, request: OrderRequest, contract: ContractState
) -> Offer:
    assert contract.id is not None
    cash = trader_cash(trader_id)
    position = trader_position(trader_id, contract.id, request.side)
    accounts = (cash, position, FEES, pool_cash(contract.id), pool_issued(contract.id, request.side))
    held = lock_accounts(session, accounts)
    made = priced(request, label, contract, held[position].balance, held[cash].balance)
    return Offer(trader_id, contract.id, contract, made, held)
