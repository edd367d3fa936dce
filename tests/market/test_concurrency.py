"""Many at once: nothing lost, nothing double, no error, on both databases."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from functools import partial
from typing import TypeVar

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, SQLModel, select

from market.audit import verify
from market.db import ATTEMPTS, engine_for, is_retried, read_session, transact
from market.entries import pool_cash, trader_cash
from market.errors import KeyReused, NameTaken
from market.ledger import ACCOUNT, balances
from market.maker import Maker, Side
from market.orders import Receipt
from market.settlement import settle_due
from market.tables import Board, Contract, Entry, Fill, Order, Trader
from market.traders import open_trader
from market.trading import Action, OrderRequest, place_order
from nlp.tables import Term
from tests.market.factories import (
    NOW,
    add_board,
    add_market,
    add_paper,
    add_term,
    add_trader,
    close_board_day,
    order,
)

MAKER = Maker(16, 128, 875)
Result = TypeVar("Result")


def at_once(jobs: Sequence[Callable[[], Result]]) -> list[Result]:
    """Run the jobs in as many threads, all starting together; an error of any is raised."""
    barrier = threading.Barrier(len(jobs))

    def start(job: Callable[[], Result]) -> Result:
        barrier.wait()
        return job()

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(start, jobs))


def placing(
    engine: Engine, trader: int, request: OrderRequest, key: str, *, attempts: int = ATTEMPTS
) -> Callable[[], Receipt]:
    return lambda: transact(
        engine, lambda session: place_order(session, trader, request, key, NOW), attempts=attempts
    )


def sign_up(session: Session, number: int) -> list[int]:
    traders = [add_trader(session, f"Trader {each}") for each in range(number)]
    return [trader.id for trader in traders if trader.id is not None]


def check(engine: Engine) -> None:
    with read_session(engine) as session:
        assert verify(session).findings == ()


def count(engine: Engine, table: type[SQLModel]) -> int:
    with read_session(engine) as session:
        return session.exec(select(sa.func.count()).select_from(table)).one()


def test_ten_parallel_buys_of_one_share(engine: Engine) -> None:
    names = [f"Trader {number}" for number in range(10)]
    number, traders = transact(engine, lambda session: add_market(session, *names))
    receipts = at_once([placing(engine, trader, order(), "key") for trader in traders])
    assert sorted(receipt.version_after for receipt in receipts) == list(range(1, 11))
    assert sum(receipt.cost_units for receipt in receipts) == MAKER.potential(10, 0)
    with read_session(engine) as session:
        contract = session.get_one(Contract, number)
        assert (contract.long_shares, contract.short_shares, contract.state_version) == (10, 0, 10)
        pool = balances(session, [pool_cash(number)])[pool_cash(number)]
    assert pool == MAKER.subsidy_units() + MAKER.potential(10, 0)
    check(engine)


def test_selling_five_twice_at_once_while_holding_five(engine: Engine) -> None:
    _, (ada,) = transact(engine, lambda session: add_market(session, "Ada"))
    placing(engine, ada, order(shares=5), "buy")()
    sale = order(action=Action.SELL, shares=5)
    receipts = at_once([placing(engine, ada, sale, key) for key in ("one", "two")])
    assert sorted(receipt.reason for receipt in receipts) == ["", "InsufficientShares"]
    check(engine)


def test_a_double_clicked_order_trades_once(engine: Engine) -> None:
    _, (ada,) = transact(engine, lambda session: add_market(session, "Ada"))
    receipts = at_once([placing(engine, ada, order(shares=5), "key")] * 6)
    assert sorted(receipt.is_repeat for receipt in receipts) == [False] + [True] * 5
    assert len({(receipt.order_id, receipt.total_units, receipt.version_after) for receipt in receipts}) == 1
    assert (count(engine, Order), count(engine, Fill)) == (1, 1)
    check(engine)


def test_one_key_on_two_contracts_at_once_trades_once(engine: Engine) -> None:
    _, (ada,) = transact(engine, lambda session: add_market(session, "Ada"))

    def job(period: str) -> Callable[[], Receipt | None]:
        def place() -> Receipt | None:
            try:
                return placing(engine, ada, order(period=period), "key")()
            except KeyReused:
                return None

        return place

    receipts = at_once([job("2026-W21"), job("2026-W22")])
    assert [receipt is None for receipt in receipts].count(True) == 1
    assert count(engine, Fill) == 1
    check(engine)


def test_one_cash_account_spent_on_two_contracts_at_once(engine: Engine) -> None:
    _, (ada,) = transact(engine, lambda session: add_market(session, "Ada"))
    # Enough for one of the orders, not for both.
    spend = 40_000
    altered = sa.update(ACCOUNT).where(ACCOUNT.c.name == trader_cash(ada).name).values(balance=spend + 1_000)
    transact(engine, lambda session: session.execute(altered))
    requests = [order(spend=spend, period="2026-W21"), order(spend=spend, period="2026-W22")]
    receipts = at_once([placing(engine, ada, each, each.period) for each in requests])
    assert sorted(receipt.reason for receipt in receipts) == ["", "InsufficientFunds"]
    with read_session(engine) as session:
        assert 0 <= balances(session, [trader_cash(ada)])[trader_cash(ada)] < spend


def test_traders_who_open_one_contract_at_once_make_one(engine: Engine) -> None:
    def work(session: Session) -> list[int]:
        add_term(session, "diffusion model", add_board(session))
        return sign_up(session, 6)

    traders = transact(engine, work)
    receipts = at_once([placing(engine, trader, order(), "key") for trader in traders])
    assert all(receipt.is_filled for receipt in receipts)
    assert sorted(receipt.version_after for receipt in receipts) == list(range(1, 7))
    assert count(engine, Contract) == 1
    check(engine)


def test_contracts_opened_at_once_share_the_house(engine: Engine) -> None:
    def work(session: Session) -> list[int]:
        add_term(session, "diffusion model", add_board(session))
        return sign_up(session, 4)

    traders = transact(engine, work)
    jobs = [
        placing(engine, trader, order(period=f"2026-W2{week}"), "key")
        for week, trader in enumerate(traders, start=1)
    ]
    assert all(receipt.is_filled for receipt in at_once(jobs))
    assert count(engine, Contract) == 4
    check(engine)


def test_one_name_asked_for_at_once_goes_to_one(engine: Engine) -> None:
    def ask() -> bool:
        try:
            transact(engine, lambda session: open_trader(session, "Ada", "hash", NOW))
        except NameTaken:
            return False
        return True

    assert sorted(at_once([ask] * 4)) == [False, False, False, True]
    assert (count(engine, Trader), count(engine, Entry)) == (1, 1)
    check(engine)


def test_two_traders_crossing_on_two_contracts(engine: Engine) -> None:
    _, traders = transact(engine, lambda session: add_market(session, "Ada", "Bob"))
    weeks = ("2026-W21", "2026-W22")

    def batch(trader: int, requests: dict[str, OrderRequest], session: Session) -> int:
        return sum(place_order(session, trader, each, key, NOW).is_filled for key, each in requests.items())

    def job(trader: int, periods: Sequence[str]) -> Callable[[], int]:
        """Batches of two orders in one transaction, the contracts in this order: a deadlock in the making."""

        def batches() -> int:
            filled = 0
            for number in range(8):

                requests = {f"{number}-{period}": order(period=period) for period in periods}
                filled += transact(engine, partial(batch, trader, requests))
            return filled

        return batches

    assert at_once([job(traders[0], weeks), job(traders[1], weeks[::-1])]) == [16, 16]
    check(engine)


def test_single_orders_in_any_order_never_deadlock(postgresql_engine: Engine) -> None:
    names = [f"Trader {number}" for number in range(4)]
    _, traders = transact(postgresql_engine, lambda session: add_market(session, *names))

    def job(place: int, trader: int) -> Callable[[], None]:
        def orders() -> None:
            for number in range(12):
                side = list(Side)[(number // 4 + place) % 2]
                request = order(side, period=f"2026-W2{1 + (number + place) % 4}")
                # One attempt only: a deadlock would be raised.
                receipt = placing(postgresql_engine, trader, request, f"{number}", attempts=1)()
                assert receipt.is_filled

        return orders

    at_once([job(place, trader) for place, trader in enumerate(traders)])
    assert count(postgresql_engine, Fill) == 48
    check(postgresql_engine)


def test_settling_opening_and_signing_up_never_deadlock(postgresql_engine: Engine) -> None:
    later = NOW + timedelta(days=11)  # 2026-05-28: W21 is due, W23 to W26 are open

    def work(session: Session) -> list[int]:
        board = add_board(session)
        term = add_term(session, "diffusion model", board)
        # They sign up before the house has an account, so that theirs come first in the locking order.
        traders = sign_up(session, 4)
        for trader in traders:
            place_order(session, trader, order(shares=5), "first", NOW)
        add_paper(session, board, date(2026, 5, 20), [term])
        close_board_day(session, board, date(2026, 5, 20))
        return traders

    traders = transact(postgresql_engine, work)

    def settling() -> int:
        return len(transact(postgresql_engine, lambda session: settle_due(session, later), attempts=1))

    def opening(week: int, trader: int) -> Callable[[], int]:
        request = order(period=f"2026-W2{week}")
        place = partial(place_order, trader_id=trader, request=request, key="second", now=later)
        return lambda: transact(postgresql_engine, place, attempts=1).version_after

    def signing_up() -> int:
        trader = transact(postgresql_engine, lambda session: add_trader(session, "Newcomer"), attempts=1)
        return trader.id or 0

    jobs = [settling, signing_up, *(opening(week, trader) for week, trader in enumerate(traders, start=3))]
    assert at_once(jobs)[0] == 1
    assert count(postgresql_engine, Contract) == 5
    check(postgresql_engine)


def test_two_settlement_workers_settle_once(engine: Engine) -> None:
    later = NOW + timedelta(days=20)

    def work(session: Session) -> None:
        _, traders = add_market(session, "Ada", "Bob")
        for trader in traders:
            for week in (1, 2):
                place_order(session, trader, order(shares=5, period=f"2026-W2{week}"), f"{week}", NOW)
        board, term = session.exec(select(Board)).one(), session.exec(select(Term)).one()
        for day in (date(2026, 5, 20), date(2026, 5, 27)):
            add_paper(session, board, day, [term])
            close_board_day(session, board, day)

    transact(engine, work)
    outcomes = at_once([lambda: transact(engine, lambda session: settle_due(session, later))] * 3)
    settled_now = [each for found in outcomes for each in found if not each.was_settled]
    assert all(each.is_settled for each in settled_now)
    fresh = [each.contract_id for each in settled_now]
    assert len(fresh) == len(set(fresh)) == 2
    with read_session(engine) as session:
        settled = session.exec(select(Entry.contract_id).where(Entry.kind == "settle")).all()
    assert sorted(settled) == sorted(fresh)
    check(engine)


def test_the_audit_sees_one_moment_while_others_trade(engine: Engine) -> None:
    _, (ada, bob) = transact(engine, lambda session: add_market(session, "Ada", "Bob"))
    done = threading.Event()

    def trades(trader: int) -> None:
        number = 0
        while not done.is_set() and number < 300:
            number += 1
            placing(engine, trader, order(Side.LONG if number % 2 else Side.SHORT), f"{number}")()

    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(trades, trader) for trader in (ada, bob)]
        try:
            for _ in range(5):
                check(engine)
        finally:
            done.set()
        for each in running:
            each.result()


def test_twenty_threads_of_fifty_orders_on_sqlite(sqlite_url: str) -> None:
    engine = engine_for(sqlite_url)
    names = [f"Trader {number}" for number in range(20)]
    _, traders = transact(engine, lambda session: add_market(session, *names, f0="60"))

    def job(trader: int) -> Callable[[], int]:
        def orders() -> int:
            filled = 0
            for number in range(50):
                action = Action.SELL if number % 5 == 4 else Action.BUY
                filled += placing(engine, trader, order(action=action, shares=3), f"{number}")().is_filled
            return filled

        return orders

    assert at_once([job(trader) for trader in traders]) == [50] * 20
    check(engine)
    engine.dispose()


@pytest.fixture
def postgresql_engine(postgresql_url: str) -> Iterator[Engine]:
    engine = engine_for(postgresql_url)
    yield engine
    engine.dispose()


class Meeting:
    """Two transactions that wait for each other in the middle, each the first time it comes there."""

    def __init__(self) -> None:
        self.attempts: list[int] = []
        self._barrier = threading.Barrier(2)
        self._has_met = threading.local()

    def wait(self, trader: int) -> None:
        self.attempts.append(trader)
        if not getattr(self._has_met, "once", False):
            self._has_met.once = True
            self._barrier.wait(timeout=60)


def test_of_two_that_deadlock_one_is_run_again_and_both_trade(postgresql_engine: Engine) -> None:
    """40P01: each holds the contract that the other wants next."""
    _, traders = transact(postgresql_engine, lambda session: add_market(session, "Ada", "Bob"))
    weeks = ("2026-W21", "2026-W22")
    placing(postgresql_engine, traders[0], order(period=weeks[1]), "opens")()
    meeting = Meeting()

    def job(trader: int, first: str, second: str) -> Callable[[], bool]:
        def work(session: Session) -> bool:
            one = place_order(session, trader, order(period=first), "first", NOW)
            meeting.wait(trader)
            two = place_order(session, trader, order(period=second), "second", NOW)
            return one.is_filled and two.is_filled

        return lambda: transact(postgresql_engine, work)

    assert at_once([job(traders[0], *weeks), job(traders[1], *weeks[::-1])]) == [True, True]
    assert len(meeting.attempts) > 2
    assert count(postgresql_engine, Fill) == 5
    check(postgresql_engine)


def test_of_two_that_cannot_be_put_in_order_one_is_run_again_and_both_trade(
    postgresql_engine: Engine,
) -> None:
    """40001: both have seen the contract before either has traded it."""
    number, traders = transact(postgresql_engine, lambda session: add_market(session, "Ada", "Bob"))
    strict = postgresql_engine.execution_options(isolation_level="SERIALIZABLE")
    meeting = Meeting()

    def job(trader: int) -> Callable[[], Receipt]:
        def work(session: Session) -> Receipt:
            session.get_one(Contract, number)
            meeting.wait(trader)
            return place_order(session, trader, order(), "key", NOW)

        return lambda: transact(strict, work)

    receipts = at_once([job(trader) for trader in traders])
    assert sorted(receipt.version_after for receipt in receipts) == [1, 2]
    assert len(meeting.attempts) > 2
    check(postgresql_engine)


def test_who_may_not_try_again_is_told(postgresql_engine: Engine) -> None:
    number, traders = transact(postgresql_engine, lambda session: add_market(session, "Ada", "Bob"))
    strict = postgresql_engine.execution_options(isolation_level="SERIALIZABLE")
    meeting = Meeting()

    def job(trader: int) -> Callable[[], bool]:
        def work(session: Session) -> bool:
            session.get_one(Contract, number)
            meeting.wait(trader)
            return place_order(session, trader, order(), "key", NOW).is_filled

        def once() -> bool:
            try:
                return transact(strict, work, attempts=1)
            except OperationalError as error:
                if is_retried(error):
                    return False
                raise

        return once

    assert sorted(at_once([job(trader) for trader in traders])) == [False, True]
    assert count(postgresql_engine, Order) == 1
    check(postgresql_engine)
