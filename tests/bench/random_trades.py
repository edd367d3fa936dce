"""A market hour of random trades: python -m tests.bench.random_trades --database URL --traders 20 --hours 1

Traders buy and sell what they like, and also what must be refused: more than they hold, more than they can
pay, past a limit, in a closed period, a form sent twice. `peer-revenue verify` must find nothing afterwards.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from random import Random

from sqlalchemy import Engine
from sqlmodel import Session

from market.db import engine_for, read_session, transact
from market.errors import KeyReused
from market.maker import Side
from market.money import UNITS_PER_CREDIT
from market.orders import Action, OrderRequest
from market.robots.floor import Floor, floor_at
from market.robots.strategy import MarketView
from market.traders import find_trader, open_trader
from market.trading import place_order

START = datetime(2026, 5, 17, 20, 0, tzinfo=UTC)
ORDERS_PER_HOUR = 60  # of each trader
CLOSED_PERIOD = {"W": "2026-W20", "M": "2026-05"}


def trade_at_random(
    engine: Engine, *, traders: int, hours: float, seed: int, start: datetime = START
) -> Counter[str]:
    """Place the orders, each in its own transaction; how many were "filled", "repeated" or refused and why.

    Raises `ValueError` where no term can be traded.
    """
    chance = Random(seed)
    with read_session(engine) as session:
        floor = floor_at(session, start)
    if not floor.markets:
        raise ValueError("there is no listed term to trade; build the demonstration first")
    people = [_join(engine, f"Random trader {number}", start) for number in range(1, traders + 1)]
    order_count = round(traders * hours * ORDERS_PER_HOUR)
    outcomes: Counter[str] = Counter()
    sent: list[tuple[int, OrderRequest, str]] = []
    for number in range(order_count):
        now = start + timedelta(hours=hours) * (number / order_count)
        if sent and chance.random() < 0.03:
            trader, request, key = chance.choice(sent)
            if chance.random() < 0.3:
                request = _order(floor, chance)  # the key of another order
        else:
            trader, request, key = chance.choice(people), _order(floor, chance), f"random-{seed}-{number}"
            sent.append((trader, request, key))
        outcomes[_place(engine, trader, request, key, now)] += 1
    return outcomes


def _join(engine: Engine, name: str, now: datetime) -> int:
    def work(session: Session) -> int:
        trader = find_trader(session, name) or open_trader(session, name, "no password opens this", now)
        assert trader.id is not None
        return trader.id

    return transact(engine, work)


def _order(floor: Floor, chance: Random) -> OrderRequest:
    """Mostly sensible, now and then more than anyone has, past a limit or too late."""
    market = floor.glance(chance, 1)[0]
    side = chance.choice(list(Side))
    action = Action.BUY if chance.random() < 0.6 else Action.SELL
    by_credits = action is Action.BUY and chance.random() < 0.4
    shares = max(1, round(market.depth_shares * 10 ** chance.uniform(-3, -0.3)))
    spend = round(10 ** chance.uniform(0, 3.2) * UNITS_PER_CREDIT)
    limit = chance.randint(1, 40 * UNITS_PER_CREDIT) if chance.random() < 0.2 else None
    return OrderRequest(
        market.board, market.term, _period(market, chance), side, action,
        None if by_credits else shares, spend if by_credits else None, limit,
    )  # fmt: skip


def _period(market: MarketView, chance: Random) -> str:
    if chance.random() < 0.97:
        return market.period
    return CLOSED_PERIOD["W" if "W" in market.period else "M"]


def _place(engine: Engine, trader: int, request: OrderRequest, key: str, now: datetime) -> str:
    try:
        receipt = transact(engine, lambda session: place_order(session, trader, request, key, now))
    except KeyReused as error:
        return type(error).__name__
    if receipt.is_repeat:
        return "repeated"
    return "filled" if receipt.is_filled else receipt.reason


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--database", default="sqlite:///instance/demo.sqlite")
    parser.add_argument("--traders", type=int, default=20)
    parser.add_argument("--hours", type=float, default=1)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    engine = engine_for(given.database)
    began = time.perf_counter()
    outcomes = trade_at_random(engine, traders=given.traders, hours=given.hours, seed=given.seed)
    seconds = time.perf_counter() - began
    for outcome, count in outcomes.most_common():
        print(f"{outcome:24} {count:6,}")
    print(f"{outcomes.total():,} orders in {seconds:.1f} s, {outcomes.total() / seconds:,.0f} a second")
    engine.dispose()


if __name__ == "__main__":
    main()
