"""What a past moment costs: python -m tests.bench.leaderboard [--traders 200] [--trades 100000]

The leaderboard's read on a SQLite file: every trader wants to be on it, each trade is five postings, and the
season began half way through them, so both moments lie in the past. The peer, in turn with it, is the sum of
the same traders' postings by account as one plain SQL statement. Also what counting volume costs, for the
term with most trades and for the whole board, and plainly counting the fills. "cpu" is the processor's time
alone, which other processes on the machine do not lengthen.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from random import Random

import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.db import engine_for, read_session, transact, upgrade
from market.maker import Side
from market.membership import set_membership
from market.orders import Action
from market.reads.equity import standings
from market.reads.volume import counted_trades
from market.tables import Board, Contract, Fill, Order, Trader
from market.trading import place_order
from tests.market.factories import NOW, add_board, add_term, add_trader, order

TERMS = 50
PERIODS = ("2026-W21", "2026-W22", "2026-W23", "2026-W24")
ORDERS_AT_ONCE = 500
Took = tuple[float, float]  # milliseconds: elapsed, and of the processor
HALF_WAY = NOW - timedelta(hours=1)
PLAIN = """
SELECT account.id, sum(amount) FROM account JOIN posting ON account_id = account.id
WHERE trader_id IS NOT NULL GROUP BY account.id
"""


def fill(engine: Engine, traders: int, trades: int) -> None:
    """So many filled orders of people who want to be on the leaderboard, half of them before `HALF_WAY`."""

    def people(session: Session) -> None:
        board = add_board(session)
        for number in range(TERMS):
            add_term(session, f"term {number}", board)
        for number in range(traders):
            trader = add_trader(session, f"Trader {number}")
            trader.joined_at = NOW
            assert trader.id is not None
            set_membership(session, trader.id, True, NOW)

    transact(engine, people)
    chance, done = Random(1), 0
    while done < trades:
        done += transact(engine, partial(_orders, chance=chance, done=done, trades=trades, traders=traders))


def _orders(session: Session, chance: Random, done: int, trades: int, traders: int) -> int:
    at = HALF_WAY - timedelta(minutes=1) if done < trades // 2 else HALF_WAY + timedelta(minutes=1)
    filled = 0
    for number in range(ORDERS_AT_ONCE):
        asked = order(
            chance.choice(list(Side)), chance.choice([Action.BUY, Action.BUY, Action.SELL]),
            chance.randint(1, 5), period=chance.choice(PERIODS),
            term=f"term-{min(int(chance.paretovariate(0.7)) - 1, TERMS - 1)}",
        )  # fmt: skip
        key = f"{done}-{number}"
        filled += place_order(session, chance.randint(1, traders), asked, key, at).is_filled
    return filled


def busiest(session: Session) -> int:
    """The term with most trades."""
    by_trades = sa.select(col(Contract.term_id)).join(Fill, col(Fill.contract_id) == Contract.id)
    first = by_trades.group_by(col(Contract.term_id)).order_by(sa.func.count().desc()).limit(1)
    return int(session.execute(first).scalar_one())


def works(session: Session) -> dict[str, Callable[[], object]]:
    """What is measured, by name; the peer of each comes after it."""
    board = session.exec(select(Board)).one()
    term = col(Contract.term_id) == busiest(session)
    fills = sa.select(sa.func.count()).select_from(Fill).join(Order, col(Order.id) == Fill.order_id)
    everybody = sa.select(col(Trader.id))
    later = NOW + timedelta(hours=1)
    return {
        "leaderboard, both moments": partial(standings, session, everybody, HALF_WAY, later),
        "plain sum of the postings": lambda: session.execute(sa.text(PLAIN)).all(),
        "volume of the busiest term": partial(counted_trades, session, board, term),
        "volume of the board": partial(counted_trades, session, board),
        "plain count of the fills": lambda: session.execute(fills).all(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--traders", type=int, default=200)
    parser.add_argument("--trades", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        engine = engine_for(f"sqlite:///{Path(folder) / 'market.sqlite'}")
        upgrade(engine)
        fill(engine, given.traders, given.trades)
        times: dict[str, list[Took]] = {}
        with read_session(engine) as session:
            for _ in range(given.rounds):
                for name, work in works(session).items():
                    began, cpu_began = time.perf_counter(), time.process_time()
                    work()
                    elapsed, cpu = time.perf_counter() - began, time.process_time() - cpu_began
                    times.setdefault(name, []).append((elapsed * 1000, cpu * 1000))
            count = session.scalar(sa.select(sa.func.count()).select_from(Fill))
        engine.dispose()
    print(f"{given.traders:,} traders, {count:,} trades of {TERMS} terms; medians of {given.rounds}")
    peer = statistics.median(cpu for _, cpu in times["plain sum of the postings"])
    for name, some in times.items():
        elapsed, cpu = (statistics.median(each) for each in zip(*some, strict=True))
        print(f"{name:28} {elapsed:9.1f} ms, cpu {cpu:8.1f} ms, {cpu / peer:6.2f} x the plain sum")


if __name__ == "__main__":
    main()
