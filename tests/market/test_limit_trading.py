"""Limit orders: filled as far as their limit, resting with their funds set aside, given back to the unit."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.audit import replay, verify
from market.cancelling import cancel_order
from market.db import read_session, transact
from market.entries import share_hold, trader_cash, trader_hold, trader_position
from market.errors import KeyReused, UnknownOrder
from market.ledger import balances
from market.limit_pricing import LimitQuote
from market.limit_trading import place_limit, quote_limit
from market.limits import LimitRequest, Stands, hold_each_units, limit_lead
from market.maker import Maker, Side, cost_of, fee_for
from market.matching import MOST_STEPS
from market.money import GRANT_UNITS
from market.orders import Action, CancelReceipt, InvalidKey, LimitReceipt, OrderRequest, Receipt
from market.settlement import settle_due
from market.sweeping import sweep
from market.tables import Board, Contract, Fill, LimitOrder, Order
from market.trading import place_order, quote
from nlp.tables import Term
from tests.market.factories import (
    DAY,
    NOW,
    add_board,
    add_market,
    add_paper,
    add_term,
    add_trader,
    close_board_day,
    limit_order,
    order,
)

BUY, SELL = Action.BUY, Action.SELL
MAKER = Maker(16, 128, 875)  # of a contract that expects two papers
HALF_WAY = 2500  # a limit above the opening forecast
LEAD, LEAD_DOWN = (limit_lead(MAKER, HALF_WAY, is_upward) for is_upward in (True, False))
LOW = 490  # just below where a contract opens on a term without papers
DAY_AFTER = NOW + timedelta(hours=5)  # 18 May: the period 2026-W21 has begun


@pytest.fixture
def market(engine: Engine) -> tuple[Engine, int, int, int]:
    """Contract, Ada and Bob."""
    contract, (ada, bob) = transact(engine, lambda session: add_market(session, "Ada", "Bob"))
    return engine, contract, ada, bob


def place(engine: Engine, trader: int, request: OrderRequest, key: str, **when: object) -> Receipt:
    now = when.get("now", NOW)
    return transact(engine, lambda session: place_order(session, trader, request, key, now))  # type: ignore[arg-type]


def put(engine: Engine, trader: int, request: LimitRequest, key: str, now: object = NOW) -> LimitReceipt:
    return transact(engine, lambda session: place_limit(session, trader, request, key, now))  # type: ignore[arg-type]


def cancel(engine: Engine, trader: int, number: int, key: str = "cancel") -> CancelReceipt:
    return transact(engine, lambda session: cancel_order(session, trader, number, key, NOW))


def held(engine: Engine, contract: int, trader: int, side: Side = Side.LONG) -> tuple[int, int, int, int]:
    """Cash, credits on hold, shares, shares on hold."""
    accounts = (
        trader_cash(trader), trader_hold(trader), trader_position(trader, contract, side),
        share_hold(trader, contract, side),
    )  # fmt: skip
    with read_session(engine) as session:
        found = balances(session, accounts)
    cash, hold, shares, shares_held = (found[account] for account in accounts)
    return cash, hold, shares, shares_held


def fills(engine: Engine) -> list[tuple[int, int, bool]]:
    """Order, shares and whether its hold paid, of each trade in its order."""
    with read_session(engine) as session:
        rows = session.exec(select(Fill).order_by(col(Fill.version_after))).all()
    return [(row.order_id, row.share_count, row.from_hold) for row in rows]


def state(engine: Engine) -> tuple[int, int]:
    """LONG less SHORT of the only contract, and how many orders rest on it."""
    with read_session(engine) as session:
        contract = session.exec(select(Contract)).one()
    return contract.long_shares - contract.short_shares, contract.resting_count


def check(engine: Engine) -> None:
    """The ledger holds together, and the orders played again make the same of it."""
    for audit in (verify, replay):
        with read_session(engine) as session:
            assert audit(session).findings == ()


def stored(engine: Engine, order_id: int) -> LimitOrder:
    with read_session(engine) as session:
        return session.get_one(LimitOrder, order_id)


# --- what is filled at once, and what rests


def test_an_order_within_its_limit_is_filled_at_once(market: tuple[Engine, int, int, int]) -> None:
    engine, contract, ada, _ = market
    receipt = put(engine, ada, limit_order(shares=20, milli=HALF_WAY), "key")
    cost = cost_of(MAKER, 0, 0, Side.LONG, 20)
    assert receipt == LimitReceipt(receipt.order_id, True, "", "", 20, cost + fee_for(cost))
    assert held(engine, contract, ada) == (GRANT_UNITS - receipt.total_units, 0, 20, 0)
    assert fills(engine) == [(receipt.order_id, 20, False)]
    assert state(engine) == (20, 0)
    check(engine)


def test_what_lies_past_the_limit_rests_with_its_credits_set_aside(
    market: tuple[Engine, int, int, int],
) -> None:
    engine, contract, ada, _ = market
    receipt = put(engine, ada, limit_order(shares=LEAD + 30, milli=HALF_WAY), "key")
    each = hold_each_units(MAKER, Side.LONG, LEAD)
    assert (receipt.filled_shares, receipt.rested_shares, receipt.hold_units) == (LEAD, 30, 30 * each)
    cash = GRANT_UNITS - receipt.total_units - receipt.hold_units
    assert held(engine, contract, ada) == (cash, 30 * each, LEAD, 0)
    assert state(engine) == (LEAD, 1)
    check(engine)


def test_an_order_beyond_the_market_rests_whole(market: tuple[Engine, int, int, int]) -> None:
    engine, contract, ada, bob = market
    receipt = put(engine, ada, limit_order(Side.SHORT, shares=10, milli=HALF_WAY), "key")
    each = hold_each_units(MAKER, Side.SHORT, LEAD_DOWN)
    assert (receipt.filled_shares, receipt.rested_shares, receipt.total_units) == (0, 10, 0)
    assert held(engine, contract, ada, Side.SHORT) == (GRANT_UNITS - 10 * each, 10 * each, 0, 0)
    assert fills(engine) == []
    place(engine, bob, order(shares=5), "bob")  # not far enough
    assert state(engine) == (5, 1)
    check(engine)


def test_a_sale_sets_its_shares_aside(market: tuple[Engine, int, int, int]) -> None:
    engine, contract, ada, bob = market
    place(engine, ada, order(shares=40), "first")
    receipt = put(engine, ada, limit_order(action=SELL, shares=30, milli=HALF_WAY), "key")
    assert (receipt.rested_shares, receipt.hold_units) == (30, 0)
    assert held(engine, contract, ada)[2:] == (10, 30)
    place(engine, bob, order(shares=LEAD - 40 + 12), "bob")
    assert fills(engine)[-1] == (receipt.order_id, 12, True)
    assert state(engine) == (LEAD_DOWN, 1)
    assert held(engine, contract, ada)[2:] == (10, 18)
    check(engine)


def test_the_quote_says_what_the_order_does(market: tuple[Engine, int, int, int]) -> None:
    engine, _, ada, _ = market
    request = limit_order(shares=LEAD + 30, milli=HALF_WAY)
    with read_session(engine) as session:
        made = quote_limit(session, ada, request, NOW)
        as_guest = quote_limit(session, None, request, NOW)
    receipt = put(engine, ada, request, "key")
    assert (made.filled_shares, made.total_units) == (receipt.filled_shares, receipt.total_units)
    assert (made.rested_shares, made.hold_units) == (receipt.rested_shares, receipt.hold_units)
    assert (as_guest.cash_units, as_guest.hold_units) == (None, made.hold_units)


def test_the_first_order_opens_the_contract_though_nothing_is_filled(engine: Engine) -> None:
    def work(session: Session) -> int:
        add_term(session, "diffusion model", add_board(session))
        number = add_trader(session).id
        assert number is not None
        return number

    ada = transact(engine, work)
    with read_session(engine) as session:
        made: LimitQuote = quote_limit(session, ada, limit_order(milli=100), NOW)
    assert (made.contract.id, made.filled_shares) == (None, 0)
    assert put(engine, ada, limit_order(milli=100), "key").rested_shares == 1
    assert state(engine) == (0, 1)
    check(engine)


# --- being filled later


def test_a_resting_order_is_filled_in_the_trade_that_reaches_it(
    market: tuple[Engine, int, int, int],
) -> None:
    engine, contract, ada, bob = market
    place(engine, bob, order(shares=20), "bob")
    mine = put(engine, ada, limit_order(shares=8, milli=2000), "key")
    cash_before, hold_before, *_ = held(engine, contract, ada)
    sale = place(engine, bob, order(action=SELL, shares=12), "sale")
    # The limit of 2.0 papers lies at lead 0: the sale leaves 8 above it, and nothing to fill.
    assert (fills(engine)[-1][0], state(engine)) == (sale.order_id, (8, 1))
    sale = place(engine, bob, order(action=SELL, shares=8), "rest")
    assert state(engine) == (0, 1)
    short = place(engine, bob, order(Side.SHORT, shares=5), "short")
    assert (short.version_before, short.version_after) == (3, 4)
    assert fills(engine)[-1] == (mine.order_id, 5, True)
    cost = cost_of(MAKER, 0, 5, Side.LONG, 5)
    each = hold_each_units(MAKER, Side.LONG, 0)
    cash, hold, shares, _ = held(engine, contract, ada)
    assert (hold, shares) == (hold_before - 5 * each, 5)
    assert cash == cash_before + 5 * each - cost - fee_for(cost)
    assert state(engine) == (0, 1)
    check(engine)


def test_a_full_order_leaves_nothing_on_hold(market: tuple[Engine, int, int, int]) -> None:
    engine, contract, ada, bob = market
    put(engine, ada, limit_order(shares=7, milli=1900), "key")
    place(engine, bob, order(Side.SHORT, shares=200), "bob")
    assert held(engine, contract, ada)[1:3] == (0, 7)
    assert state(engine) == (-193, 0)
    check(engine)


def test_the_best_price_comes_first_and_then_the_older_order(engine: Engine) -> None:
    names = ("Ada", "Bob", "Eve", "Dan")
    _, (ada, bob, eve, dan) = transact(engine, lambda session: add_market(session, *names))
    low = put(engine, ada, limit_order(shares=5, milli=1900), "low")
    older = put(engine, bob, limit_order(shares=5, milli=1950), "older")
    newer = put(engine, eve, limit_order(shares=5, milli=1950), "newer")
    place(engine, dan, order(Side.SHORT, shares=150), "dan")
    assert fills(engine)[1:] == [
        (older.order_id, 5, True), (newer.order_id, 5, True), (low.order_id, 5, True),
    ]  # fmt: skip
    check(engine)


def test_each_is_filled_up_to_its_limit_and_no_further(engine: Engine) -> None:
    _, (ada, bob, eve) = transact(engine, lambda session: add_market(session, "Ada", "Bob", "Eve"))
    best = put(engine, ada, limit_order(shares=100, milli=1950), "best")
    behind = put(engine, bob, limit_order(shares=100, milli=1900), "behind")
    limit = limit_lead(MAKER, 1950, True)
    place(engine, eve, order(Side.SHORT, shares=-limit + 30), "eve")
    assert fills(engine)[1:] == [(best.order_id, 30, True)]
    assert state(engine) == (limit, 2)
    assert stored(engine, behind.order_id).open_shares == 100
    check(engine)


def test_two_orders_that_overlap_trade_back_and_forth_with_the_maker(engine: Engine) -> None:
    _, (ada, bob) = transact(engine, lambda session: add_market(session, "Ada", "Bob"))
    place(engine, bob, order(shares=50), "bob")
    seller = put(engine, bob, limit_order(action=SELL, shares=50, milli=2200), "seller")
    low = limit_lead(MAKER, 2200, False)
    buyer = put(engine, ada, limit_order(shares=170, milli=2300), "buyer")
    high = limit_lead(MAKER, 2300, True)
    width = high - low
    assert buyer.filled_shares == high - 50
    resting = fills(engine)[2:]
    assert [each[0] for each in resting[:4]] == [seller.order_id, buyer.order_id] * 2
    assert [each[1] for each in resting[:2]] == [width, width]
    lead, _ = state(engine)
    assert low <= lead <= high
    check(engine)


def test_a_transaction_fills_a_bounded_number_and_a_sweep_the_rest(engine: Engine) -> None:
    _, (ada, bob) = transact(engine, lambda session: add_market(session, "Ada", "Bob"))

    def many(session: Session) -> None:
        for number in range(MOST_STEPS + 10):
            place_limit(session, ada, limit_order(shares=1, milli=1900), f"{number}", NOW)

    transact(engine, many)
    place(engine, bob, order(Side.SHORT, shares=250), "bob")
    assert len(fills(engine)) == 1 + MOST_STEPS
    assert state(engine)[1] == 10
    check(engine)
    assert sweep(engine, NOW) == 10
    assert sweep(engine, NOW) == 0
    assert (len(fills(engine)), state(engine)[1]) == (MOST_STEPS + 11, 0)
    check(engine)


def test_what_was_left_over_is_filled_with_the_next_trade(engine: Engine) -> None:
    _, (ada, bob) = transact(engine, lambda session: add_market(session, "Ada", "Bob"))

    def many(session: Session) -> None:
        for number in range(MOST_STEPS + 5):
            place_limit(session, ada, limit_order(shares=1, milli=1900), f"{number}", NOW)

    transact(engine, many)
    place(engine, bob, order(Side.SHORT, shares=250), "bob")
    place(engine, bob, order(Side.SHORT, shares=1), "next")
    assert state(engine)[1] == 0
    check(engine)


# --- the end of an order


def test_cancelling_returns_exactly_what_is_left(market: tuple[Engine, int, int, int]) -> None:
    engine, contract, ada, bob = market
    mine = put(engine, ada, limit_order(shares=30, milli=1900), "key")
    place(engine, bob, order(Side.SHORT, shares=-limit_lead(MAKER, 1900, True) + 11), "bob")
    each = hold_each_units(MAKER, Side.LONG, limit_lead(MAKER, 1900, True))
    cash = held(engine, contract, ada)[0]
    assert cancel(engine, ada, mine.order_id) == CancelReceipt(mine.order_id, 19, 19 * each)
    assert held(engine, contract, ada) == (cash + 19 * each, 0, 11, 0)
    again = cancel(engine, ada, mine.order_id)
    assert again == CancelReceipt(mine.order_id, 19, 19 * each, is_repeat=True)
    assert cancel(engine, ada, mine.order_id, "another") == CancelReceipt(mine.order_id, 0, 0)
    assert (stored(engine, mine.order_id).ended_as, state(engine)[1]) == ("cancelled", 0)
    check(engine)


def test_cancelling_a_sale_returns_the_shares(market: tuple[Engine, int, int, int]) -> None:
    engine, contract, ada, _ = market
    place(engine, ada, order(shares=20), "first")
    mine = put(engine, ada, limit_order(action=SELL, shares=20, milli=3000), "key")
    assert held(engine, contract, ada)[2:] == (0, 20)
    assert cancel(engine, ada, mine.order_id).ended_shares == 20
    assert held(engine, contract, ada)[2:] == (20, 0)
    check(engine)


def test_only_the_owner_cancels(market: tuple[Engine, int, int, int]) -> None:
    engine, _, ada, bob = market
    mine = put(engine, ada, limit_order(shares=5, milli=1900), "key")
    bought = place(engine, ada, order(), "market")
    for trader, number in ((bob, mine.order_id), (ada, 999), (ada, bought.order_id)):
        with pytest.raises(UnknownOrder):
            cancel(engine, trader, number)
    with pytest.raises(InvalidKey):
        cancel(engine, ada, mine.order_id, "not a key")
    assert state(engine)[1] == 1


def test_a_cancellation_has_a_key_of_its_own(market: tuple[Engine, int, int, int]) -> None:
    engine, _, ada, _ = market
    one = put(engine, ada, limit_order(shares=5, milli=1900), "one")
    two = put(engine, ada, limit_order(shares=5, milli=1900), "two")
    cancel(engine, ada, one.order_id, "cancel")
    for key in ("cancel", "two"):
        with pytest.raises(KeyReused):
            cancel(engine, ada, two.order_id, key)
    assert state(engine)[1] == 1


def test_a_cancellation_s_key_is_no_order_s(market: tuple[Engine, int, int, int]) -> None:
    engine, _, ada, bob = market
    mine = put(engine, ada, limit_order(shares=5, milli=1900), "mine")
    cancel(engine, ada, mine.order_id, "cancel")
    with pytest.raises(KeyReused):
        place(engine, ada, order(), "cancel")
    with pytest.raises(KeyReused):
        put(engine, ada, limit_order(shares=5, milli=1900), "cancel")
    assert cancel(engine, ada, mine.order_id, "cancel").is_repeat
    assert place(engine, bob, order(), "cancel").is_filled  # somebody else's key is another one
    check(engine)


def test_an_expired_order_never_fills(market: tuple[Engine, int, int, int]) -> None:
    engine, contract, ada, bob = market
    later = NOW + timedelta(days=8)  # 25 May; a contract of June is still open
    request = limit_order(
        shares=5, milli=LOW, stands=Stands.UNTIL_DATE, until=date(2026, 5, 24), period="2026-W24"
    )
    mine = put(engine, ada, request, "key")
    place(engine, bob, order(Side.SHORT, shares=150, period="2026-W24"), "bob", now=later)
    assert (len(fills(engine)), stored(engine, mine.order_id).ended_as) == (1, "expired")
    with read_session(engine) as session:
        number = session.exec(select(Contract.id).where(Contract.period == "2026-W24")).one()
    assert number is not None
    assert held(engine, number, ada) == (GRANT_UNITS, 0, 0, 0)
    assert held(engine, contract, ada)[1] == 0
    check(engine)


def test_on_its_last_day_an_order_still_fills(market: tuple[Engine, int, int, int]) -> None:
    engine, _, ada, bob = market
    request = limit_order(shares=5, milli=1900, stands=Stands.UNTIL_DATE, until=DAY)
    mine = put(engine, ada, request, "key")
    place(engine, bob, order(Side.SHORT, shares=150), "bob", now=NOW + timedelta(hours=3, minutes=59))
    assert fills(engine)[-1][0] == mine.order_id


def test_a_date_as_far_as_the_calendar_goes_ends_with_the_contract(
    market: tuple[Engine, int, int, int],
) -> None:
    engine, _, ada, bob = market
    request = limit_order(shares=5, milli=1900, stands=Stands.UNTIL_DATE, until=date.max)
    mine = put(engine, ada, request, "key")
    place(engine, bob, order(Side.SHORT, shares=46), "bob")
    assert sweep(engine, DAY_AFTER) == 1
    assert stored(engine, mine.order_id).ended_as == "closed"
    check(engine)


def test_a_sweep_ends_what_is_over(market: tuple[Engine, int, int, int]) -> None:
    engine, contract, ada, _ = market
    dated = limit_order(
        shares=5, milli=LOW, stands=Stands.UNTIL_DATE, until=date(2026, 5, 18), period="2026-W22"
    )
    expired = put(engine, ada, dated, "dated")
    closed = put(engine, ada, limit_order(shares=5, milli=1900), "open")
    assert sweep(engine, NOW) == 0
    assert sweep(engine, DAY_AFTER) == 1
    assert sweep(engine, DAY_AFTER + timedelta(days=1)) == 1
    ends = [stored(engine, each.order_id).ended_as for each in (expired, closed)]
    assert ends == ["expired", "closed"]
    assert held(engine, contract, ada)[:2] == (GRANT_UNITS, 0)
    check(engine)


def test_settling_returns_what_no_sweep_did(market: tuple[Engine, int, int, int]) -> None:
    engine, contract, ada, bob = market
    place(engine, ada, order(shares=20), "first")
    put(engine, ada, limit_order(action=SELL, shares=15, milli=3000), "sale")
    put(engine, bob, limit_order(Side.SHORT, shares=15, milli=HALF_WAY), "buy")

    def work(session: Session) -> None:
        board, term = session.exec(select(Board)).one(), session.exec(select(Term)).one()
        add_paper(session, board, date(2026, 5, 20), [term])
        close_board_day(session, board, date(2026, 5, 20))
        assert settle_due(session, NOW + timedelta(days=11))[0].is_settled

    cash = held(engine, contract, ada)[0]
    transact(engine, work)
    assert held(engine, contract, ada) == (cash + 20 * 100, 0, 0, 0)
    assert held(engine, contract, bob, Side.SHORT) == (GRANT_UNITS, 0, 0, 0)
    assert state(engine)[1] == 0
    check(engine)


def test_an_own_order_the_other_way_ends_instead_of_trading(market: tuple[Engine, int, int, int]) -> None:
    engine, contract, ada, bob = market
    place(engine, ada, order(shares=20), "first")
    sale = put(engine, ada, limit_order(action=SELL, shares=10, milli=2100), "sale")
    others = put(engine, bob, limit_order(Side.SHORT, shares=3, milli=2100), "other")
    bought = place(engine, ada, order(shares=60), "buy")
    assert [each[0] for each in fills(engine)] == [1, bought.order_id, others.order_id]
    assert stored(engine, sale.order_id).ended_as == "crossed"
    assert held(engine, contract, ada)[2:] == (80, 0)
    # As far as it could reach, too: otherwise two resting orders of one owner would trade back and forth.
    second = put(engine, ada, limit_order(action=SELL, shares=10, milli=2600), "second")
    put(engine, ada, limit_order(shares=240, milli=3000), "third")
    assert stored(engine, second.order_id).ended_as == "crossed"
    check(engine)


# --- refusals


def test_all_or_nothing_at_once(market: tuple[Engine, int, int, int]) -> None:
    engine, contract, ada, _ = market
    refused = put(engine, ada, limit_order(shares=LEAD + 1, milli=HALF_WAY, stands=Stands.AT_ONCE), "key")
    assert (refused.is_taken, refused.reason) == (False, "NotFilledAtOnce")
    assert f"Only {LEAD:,} of the {LEAD + 1:,} shares" in refused.message
    assert held(engine, contract, ada) == (GRANT_UNITS, 0, 0, 0)
    taken = put(engine, ada, limit_order(shares=LEAD, milli=HALF_WAY, stands=Stands.AT_ONCE), "other")
    assert (taken.filled_shares, taken.rested_shares) == (LEAD, 0)
    check(engine)


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (limit_order(milli=15_990), "InvalidLimit"),
        (limit_order(action=SELL, shares=1), "InsufficientShares"),
        (limit_order(shares=MAKER.position_limit() + 1), "PositionLimit"),
        (limit_order(period="2026-W20"), "ContractClosed"),
        (limit_order(period="2026-W40"), "UnknownPeriod"),
        (limit_order(stands=Stands.UNTIL_DATE, until=date(2026, 5, 16)), "InvalidLimit"),
    ],
)
def test_what_is_refused_consumes_its_key(
    market: tuple[Engine, int, int, int], request_: LimitRequest, reason: str
) -> None:
    engine, contract, ada, _ = market
    refused = put(engine, ada, request_, "key")
    assert (refused.is_taken, refused.reason) == (False, reason)
    again = put(engine, ada, request_, "key")
    assert (again.is_repeat, again.message, again.order_id) == (True, refused.message, refused.order_id)
    assert held(engine, contract, ada) == (GRANT_UNITS, 0, 0, 0)
    assert cancel(engine, ada, refused.order_id).ended_shares == 0
    check(engine)


def test_credits_on_hold_are_not_spent_twice(market: tuple[Engine, int, int, int]) -> None:
    engine, contract, ada, _ = market
    alter = sa.text("UPDATE account SET balance = :units WHERE name = :name")
    each = hold_each_units(MAKER, Side.SHORT, LEAD_DOWN)
    poor = {"units": 10 * each, "name": trader_cash(ada).name}
    transact(engine, lambda session: session.execute(alter, poor))
    assert put(engine, ada, limit_order(Side.SHORT, shares=6, milli=HALF_WAY), "one").is_taken
    refused = put(engine, ada, limit_order(Side.SHORT, shares=5, milli=HALF_WAY), "two")
    assert (refused.reason, refused.is_taken) == ("InsufficientFunds", False)
    assert "set aside" in refused.message
    assert put(engine, ada, limit_order(Side.SHORT, shares=4, milli=HALF_WAY), "three").is_taken
    assert held(engine, contract, ada)[:2] == (0, 10 * each)


def test_the_position_limit_counts_what_rests(market: tuple[Engine, int, int, int]) -> None:
    engine, _, ada, _ = market
    limit = MAKER.position_limit()
    place(engine, ada, order(shares=10), "held")
    put(engine, ada, limit_order(shares=limit - 30, milli=1000), "resting")
    put(engine, ada, limit_order(action=SELL, shares=10, milli=5000), "sale")
    refused = place(engine, ada, order(shares=21), "too-many")
    assert refused.reason == "PositionLimit"
    assert f"your open orders count for {limit - 20:,} more" in refused.message
    assert put(engine, ada, limit_order(shares=21, milli=1000), "as-limit").reason == "PositionLimit"
    with read_session(engine) as session:
        made = quote(session, ada, order(shares=20), NOW)
    assert made.share_count == 20
    assert place(engine, ada, order(shares=20), "just-enough").is_filled


def test_shares_on_hold_cannot_be_sold_twice(market: tuple[Engine, int, int, int]) -> None:
    engine, _, ada, _ = market
    place(engine, ada, order(shares=10), "held")
    put(engine, ada, limit_order(action=SELL, shares=8, milli=5000), "sale")
    for receipt in (
        put(engine, ada, limit_order(action=SELL, shares=3, milli=5000), "again"),
        place(engine, ada, order(action=SELL, shares=3), "market"),
    ):
        assert receipt.reason == "InsufficientShares"
        assert receipt.message.startswith("You hold 2 LONG shares of this contract that no open order holds")
    assert place(engine, ada, order(action=SELL, shares=2), "rest").is_filled


def test_one_key_for_an_order_at_the_market_or_with_a_limit(market: tuple[Engine, int, int, int]) -> None:
    engine, _, ada, bob = market
    receipt = put(engine, ada, limit_order(shares=3), "key")
    again = put(engine, ada, limit_order(shares=3), "key")
    assert again == LimitReceipt(**{**_fields(receipt), "is_repeat": True})
    with pytest.raises(KeyReused):
        put(engine, ada, limit_order(shares=4), "key")
    with pytest.raises(KeyReused):
        place(engine, ada, order(shares=3), "key")
    place(engine, ada, order(), "other")
    with pytest.raises(KeyReused):
        put(engine, ada, limit_order(), "other")
    assert put(engine, bob, limit_order(shares=3), "key").is_taken
    with read_session(engine) as session:
        assert session.exec(select(sa.func.count()).select_from(Order)).one() == 3


def test_the_answer_stays_what_it_was_when_the_order_was_placed(
    market: tuple[Engine, int, int, int],
) -> None:
    engine, _, ada, bob = market
    request = limit_order(shares=LEAD + 30, milli=HALF_WAY)
    first = put(engine, ada, request, "key")
    place(engine, bob, order(Side.SHORT, shares=20), "bob")
    assert len(fills(engine)) == 3
    cancel(engine, ada, first.order_id)
    again = put(engine, ada, request, "key")
    assert again == LimitReceipt(**{**_fields(first), "is_repeat": True})


def test_a_trade_past_resting_orders_takes_few_statements(engine: Engine) -> None:
    """Whoever trades pays for the fills that follow, and for no order that is not reached."""
    _, (ada, bob) = transact(engine, lambda session: add_market(session, "Ada", "Bob"))

    def many(session: Session) -> None:
        for number in range(40):
            place_limit(session, ada, limit_order(shares=1, milli=1500), f"{number}", NOW)

    transact(engine, many)
    place(engine, bob, order(), "first")
    statements: list[str] = []
    sa.event.listen(engine, "before_cursor_execute", lambda *a: statements.append(a[2]))
    place(engine, bob, order(), "second")
    written = [each for each in statements if not each.startswith(("BEGIN", "SELECT"))]
    read = [each for each in statements if each.startswith("SELECT")]
    assert (len(written), len(read)) == (6, 8), statements  # both ways, and what is reserved


def _fields(receipt: LimitReceipt) -> dict[str, object]:
    return {name: getattr(receipt, name) for name in LimitReceipt.__slots__}
