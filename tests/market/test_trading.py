"""Quotes and orders: what is filled, what is refused, and that nothing happens twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, select

from market.activity import count_days
from market.audit import verify
from market.db import read_session, transact, write_session
from market.entries import pool_cash, pool_fees, trader_cash, trader_position
from market.errors import (
    ContractClosed,
    Insolvent,
    InsufficientShares,
    KeyReused,
    UnknownBoard,
    UnknownPeriod,
    UnknownTerm,
)
from market.forecasts import opening_forecast
from market.ledger import ACCOUNT, balances
from market.maker import Maker, Side, fee_for
from market.money import GRANT_UNITS
from market.orders import InvalidKey, Quote, Receipt
from market.tables import Account, Board, Contract, Entry, Fill, Listing, Order, Posting
from market.trading import Action, OrderRequest, place_order, quote
from tests.market.factories import NOW, add_board, add_market, add_paper, add_term, add_trader, order

MAKER = Maker(16, 128, 875)
SELL = Action.SELL


def place(engine: Engine, trader: int, request: OrderRequest, key: str = "key", **at: Any) -> Receipt:
    now = at.get("now", NOW)
    return transact(engine, lambda session: place_order(session, trader, request, key, now))


def ask(engine: Engine, trader: int | None, request: OrderRequest, now: Any = NOW) -> Quote:
    with read_session(engine) as session:
        return quote(session, trader, request, now)


def check(engine: Engine) -> None:
    with read_session(engine) as session:
        assert verify(session).findings == ()


def row_counts(engine: Engine) -> dict[str, int]:
    tables = (Account, Contract, Entry, Posting, Fill, Order)
    with read_session(engine) as session:
        return {
            table.__name__: session.exec(select(sa.func.count()).select_from(table)).one() for table in tables
        }


def test_a_buy_does_what_its_quote_said(engine: Engine) -> None:
    number, (ada,) = transact(engine, lambda session: add_market(session, "Ada"))
    quoted = ask(engine, ada, order(shares=100))
    receipt = place(engine, ada, order(shares=100, limit=quoted.total_units))
    assert receipt.is_filled
    assert (receipt.share_count, receipt.cost_units, receipt.fee_units, receipt.total_units) == (
        quoted.share_count, quoted.cost_units, quoted.fee_units, quoted.total_units,
    )  # fmt: skip
    assert (receipt.price_before_units, receipt.price_after_units) == (200, quoted.price_after_units)
    assert (receipt.version_before, receipt.version_after) == (quoted.state_version, 1)
    cash, position = trader_cash(ada), trader_position(ada, number, Side.LONG)
    with read_session(engine) as session:
        found = balances(session, [cash, position, pool_cash(number), pool_fees(number)])
    assert found == {
        cash: GRANT_UNITS - receipt.total_units,
        position: 100,
        pool_cash(number): MAKER.subsidy_units() + MAKER.potential(100, 0),
        pool_fees(number): receipt.fee_units,
    }
    after = ask(engine, ada, order(shares=1))
    assert (after.state_version, after.held_shares, after.cash_units) == (1, 100, found[cash])
    check(engine)


def test_a_quote_writes_nothing(engine: Engine) -> None:
    _, (ada,) = transact(engine, lambda session: add_market(session, "Ada"))
    before = row_counts(engine)
    for period in ("2026-W21", "2026-W22"):
        for trader in (ada, None):
            assert ask(engine, trader, order(period=period)).term_label == "diffusion model"
    assert row_counts(engine) == before


def test_the_first_trade_opens_the_contract_at_the_plain_forecast(engine: Engine) -> None:
    def work(session: Session) -> int:
        board = add_board(session)
        term = add_term(session, "diffusion model", board)
        days = (date(2026, 5, 5), date(2026, 5, 12))
        for day in (days[0], days[0], days[1], days[1], days[1]):
            add_paper(session, board, day, [term])
        assert board.id is not None
        count_days(session, board.id, days, NOW)
        trader = add_trader(session).id
        assert trader is not None
        return trader

    ada = transact(engine, work)
    quoted = ask(engine, ada, order(shares=10))
    assert row_counts(engine)["Contract"] == 0
    receipt = place(engine, ada, order(shares=10))
    assert (receipt.version_before, receipt.total_units) == (0, quoted.total_units)
    assert receipt.price_before_units == quoted.price_before_units
    with read_session(engine) as session:
        contract, board = session.exec(select(Contract)).one(), session.exec(select(Board)).one()
        plain = opening_forecast(session, board, contract.term_id, date(2026, 5, 17))
    assert contract.forecast_milli == plain * 1000
    assert quoted.forecast_before_milli == pytest.approx(contract.forecast_milli, rel=0.01)
    check(engine)


def test_a_refused_first_order_opens_nothing(engine: Engine) -> None:
    _, (ada,) = transact(engine, lambda session: add_market(session, "Ada"))
    before = row_counts(engine)
    receipt = place(engine, ada, order(shares=2**39, period="2026-W23"))
    assert (receipt.is_filled, receipt.reason) == (False, "PositionLimit")
    assert row_counts(engine) == {**before, "Order": 1}
    check(engine)


REFUSED: list[tuple[OrderRequest, str]] = [
    (order(shares=330), "PositionLimit"),
    (order(action=SELL), "InsufficientShares"),
    (order(Side.SHORT, SELL), "InsufficientShares"),
    (order(spend=1), "InvalidAmount"),
    (order(shares=10, limit=100), "PriceMoved"),
    (order(period="2026-W25"), "UnknownPeriod"),
    (order(period="2026-06"), "UnknownPeriod"),
    (order(period="2026-W20"), "ContractClosed"),
    (order(period="2025-W01"), "ContractClosed"),
]


@pytest.mark.parametrize(("request_", "reason"), REFUSED)
def test_a_refused_order_writes_only_its_own_row(engine: Engine, request_: OrderRequest, reason: str) -> None:
    _, (ada,) = transact(engine, lambda session: add_market(session, "Ada"))
    before = row_counts(engine)
    receipt = place(engine, ada, request_)
    assert (receipt.is_filled, receipt.reason) == (False, reason)
    assert receipt.message.endswith(".")
    assert row_counts(engine) == {**before, "Order": 1}
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the quote is refused for the same reason
        ask(engine, ada, request_)
    assert type(caught.value).__name__ == reason
    # The key is spent, and gets the same answer.
    again = place(engine, ada, request_)
    assert again == replace(receipt, is_repeat=True)
    check(engine)


def test_an_order_that_costs_more_than_the_cash_is_refused(engine: Engine) -> None:
    _, (ada,) = transact(engine, lambda session: add_market(session, "Ada", f0="500"))
    with write_session(engine) as session:
        cash = trader_cash(ada).name
        session.execute(sa.update(ACCOUNT).where(ACCOUNT.c.name == cash).values(balance=60_000))
        session.commit()
    receipt = place(engine, ada, order(shares=2))
    assert receipt.reason == "InsufficientFunds"
    assert receipt.message.startswith("You have 6.00 credits, and this order takes 10.")


def test_unknown_boards_and_terms_are_raised_and_spend_no_key(engine: Engine) -> None:
    _, (ada,) = transact(engine, lambda session: add_market(session, "Ada"))
    with pytest.raises(UnknownTerm):
        place(engine, ada, order(term="no-such-term"))
    with pytest.raises(UnknownBoard):
        place(engine, ada, replace(order(), board="cs.XX"))
    with pytest.raises(InvalidKey):
        place(engine, ada, order(), "not a key")
    with pytest.raises(IntegrityError):
        place(engine, 999, order())
    assert place(engine, ada, order()).is_filled


def test_a_delisted_term_trades_on_in_open_contracts_only(engine: Engine) -> None:
    _, (ada,) = transact(engine, lambda session: add_market(session, "Ada"))
    place(engine, ada, order(shares=5), "before")

    def delist(session: Session) -> None:
        session.exec(select(Listing)).one().status = "delisted"

    transact(engine, delist)
    assert place(engine, ada, order(action=SELL, shares=5), "open").is_filled
    receipt = place(engine, ada, order(period="2026-W22"), "new")
    assert (receipt.reason, receipt.is_filled) == ("UnknownPeriod", False)
    assert "no longer listed" in receipt.message


def test_nobody_trades_once_the_period_has_begun(engine: Engine) -> None:
    _, (ada,) = transact(engine, lambda session: add_market(session, "Ada"))
    monday = NOW + timedelta(hours=4)
    with pytest.raises(ContractClosed):
        ask(engine, ada, order(), monday)
    assert place(engine, ada, order(), now=monday).reason == "ContractClosed"
    assert ask(engine, ada, order(period="2026-W25"), monday).cap >= 16
    with pytest.raises(UnknownPeriod, match="2026-W22, 2026-W23, 2026-W24, 2026-W25"):
        ask(engine, ada, order(period="2026-W26"), monday)


def test_the_board_s_own_midnight_closes_its_contracts(engine: Engine) -> None:
    def work(session: Session) -> int:
        board = add_board(session, time_zone="America/New_York")
        add_term(session, "diffusion model", board)
        trader = add_trader(session).id
        assert trader is not None
        return trader

    ada = transact(engine, work)
    assert place(engine, ada, order(), "utc-midnight", now=NOW + timedelta(hours=7)).is_filled
    assert place(engine, ada, order(), "midnight", now=NOW + timedelta(hours=8)).reason == "ContractClosed"


def test_a_guest_gets_a_quote_and_no_limits_of_cash(engine: Engine) -> None:
    transact(engine, lambda session: add_market(session))
    assert ask(engine, None, order(shares=300)).cash_units is None
    with pytest.raises(InsufficientShares):
        ask(engine, None, order(action=SELL))


def test_quote_then_somebody_else_trades_then_confirm(engine: Engine) -> None:
    _, (ada, bob) = transact(engine, lambda session: add_market(session, "Ada", "Bob"))
    quoted = ask(engine, ada, order(shares=100))
    assert place(engine, bob, order(shares=200)).is_filled
    strict = place(engine, ada, order(shares=100, limit=quoted.total_units), "strict")
    assert (strict.is_filled, strict.reason) == (False, "PriceMoved")
    loose = place(engine, ada, order(shares=100, limit=2 * quoted.total_units), "loose")
    assert loose.is_filled
    assert quoted.total_units < loose.total_units <= 2 * quoted.total_units
    check(engine)


def test_a_thousand_one_share_round_trips_lose_exactly_the_fees(engine: Engine) -> None:
    number, (ada,) = transact(engine, lambda session: add_market(session, "Ada"))

    def trips(session: Session) -> int:
        fees = 0
        for trip in range(1000):
            fees += place_order(session, ada, order(), f"buy-{trip}", NOW).fee_units
            fees += place_order(session, ada, order(action=SELL), f"sell-{trip}", NOW).fee_units
        return fees

    fees = transact(engine, trips)
    assert fees == 2000 * fee_for(MAKER.potential(1, 0))
    with read_session(engine) as session:
        found = balances(session, [trader_cash(ada), pool_fees(number), pool_cash(number)])
    assert list(found.values()) == [GRANT_UNITS - fees, fees, MAKER.subsidy_units()]
    check(engine)


def test_the_same_key_twice_in_one_batch_trades_once(engine: Engine) -> None:
    _, (ada,) = transact(engine, lambda session: add_market(session, "Ada"))

    def batch(session: Session) -> list[Receipt]:
        return [place_order(session, ada, order(shares=5), "key", NOW) for _ in range(2)]

    first, second = transact(engine, batch)
    assert second == replace(first, is_repeat=True)
    assert row_counts(engine)["Fill"] == 1
    check(engine)


def test_the_same_key_with_another_order_is_refused(engine: Engine) -> None:
    _, (ada,) = transact(engine, lambda session: add_market(session, "Ada"))
    place(engine, ada, order(shares=5))
    for other in (order(shares=6), order(Side.SHORT, shares=5), order(shares=5, limit=10**6), order(spend=5)):
        with pytest.raises(KeyReused):
            place(engine, ada, other)
    assert row_counts(engine)["Order"] == 1


def test_two_traders_with_the_same_key_both_trade(engine: Engine) -> None:
    _, (ada, bob) = transact(engine, lambda session: add_market(session, "Ada", "Bob"))
    receipts = [place(engine, trader, order(shares=5)) for trader in (ada, bob)]
    assert [receipt.is_repeat for receipt in receipts] == [False, False]
    assert [receipt.version_after for receipt in receipts] == [1, 2]
    check(engine)


def test_a_repeat_after_the_close_still_gets_the_stored_answer(engine: Engine) -> None:
    _, (ada,) = transact(engine, lambda session: add_market(session, "Ada"))
    receipt = place(engine, ada, order(shares=5))
    again = place(engine, ada, order(shares=5), now=NOW + timedelta(days=2))
    assert again == replace(receipt, is_repeat=True)


def test_ten_new_accounts_buy_one_term(engine: Engine) -> None:
    names = [f"Newcomer {number}" for number in range(10)]
    number, traders = transact(engine, lambda session: add_market(session, *names))
    limit = MAKER.position_limit()
    paid = 0
    for trader in traders:
        assert place(engine, trader, order(shares=limit), "all").is_filled
        assert place(engine, trader, order(), "more").reason == "PositionLimit"
    with read_session(engine) as session:
        pool = balances(session, [pool_cash(number)])[pool_cash(number)]
        paid = pool - MAKER.subsidy_units()
        # Together they pay what moving the price so far costs, and the pool can pay them all.
        assert paid == MAKER.potential(10 * limit, 0)
        assert pool >= MAKER.solvent_units(10 * limit, 0)
    check(engine)


@pytest.mark.parametrize("change", [-1, 1])
def test_a_pool_that_is_off_by_one_unit_stops_the_trade(engine: Engine, change: int) -> None:
    number, (ada,) = transact(engine, lambda session: add_market(session, "Ada"))
    altered = sa.update(ACCOUNT).where(ACCOUNT.c.name == pool_cash(number).name)
    transact(engine, lambda session: session.execute(altered.values(balance=ACCOUNT.c.balance + change)))
    before = row_counts(engine)
    with pytest.raises(Insolvent):
        place(engine, ada, order(shares=5))
    assert row_counts(engine) == before  # not even the key is spent: it is our fault
