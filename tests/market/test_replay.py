"""The order log played again in memory: an honest one comes out the same, an altered one does not."""

from __future__ import annotations

from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import select

from market.audit import replay, verify
from market.audit.findings import Replayed
from market.db import read_session, transact
from market.entries import FEES, pool_cash, pool_fees, trader_cash, trader_hold
from market.errors import InsufficientFunds, InsufficientShares
from market.ledger import balances
from market.limits import LimitRequest
from market.maker import Side
from market.matching import EndedAs, Filled, Resting
from market.money import GRANT_UNITS
from market.orders import Action
from market.replay import ImpossibleEvent, Replay
from market.tables import Fill
from market.trading import place_order
from tests.market.factories import NOW, add_market, limit_order, order
from tests.market.histories import alter, some_history


@pytest.fixture
def market() -> Replay:
    """Trader 7 on contract 3, which expects two papers."""
    market = Replay()
    market.grant(7)
    market.open(3, 2000)
    return market


def test_an_honest_history_comes_out_the_same(engine: Engine) -> None:
    transact(engine, some_history)
    with read_session(engine) as session:
        fills = session.exec(select(sa.func.count()).select_from(Fill)).one()
    result = played(engine)
    assert result.findings == ()
    assert (result.order_count, result.contract_count) == (fills, 2)
    assert fills > 10


def test_trades_that_paid_their_fees_at_once_come_out_the_same(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it was before contracts gathered their fees; and then one that was opened then is traded on."""
    with monkeypatch.context() as past:
        for module in ("entries", "resting"):
            past.setattr(f"market.{module}.pool_fees", lambda contract_id: FEES)
        contract, (ada, bob) = transact(engine, lambda session: add_market(session, "Ada", "Bob"))
        transact(engine, lambda session: place_order(session, ada, order(shares=9), "before", NOW))
    transact(engine, lambda session: place_order(session, bob, order(shares=8), "after", NOW))
    with read_session(engine) as session:
        assert all(units > 0 for units in balances(session, [FEES, pool_fees(contract)]).values())
    with read_session(engine) as session:
        assert verify(session).findings == ()
    assert played(engine).findings == ()


def test_an_empty_market_has_nothing_to_play(engine: Engine) -> None:
    assert played(engine) == Replayed(0, 0, 0, ())


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE fill SET cost_units = cost_units + 1 WHERE order_id = {order}", "cost of order"),
        ("UPDATE fill SET fee_units = fee_units + 1 WHERE order_id = {order}", "fee of order"),
        ("UPDATE fill SET price_after_units = 1 WHERE order_id = {order}", "price after of order"),
        ("UPDATE contract SET long_shares = long_shares + 1 WHERE settled_at IS NULL", "stands at"),
        ("UPDATE contract SET forecast_milli = 9000 WHERE settled_at IS NULL", "cap, prior, depth"),
        ("UPDATE account SET balance = balance + 1 WHERE name = 'fees'", "fees hold"),
        ("DELETE FROM fill WHERE order_id = {order}", "without an order or a fill"),
        ("UPDATE limit_order SET forecast_milli = forecast_milli + 100", "instead of"),
        ("UPDATE limit_order SET open_shares = open_shares - 1 WHERE open_shares > 0", "shares to rest"),
        ("UPDATE limit_order SET open_shares = 0", "no share to rest instead of"),
        ("UPDATE limit_order SET ends_at = '2026-05-01 00:00:00.000000'", "instead of"),
        ("UPDATE entry SET memo = 'expired' WHERE memo = 'closed'", "cannot have expired"),
        ("UPDATE entry SET recorded_at = '2026-05-17 20:00:00.000000' WHERE memo = 'closed'", "cannot have"),
        ("UPDATE fill SET from_hold = 0", "from hold of order"),
        ("UPDATE fill SET share_count = share_count - 1 WHERE from_hold", "share of order"),
        ("UPDATE settlement_statement SET counted = counted + 1", "which the orders do not make"),
    ],
)
def test_what_was_altered_comes_out_otherwise(opened: Engine, statement: str, said: str) -> None:
    with read_session(opened) as session:
        filled = session.exec(select(sa.func.max(Fill.order_id))).one()
    alter(opened, statement.format(order=filled))
    assert any(said in finding.message for finding in played(opened).findings)


def test_costs_follow_from_the_orders_alone(market: Replay) -> None:
    bought = market.trade(7, 3, order(shares=20))
    sold = market.trade(7, 3, order(action=Action.SELL, shares=20))
    assert sold.quote.cost_units == -bought.quote.cost_units
    fees = bought.quote.fee_units + sold.quote.fee_units
    assert market.balances[trader_cash(7).name] == GRANT_UNITS - fees
    assert market.contracts[3].version == sold.version_after == 2


def test_a_settlement_pays_holders_and_empties_the_pool(market: Replay) -> None:
    market.trade(7, 3, order(shares=20))
    before = market.balances[trader_cash(7).name]
    market.settle(3, 5)
    paid = 20 * market.contracts[3].maker.payout_units(Side.LONG, 5)
    assert market.balances[trader_cash(7).name] == before + paid
    assert market.balances[pool_cash(3).name] == 0
    in_credits = [name for name in market.balances if "pos" not in name and "issued" not in name]
    assert sum(market.balances[name] for name in in_credits) == 0


def test_a_resting_order_is_filled_by_what_follows(market: Replay) -> None:
    market.grant(8)
    limit = limit_order(shares=5, milli=1900)
    placed = market.place_limit(resting(1, 7, limit), 3, limit, NOW)
    assert (placed.quote.trade, placed.following) == (None, ())
    hold = 5 * (placed.quote.hold_each_units or 0)
    assert market.balances[trader_hold(7).name] == hold > 0
    (step,) = market.trade(8, 3, order(Side.SHORT, shares=150), NOW).following
    assert isinstance(step, Filled)
    assert (step.order.order_id, step.trade.change) == (1, 5)
    assert market.balances[trader_hold(7).name] == 0
    assert market.balances[trader_cash(7).name] == GRANT_UNITS - step.trade.cost_units - step.trade.fee_units


def test_a_resting_order_ends_when_it_may(market: Replay) -> None:
    limit = limit_order(shares=5, milli=1900)
    for number in (1, 2):
        market.place_limit(resting(number, 7, limit), 3, limit, NOW)
    with pytest.raises(ImpossibleEvent, match="cannot have closed"):
        market.end(3, 1, EndedAs.CLOSED, NOW)
    market.end(3, 1, EndedAs.CANCELLED, NOW)
    with pytest.raises(ImpossibleEvent, match="does not rest"):
        market.end(3, 1, EndedAs.CANCELLED, NOW)
    with pytest.raises(ImpossibleEvent, match="is reached"):
        market.step(3, NOW)
    with pytest.raises(ImpossibleEvent, match="orders rest"):
        market.settle(3, 1)
    market.end(3, 2, EndedAs.CLOSED, NOW + timedelta(days=1))
    assert market.balances[trader_cash(7).name] == GRANT_UNITS
    market.settle(3, 1)


def resting(number: int, trader: int, request: LimitRequest) -> Resting:
    """Whose an order is and when it is over, as the order log has it."""
    end = NOW + timedelta(hours=4)
    return Resting(number, trader, "", request.side, request.action, 0, 0, None, end, EndedAs.CLOSED)


def test_what_could_not_have_happened_is_refused(market: Replay) -> None:
    with pytest.raises(InsufficientShares):
        market.trade(7, 3, order(action=Action.SELL, shares=1))
    with pytest.raises(InsufficientFunds):
        market.trade(8, 3, order(shares=1))
    for impossible in (
        lambda: market.grant(7),
        lambda: market.open(3, 2000),
        lambda: market.trade(7, 4, order(shares=1)),
        lambda: market.settle(4, 1),
    ):
        with pytest.raises(ImpossibleEvent):
            impossible()
    market.settle(3, 0)
    with pytest.raises(ImpossibleEvent):
        market.settle(3, 0)


def played(engine: Engine) -> Replayed:
    with read_session(engine) as session:
        return replay(session)
