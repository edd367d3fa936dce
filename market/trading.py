"""Trading at the market: a quote is a dry run of the order, and an order is one locked transaction, whole or
not at all.

What can be refused is decided before anything but the order's own row is written. Once booking has begun, an
error is a fault: it is raised, and the caller's transaction undoes everything.
"""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from market.booking import Offer, book, claim_key, refuse, stored_answer
from market.entries import trader_cash, trader_position
from market.errors import (
    ContractClosed,
    InsufficientFunds,
    InvalidAmount,
    PositionLimit,
    PriceMoved,
    TradingHalted,
    UnknownPeriod,
)
from market.instruments import Instrument, contract_now, find_instrument, open_period, under_lock
from market.ledger import balances, lock_accounts
from market.limits import raises_forecast
from market.maker import Side
from market.matching import Step, crossed_by_own, next_steps, without
from market.orders import Action, OrderRequest, Quote, Receipt, check_key
from market.pricing import ContractState, asked_shares, priced, state_after
from market.resting import (
    accounts_of,
    accounts_of_order,
    carry_out,
    is_any_reached,
    reserved_on,
    resting_orders,
)

__all__ = ["Action", "OrderRequest", "Quote", "Receipt", "Side", "place_order", "quote"]

REFUSALS = (
    ContractClosed, InsufficientFunds, InvalidAmount, PositionLimit, PriceMoved, TradingHalted, UnknownPeriod,
)  # fmt: skip


def quote(session: Session, trader_id: int | None, request: OrderRequest, now: datetime) -> Quote:
    """What the order would do now; writes and locks nothing. A guest (None) is not asked for cash.

    Raises whatever would refuse the order, and `UnknownBoard`, `UnknownTerm`.
    """
    instrument = find_instrument(session, request.board, request.term)
    period = open_period(instrument, request.period, now)
    contract = contract_now(session, instrument, period, now)
    held_shares, cash_units = holdings(session, trader_id, contract, request.side)
    reserved = reserved_by(session, trader_id, contract, request.side)
    return priced(request, instrument.label, contract, held_shares, cash_units, reserved)


def place_order(session: Session, trader_id: int, request: OrderRequest, key: str, now: datetime) -> Receipt:
    """Fill the order or refuse it; either way its ``key`` is spent and the answer is stored.

    Resting orders that the trade reaches are filled right after it. The same key with the same order gets the
    stored answer again. Raises `KeyReused` for the same key with another order, `InvalidKey`, `UnknownBoard`
    and `UnknownTerm`; the caller commits.
    """
    check_key(key)
    instrument = find_instrument(session, request.board, request.term)
    order_id = claim_key(session, trader_id, instrument.board_id, instrument.term_id, request, key, now)
    if order_id is None:
        return stored_answer(session, trader_id, request, key)

    def decide(contract: ContractState) -> Offer:
        return _offer_on(session, trader_id, instrument, request, contract, now)

    try:
        period = open_period(instrument, request.period, now)
        offer = under_lock(session, instrument, period, trader_id, now, decide)
    except REFUSALS as refusal:
        return refuse(session, order_id, refusal)
    receipt = book(session, order_id, offer, key, now)
    carry_out(session, offer.contract_id, offer.following, offer.held, now)
    return receipt


def holdings(
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


def reserved_by(session: Session, trader_id: int | None, contract: ContractState, side: Side) -> int:
    """The shares of the side that the trader's resting orders may still buy or hold for sale."""
    if trader_id is None or contract.id is None or not contract.resting_count:
        return 0
    return reserved_on(session, contract.id, trader_id, side)


def _offer_on(
    session: Session,
    trader_id: int,
    instrument: Instrument,
    request: OrderRequest,
    contract: ContractState,
    now: datetime,
) -> Offer:
    """The order priced under its locks, with what follows from it. Raises what refuses it."""
    assert contract.id is not None
    # What follows does not depend on what anybody holds: every account is known before the first is locked.
    following = _following(session, trader_id, request, contract, now) if contract.resting_count else ()
    own = accounts_of_order(trader_id, contract.id, request.side)
    held = lock_accounts(session, (*own, *accounts_of(contract.id, following)))
    cash, position = held[trader_cash(trader_id)], held[trader_position(trader_id, contract.id, request.side)]
    reserved = reserved_by(session, trader_id, contract, request.side)
    made = priced(request, instrument.label, contract, position.balance, cash.balance, reserved)
    return Offer(trader_id, contract.id, contract, made, held, following)


def _following(
    session: Session, trader_id: int, request: OrderRequest, contract: ContractState, now: datetime
) -> tuple[Step, ...]:
    """What the order brings about, if it is not refused."""
    count = asked_shares(request, contract)
    after = state_after(contract, request.side, count if request.action is Action.BUY else -count)
    if min(after.long, after.short) < 0:
        return ()  # more than anybody holds: refused
    assert contract.id is not None
    if not is_any_reached(session, contract.id, after.lead):
        return ()
    resting = resting_orders(session, contract.id, trader_id)
    is_upward = raises_forecast(request.side, request.action)
    crossed = crossed_by_own(resting, trader_id, is_upward, after.lead)
    return (*crossed, *next_steps(after, without(resting, crossed), now))
