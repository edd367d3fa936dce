"""Rolling on: what a settlement paid buys the same side of the next period, once."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from sqlalchemy import Engine
from sqlmodel import Session, select

from market.audit import replay, verify
from market.db import read_session, transact
from market.errors import UnknownTerm
from market.maker import Side
from market.reads.rolls import rolls_of
from market.rolling import roll_settled, rolls_due, set_roll
from market.settlement import settle_due
from market.tables import Board, Listing, Order
from market.trading import place_order
from nlp.tables import Term
from tests.market.factories import NOW, add_market, add_paper, close_board_day, order

LATER = NOW + timedelta(days=11)  # 28 May, in 2026-W22: the next open period is W23


@pytest.fixture
def held(engine: Engine) -> tuple[Engine, int, int]:
    """Ada holds 20 LONG and 5 SHORT, Bob 10 LONG."""
    _, (ada, bob) = transact(engine, lambda session: add_market(session, "Ada", "Bob"))

    def trades(session: Session) -> None:
        place_order(session, ada, order(shares=20), "long", NOW)
        place_order(session, ada, order(Side.SHORT, shares=5), "short", NOW)
        place_order(session, bob, order(shares=10), "long", NOW)

    transact(engine, trades)
    return engine, ada, bob


def roll(engine: Engine, trader: int, side: Side = Side.LONG, on: bool = True) -> bool:
    return transact(engine, lambda session: set_roll(session, trader, the_board(session), 1, side, on, NOW))


def the_board(session: Session) -> Board:
    return session.exec(select(Board)).one()


def settle(engine: Engine, papers: int = 2) -> None:
    def work(session: Session) -> None:
        board, term = session.exec(select(Board)).one(), session.exec(select(Term)).one()
        for _ in range(papers):
            add_paper(session, board, date(2026, 5, 20), [term])
        close_board_day(session, board, date(2026, 5, 20))
        assert all(each.is_settled for each in settle_due(session, LATER))

    transact(engine, work)


def check(engine: Engine) -> None:
    for audit in (verify, replay):
        with read_session(engine) as session:
            assert audit(session).findings == ()


def test_the_proceeds_of_a_side_buy_that_side_of_the_next_period(held: tuple[Engine, int, int]) -> None:
    engine, ada, _ = held
    roll(engine, ada)
    assert roll_settled(engine, LATER) == ()
    settle(engine)
    (receipt,) = roll_settled(engine, LATER)
    with read_session(engine) as session:
        made = session.get_one(Order, receipt.order_id)
    assert receipt.is_filled
    assert (made.trader_id, made.period, made.side) == (ada, "2026-W23", "LONG")
    assert made.spend_units == 20 * 200
    assert 0 < receipt.total_units <= 20 * 200
    check(engine)


def test_it_is_done_once(held: tuple[Engine, int, int]) -> None:
    engine, ada, bob = held
    for trader, side in ((ada, Side.LONG), (ada, Side.SHORT), (bob, Side.LONG)):
        roll(engine, trader, side)
    settle(engine)
    assert [each.is_filled for each in roll_settled(engine, LATER)] == [True] * 3
    assert roll_settled(engine, LATER) == roll_settled(engine, LATER + timedelta(days=7)) == ()
    check(engine)


def test_what_paid_nothing_or_settled_before_is_not_rolled(held: tuple[Engine, int, int]) -> None:
    engine, ada, bob = held
    roll(engine, ada)
    settle(engine, papers=0)
    assert roll_settled(engine, LATER) == ()
    with read_session(engine) as session:
        assert rolls_due(session) == ()
    later = LATER + timedelta(minutes=1)
    transact(
        engine, lambda session: set_roll(session, bob, the_board(session), 1, Side.SHORT, True, later)
    )
    assert roll_settled(engine, LATER) == ()


def test_a_refusal_is_recorded_and_shown_and_not_tried_again(held: tuple[Engine, int, int]) -> None:
    engine, ada, _ = held
    roll(engine, ada)

    def delist(session: Session) -> None:
        listing = session.exec(select(Listing)).one()
        listing.status = "delisted"
        session.add(listing)

    settle(engine)
    transact(engine, delist)
    (receipt,) = roll_settled(engine, LATER)
    assert (receipt.is_filled, receipt.reason) == (False, "UnknownPeriod")
    assert roll_settled(engine, LATER) == ()
    with read_session(engine) as session:
        (shown,) = rolls_of(session, ada)
    assert (shown.order_id, shown.message) == (receipt.order_id, receipt.message)


def test_rolling_begins_once_and_stops(held: tuple[Engine, int, int]) -> None:
    engine, ada, bob = held
    assert [roll(engine, ada), roll(engine, ada)] == [True, False]
    with read_session(engine) as session:
        (shown,) = rolls_of(session, ada)
        assert rolls_of(session, bob) == ()
    assert (shown.term_label, shown.side) == ("diffusion model", "LONG")
    assert (shown.order_id, shown.since) == (None, NOW)
    assert [roll(engine, ada, on=False), roll(engine, ada, on=False)] == [True, False]
    settle(engine)
    assert roll_settled(engine, LATER) == ()


def test_only_a_listed_term_is_rolled(held: tuple[Engine, int, int]) -> None:
    engine, ada, _ = held

    def wrong(session: Session) -> None:
        with pytest.raises(UnknownTerm):
            set_roll(session, ada, the_board(session), 99, Side.LONG, True, NOW)

    transact(engine, wrong)
