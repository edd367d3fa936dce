"""Many at once where orders rest: no deadlock, nothing lost, nothing double, on both databases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from random import Random

import pytest
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.audit import replay, verify
from market.cancelling import cancel_order
from market.db import engine_for, read_session, transact
from market.errors import KeyReused
from market.limit_trading import place_limit
from market.maker import Side
from market.orders import Action, CancelReceipt
from market.sweeping import contracts_to_sweep, sweep_contract
from market.tables import Account, LimitOrder
from market.trading import place_order
from tests.market.factories import NOW, add_market, limit_order, order
from tests.market.test_concurrency import at_once

PERIODS = ("2026-W21", "2026-W22", "2026-W23")


@pytest.fixture
def postgresql_engine(postgresql_url: str) -> Iterator[Engine]:
    engine = engine_for(postgresql_url)
    yield engine
    engine.dispose()


def check(engine: Engine) -> None:
    for audit in (verify, replay):
        with read_session(engine) as session:
            assert audit(session).findings == ()


def test_traders_whose_orders_fill_one_another_never_deadlock(postgresql_engine: Engine) -> None:
    """Each transaction moves the accounts of others too, found only under the contract's lock; three
    contracts, so that the same accounts are wanted from several sides at once."""
    names = [f"Trader {number}" for number in range(6)]
    _, traders = transact(postgresql_engine, lambda session: add_market(session, *names))

    def job(trader: int) -> Callable[[], int]:
        chance = Random(trader)

        def orders() -> int:
            done = 0
            for number in range(25):
                work = partial(_one_thing, chance=chance, trader=trader, key=f"{number}")
                transact(postgresql_engine, work, attempts=1)  # a deadlock would be raised
                done += 1
            return done

        return orders

    assert at_once([job(trader) for trader in traders]) == [25] * 6
    with read_session(postgresql_engine) as session:
        rested = session.exec(select(LimitOrder).where(LimitOrder.rested_shares > 0)).all()
    assert any(each.open_shares < each.rested_shares for each in rested)
    check(postgresql_engine)


def _one_thing(session: Session, chance: Random, trader: int, key: str) -> None:
    period, side = chance.choice(PERIODS), chance.choice(list(Side))
    kind = chance.random()
    if kind < 0.5:
        milli = chance.randint(420, 580) if period != PERIODS[0] else chance.randint(1700, 2300)
        request = limit_order(side, Action.BUY, chance.randint(1, 20), milli, period=period)
        place_limit(session, trader, request, key, NOW)
    elif kind < 0.6:
        for number in contracts_to_sweep(session, NOW)[:1]:
            sweep_contract(session, number, NOW)
    else:
        action = chance.choice([Action.BUY, Action.BUY, Action.SELL])
        place_order(session, trader, order(side, action, chance.randint(1, 60), period=period), key, NOW)


def test_a_cancellation_and_a_fill_at_once_share_the_order(engine: Engine) -> None:
    """Whichever comes first: the order's shares are filled or returned, each of them once."""
    _, (ada, bob) = transact(engine, lambda session: add_market(session, "Ada", "Bob"))
    for number in range(6):
        request = limit_order(shares=9, milli=2000)
        mine = transact(engine, partial(_put, trader=ada, request=request, key=f"{number}"))

        def cancelling(number: int = number, mine: int = mine) -> CancelReceipt:
            return transact(engine, lambda session: cancel_order(session, ada, mine, f"cancel-{number}", NOW))

        def selling(number: int = number) -> int:
            request = order(Side.SHORT, shares=40)
            work = partial(place_order, trader_id=bob, request=request, key=f"{number}", now=NOW)
            return transact(engine, work).share_count

        cancelled, _ = at_once([cancelling, selling])
        assert isinstance(cancelled, CancelReceipt)
        with read_session(engine) as session:
            order_ = session.get_one(LimitOrder, mine)
        assert (order_.open_shares, order_.ended_shares) == (0, cancelled.ended_shares)
        check(engine)
        back = order(Side.LONG, shares=40)
        transact(engine, partial(place_order, trader_id=bob, request=back, key=f"b{number}", now=NOW))
    with read_session(engine) as session:
        holds = session.exec(select(Account.balance).where(col(Account.name).like("%:hold"))).all()
    assert holds == [0]


def _put(session: Session, trader: int, request: object, key: str) -> int:
    return place_limit(session, trader, request, key, NOW).order_id  # type: ignore[arg-type]


def test_one_key_cancels_once_however_often_at_once(engine: Engine) -> None:
    _, (ada,) = transact(engine, lambda session: add_market(session, "Ada"))
    mine = transact(engine, partial(_put, trader=ada, request=limit_order(shares=9, milli=1900), key="key"))

    def cancelling() -> CancelReceipt:
        return transact(engine, lambda session: cancel_order(session, ada, mine, "cancel", NOW))

    receipts = at_once([cancelling] * 4)
    assert sorted(each.is_repeat for each in receipts) == [False, True, True, True]
    assert {each.ended_shares for each in receipts} == {9}
    check(engine)


def test_one_key_for_an_order_and_a_cancellation_at_once_does_one_of_them(engine: Engine) -> None:
    """On two contracts, so that no lock of a contract keeps them apart."""
    _, (ada,) = transact(engine, lambda session: add_market(session, "Ada"))
    done = []
    for number in range(8):
        request = limit_order(shares=9, milli=1900)
        mine = transact(engine, partial(_put, trader=ada, request=request, key=f"limit-{number}"))
        both = (
            partial(cancel_order, trader_id=ada, order_id=mine, key=f"{number}", now=NOW),
            partial(place_order, trader_id=ada, request=order(period=PERIODS[1]), key=f"{number}", now=NOW),
        )
        done.append(sum(at_once([partial(_unless_reused, engine, work) for work in both])))
    assert done == [1] * 8
    check(engine)


def _unless_reused(engine: Engine, work: Callable[[Session], object]) -> bool:
    try:
        transact(engine, work, attempts=1)
    except KeyReused:
        return False
    return True
