"""Limit orders: what can be had at once within the limit is traded, the rest rests with its funds set aside.

One locked transaction, as for an order at the market: what can be refused is decided before anything but the
order's own rows is written.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlmodel import Session

from market.chain import order_key
from market.entries import share_hold, trader_cash, trader_hold, trader_position
from market.errors import InvalidLimit, NotFilledAtOnce
from market.instruments import Instrument, contract_now, find_instrument, open_period, under_lock
from market.ledger import lock_accounts
from market.limit_booking import LimitOffer, book_limit, claim_limit_key, refuse_limit, stored_limit_answer
from market.limit_pricing import LimitQuote, drafted, limit_priced
from market.limits import LimitRequest
from market.maker import Side
from market.matching import (
    EndedAs,
    Resting,
    Step,
    crossed_by_own,
    next_steps,
    reserved_shares,
    without,
)
from market.orders import Action, LimitReceipt, check_key
from market.periods import Period
from market.pricing import ContractState
from market.resting import accounts_of, accounts_of_order, carry_out, resting_orders
from market.trading import REFUSALS, holdings, reserved_by

LIMIT_REFUSALS = (*REFUSALS, NotFilledAtOnce)


def quote_limit(
    session: Session, trader_id: int | None, request: LimitRequest, now: datetime
) -> LimitQuote:
    """What the order would do now; writes and locks nothing. A guest (None) is not asked for cash.

    Raises whatever would refuse the order, and `UnknownBoard`, `UnknownTerm`.
    """
    instrument = find_instrument(session, request.board, request.term)
    period = open_period(instrument, request.period, now)
    _ends_at(instrument, period, request.good_until, now)
    contract = contract_now(session, instrument, period, now)
    held_shares, cash_units = holdings(session, trader_id, contract, request.side)
    reserved = reserved_by(session, trader_id, contract, request.side)
    return limit_priced(request, instrument.label, contract, held_shares, cash_units, reserved)


def place_limit(
    session: Session, trader_id: int, request: LimitRequest, key: str, now: datetime
) -> LimitReceipt:
    """Take the order or refuse it; either way its ``key`` is spent and the answer is stored.

    Resting orders that are reached by what it fills are filled right after it, in the same transaction. The
    same key with the same order gets the stored answer again. Raises `KeyReused`, `InvalidKey`,
    `UnknownBoard` and `UnknownTerm`; the caller commits.
    """
    check_key(key)
    instrument = find_instrument(session, request.board, request.term)
    order_id = claim_limit_key(session, trader_id, instrument.board_id, instrument.term_id, request, key, now)
    if order_id is None:
        return stored_limit_answer(session, trader_id, request, key)
    try:
        period = open_period(instrument, request.period, now)
        ends_at = _ends_at(instrument, period, request.good_until, now)

        def decide(contract: ContractState) -> LimitOffer:
            order = Resting(
                order_id, trader_id, order_key(trader_id, key), request.side, request.action, 0, 0, None,
                ends_at, EndedAs.CLOSED,
            )  # fmt: skip
            return _offer_on(session, order, instrument.label, request, contract, now)

        offer = under_lock(session, instrument, period, trader_id, now, decide)
    except LIMIT_REFUSALS as refusal:
        return refuse_limit(session, order_id, refusal)
    receipt = book_limit(session, order_id, offer, key, now)
    carry_out(session, offer.contract_id, offer.following, offer.held, now)
    return receipt


def following(
    quote: LimitQuote, order: Resting, resting: tuple[Resting, ...], now: datetime
) -> tuple[Step, ...]:
    """What the placed order brings about; ``order`` is the part of it that rests, perhaps of no share."""
    crossed = crossed_by_own(resting, order.trader_id, order.is_upward, quote.reach)
    rest = [*without(resting, crossed), *([order] if order.open_shares else [])]
    return (*crossed, *next_steps(quote.after, rest, now))


def _offer_on(
    session: Session,
    order: Resting,
    label: str,
    request: LimitRequest,
    contract: ContractState,
    now: datetime,
) -> LimitOffer:
    """The order priced under its locks, with what follows from it. Raises what refuses it."""
    assert contract.id is not None
    trader_id = order.trader_id
    resting = resting_orders(session, contract.id, trader_id) if contract.resting_count else ()
    # What follows does not depend on what anybody holds: every account is known before the first is locked.
    steps = _if_taken(request, label, contract, order, resting, now) if resting else ()
    own = (
        *accounts_of_order(trader_id, contract.id, request.side),
        trader_hold(trader_id), share_hold(trader_id, contract.id, request.side),
    )  # fmt: skip
    held = lock_accounts(session, (*own, *accounts_of(contract.id, steps)))
    cash, position = held[trader_cash(trader_id)], held[trader_position(trader_id, contract.id, request.side)]
    reserved = reserved_shares(resting, trader_id, request.side)
    made = limit_priced(request, label, contract, position.balance, cash.balance, reserved)
    return LimitOffer(trader_id, contract.id, made, order.ends_at, held, steps)


def _if_taken(
    request: LimitRequest,
    label: str,
    contract: ContractState,
    order: Resting,
    resting: tuple[Resting, ...],
    now: datetime,
) -> tuple[Step, ...]:
    there_are = contract.long if request.side is Side.LONG else contract.short
    if request.action is Action.SELL and request.share_count > there_are:
        return ()  # more than anybody holds: refused
    draft = drafted(request, label, contract)
    return following(draft, draft.placed(order), resting, now)


def _ends_at(instrument: Instrument, period: Period, good_until: date | None, now: datetime) -> datetime:
    """The moment from which the order is over: its date's end or the contract's closing, by the board's time.

    Raises `InvalidLimit` for a date that is past.
    """
    last = period.first_day - timedelta(days=1)
    if good_until is not None:
        if good_until < instrument.today(now):
            raise InvalidLimit(f"{good_until:%-d %B %Y} is past; choose a day on which the order can stand.")
        last = min(last, good_until)
    return datetime.combine(last + timedelta(days=1), time(), ZoneInfo(instrument.time_zone))
