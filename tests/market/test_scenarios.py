"""What went wrong in public at systems of this kind, each as a test of its own name.

Those that lie closer to one module are in its tests; `ELSEWHERE` says where, and they are looked for there.
"""

from __future__ import annotations

import importlib
from datetime import UTC, date, datetime, timedelta
from functools import partial

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, select

from market.audit import replay, verify
from market.db import read_session, transact
from market.entries import share_hold, trader_cash, trader_hold, trader_position
from market.ledger import balances
from market.limit_trading import place_limit
from market.limits import Stands, hold_each_units, limit_lead
from market.maker import Maker, Side
from market.orders import Action, LimitReceipt, OrderRequest, Receipt
from market.tables import LimitOrder
from market.trading import place_order
from tests.market.factories import (
    NOW,
    add_board,
    add_market,
    add_term,
    add_trader,
    limit_order,
    order,
)
from tests.market.test_concurrency import at_once

MAKER = Maker(16, 128, 875)  # of a contract that expects two papers
ELSEWHERE = {
    "ten parallel buys of one share": "test_concurrency.test_ten_parallel_buys_of_one_share",
    "sell 5 twice at once holding 5": "test_concurrency.test_selling_five_twice_at_once_while_holding_five",
    "quantity -5, -0, true, 1.0, １": "test_limits.test_shares_are_a_whole_number",
    "a hair off the solvency boundary":
        "test_pricing.test_a_pool_that_just_covers_the_payout_is_solvent_and_one_unit_less_is_not",
    "1000 one-share round trips": "test_trading.test_a_thousand_one_share_round_trips_lose_exactly_the_fees",
    "the ingest fails at day close":
        "test_settlement.test_settlement_waits_while_a_listed_day_is_open_then_runs_once",
    "the same key twice in one batch": "test_trading.test_the_same_key_twice_in_one_batch_trades_once",
    "two traders with the same key": "test_trading.test_two_traders_with_the_same_key_both_trade",
    "rebuild projections twice": "test_activity.test_a_rebuild_gives_the_counts_of_the_days",
    "rename a term with open positions": "test_term_changes.test_rename_a_term_with_open_positions",
    "a bought-then-voided contract": "test_corrections.test_a_bought_then_voided_contract",
    "ten new accounts buy one term": "test_trading.test_ten_new_accounts_buy_one_term",
}  # fmt: skip


@pytest.mark.parametrize("scenario", ELSEWHERE)
def test_the_scenario_is_tested_elsewhere(scenario: str) -> None:
    module, name = ELSEWHERE[scenario].split(".")
    assert callable(getattr(importlib.import_module(f"tests.market.{module}"), name))


def test_two_limit_orders_of_100_by_an_owner_with_100_and_two_takers_at_once(engine: Engine) -> None:
    contract, (owner, bob, eve) = transact(
        engine, lambda session: add_market(session, "Owner", "Bob", "Eve")
    )
    place(engine, owner, order(shares=100), "shares")
    sale = limit_order(action=Action.SELL, shares=100, milli=2500)
    taken = [put(engine, owner, sale, key).is_taken for key in ("one", "two")]
    assert taken == [True, False]
    at_once([partial(place, engine, each, order(shares=300), "take") for each in (bob, eve)])
    accounts = (trader_position(owner, contract, Side.LONG), share_hold(owner, contract, Side.LONG))
    with read_session(engine) as session:
        assert set(balances(session, accounts).values()) == {0}
        assert session.exec(select(LimitOrder.open_shares)).all() == [0, 0]
    check(engine)


def test_two_limit_orders_of_100_by_an_owner_with_cash_for_100(engine: Engine) -> None:
    _, (owner, bob, eve) = transact(engine, lambda session: add_market(session, "Owner", "Bob", "Eve"))
    each = hold_each_units(MAKER, Side.LONG, limit_lead(MAKER, 1900, True))
    transact(engine, partial(_leave, trader=owner, units=100 * each))
    buy = limit_order(shares=100, milli=1900)
    assert [put(engine, owner, buy, key).is_taken for key in ("one", "two")] == [True, False]
    at_once([partial(place, engine, taker, order(Side.SHORT, shares=300), "take") for taker in (bob, eve)])
    accounts = (trader_cash(owner), trader_hold(owner))
    with read_session(engine) as session:
        found = balances(session, accounts)
    assert found[trader_hold(owner)] == 0
    assert 0 <= found[trader_cash(owner)] < 100 * each


def test_place_a_limit_spend_the_cash_then_fill(engine: Engine) -> None:
    contract, (ada, bob) = transact(engine, lambda session: add_market(session, "Ada", "Bob"))
    each = hold_each_units(MAKER, Side.LONG, limit_lead(MAKER, 1900, True))
    transact(engine, partial(_leave, trader=ada, units=50 * each + 30_000))
    assert put(engine, ada, limit_order(shares=50, milli=1900), "limit").rested_shares == 50
    assert place(engine, ada, order(spend=31_000), "too-much").reason == "InsufficientFunds"
    spent = place(engine, ada, order(spend=30_000), "all")
    assert spent.is_filled
    place(engine, bob, order(Side.SHORT, shares=320), "take")
    accounts = (trader_cash(ada), trader_hold(ada), trader_position(ada, contract, Side.LONG))
    with read_session(engine) as session:
        cash, hold, shares = balances(session, accounts).values()
    assert (hold, shares) == (0, spent.share_count + 50)
    assert 0 <= cash < 50 * each


def _leave(session: Session, trader: int, units: int) -> None:
    """Let the trader have no more cash than that."""
    poor = sa.text("UPDATE account SET balance = :units WHERE name = :name")
    session.execute(poor, {"units": units, "name": trader_cash(trader).name})


@pytest.mark.parametrize(
    ("last_day", "hours"), [(date(2026, 3, 29), 23), (date(2026, 10, 25), 25)], ids=["23 hours", "25 hours"]
)
def test_day_close_on_days_of_23_and_25_hours(engine: Engine, last_day: date, hours: int) -> None:
    """An order stands until its board's midnight, and until then the contract is traded."""

    def market(session: Session) -> int:
        add_term(session, "diffusion model", add_board(session, time_zone="Europe/Berlin"))
        trader = add_trader(session).id
        assert trader is not None
        return trader

    ada = transact(engine, market)
    offset = 1 if hours == 23 else 2  # Berlin's, in the morning
    begin = datetime(last_day.year, last_day.month, last_day.day, tzinfo=UTC) - timedelta(hours=offset)
    end = begin + timedelta(hours=hours)
    period = (last_day + timedelta(days=1)).strftime("%G-W%V")
    dated = limit_order(milli=100, stands=Stands.UNTIL_DATE, until=last_day, period=period)
    assert put(engine, ada, dated, "dated", begin).is_taken
    with read_session(engine) as session:
        assert session.exec(select(LimitOrder.ends_at)).one() == end
    assert place(engine, ada, order(period=period), "last", end - timedelta(seconds=1)).is_filled
    assert place(engine, ada, order(period=period), "late", end).reason == "ContractClosed"
    assert put(engine, ada, dated, "late-limit", end).reason == "ContractClosed"


def place(
    engine: Engine, trader: int, request: OrderRequest, key: str, now: datetime = NOW
) -> Receipt:
    return transact(engine, lambda session: place_order(session, trader, request, key, now))


def put(engine: Engine, trader: int, request: object, key: str, now: datetime = NOW) -> LimitReceipt:
    return transact(engine, lambda session: place_limit(session, trader, request, key, now))  # type: ignore[arg-type]


def check(engine: Engine) -> None:
    for audit in (verify, replay):
        with read_session(engine) as session:
            assert audit(session).findings == ()
