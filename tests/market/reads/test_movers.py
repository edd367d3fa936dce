"""Market movers: forecasts that several traders moved, watchers gained, and nothing mixed."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.db import read_session, transact
from market.maker import Side
from market.orders import Action
from market.reads.movers import Mover, moved_down, moved_up, movers, newly_watched
from market.tables import Board, Contract, Fill, Listing, Trader
from market.trading import place_order
from market.watching import set_watch
from nlp.tables import Term
from tests.market.factories import NOW, PERIOD, add_board, add_term, add_trader, order

WEEK = timedelta(days=7)
HOUR = timedelta(hours=1)


@pytest.fixture
def board(engine: Engine) -> Board:
    """A board with three terms, and another one that lists the first of them too."""

    def work(session: Session) -> Board:
        board, other = add_board(session), add_board(session, "cs.CV", position=2)
        add_term(session, "agent", board, other)
        add_term(session, "benchmark", board)
        add_term(session, "corpus", board)
        for name in ("Ana", "Bob", "Cyd"):
            add_trader(session, name)
        return board

    return transact(engine, work)


def trade(
    engine: Engine,
    trader_id: int,
    at: datetime,
    term: str = "agent",
    side: Side = Side.LONG,
    shares: int = 60,
    period: str = PERIOD,
) -> None:
    asked = order(side, Action.BUY, shares, term=term, period=period)
    key = f"{trader_id}-{term}-{period}-{at:%d%H%M}"
    placed = transact(engine, lambda session: place_order(session, trader_id, asked, key, at))
    assert placed.is_filled


def watch(
    engine: Engine, trader_id: int, at: datetime, on: bool = True, term: int = 1, board: int = 1
) -> None:
    transact(engine, lambda session: set_watch(session, trader_id, board, term, on, at))


def found(engine: Engine, board: Board, end: datetime = NOW) -> dict[str, Mover]:
    with read_session(engine) as session:
        return {mover.slug: mover for mover in movers(session, board, NOW - WEEK, end)}


def fills(engine: Engine) -> list[Fill]:
    """The trades of the next period's contracts, oldest first."""
    with read_session(engine) as session:
        of_period = select(Fill).join(Contract, col(Contract.id) == Fill.contract_id)
        return list(session.exec(of_period.where(Contract.period == PERIOD).order_by(col(Fill.recorded_at))))


def test_a_change_is_counted_from_the_begin_of_the_window(engine: Engine, board: Board) -> None:
    trade(engine, 1, NOW - WEEK - HOUR)
    trade(engine, 1, NOW - 2 * HOUR)
    trade(engine, 2, NOW - HOUR)
    trade(engine, 2, NOW, period="2026-W22")
    mover = found(engine, board)["agent"]
    before, _, last = fills(engine)
    assert mover.price_units == last.price_after_units
    assert mover.change_units == last.price_after_units - before.price_after_units > 0
    assert (mover.trade_count, mover.trader_count, mover.simulated_count) == (3, 2, 0)


def test_a_contract_opened_in_the_window_counts_from_its_opening(engine: Engine, board: Board) -> None:
    trade(engine, 1, NOW - 2 * HOUR)
    [only] = fills(engine)
    change = only.price_after_units - only.price_before_units
    assert found(engine, board)["agent"].change_units == change > 0


def test_what_lies_outside_the_window_is_not_counted(engine: Engine, board: Board) -> None:
    trade(engine, 1, NOW - WEEK - HOUR)
    trade(engine, 2, NOW)
    assert found(engine, board, end=NOW - HOUR) == {}
    assert set(found(engine, board)) == {"agent"}


def test_a_term_traded_for_other_periods_only_has_no_change(engine: Engine, board: Board) -> None:
    trade(engine, 1, NOW - HOUR, period="2026-W23")
    mover = found(engine, board)["agent"]
    assert (mover.change_units, mover.price_units, mover.trade_count) == (None, None, 1)
    assert moved_up([mover]) == ()


def test_watchers_gained_are_those_who_stayed(engine: Engine, board: Board) -> None:
    watch(engine, 1, NOW - WEEK - HOUR)
    watch(engine, 2, NOW - 3 * HOUR)
    watch(engine, 3, NOW - 3 * HOUR)
    watch(engine, 3, NOW - 2 * HOUR, on=False)
    watch(engine, 3, NOW - 2 * HOUR, board=2)
    assert found(engine, board)["agent"] == Mover(1, "agent", "agent", watchers_gained=1)
    watch(engine, 1, NOW - HOUR, on=False)
    assert found(engine, board) == {}


def test_simulated_traders_are_counted_and_said(engine: Engine, board: Board) -> None:
    def simulate(session: Session) -> None:
        session.get_one(Trader, 2).is_simulated = True

    transact(engine, simulate)
    trade(engine, 1, NOW - HOUR)
    trade(engine, 2, NOW - HOUR)
    mover = found(engine, board)["agent"]
    assert (mover.trader_count, mover.simulated_count) == (2, 1)


def test_lists_are_by_one_number_each_and_need_two_traders(engine: Engine, board: Board) -> None:
    for trader, term, side, shares in (
        (1, "agent", Side.LONG, 20), (2, "agent", Side.LONG, 20), (1, "benchmark", Side.SHORT, 30),
        (2, "benchmark", Side.SHORT, 30), (3, "corpus", Side.LONG, 40),
    ):  # fmt: skip
        trade(engine, trader, NOW - HOUR, term, side, shares)
    watch(engine, 1, NOW, term=2)
    all_of_them = found(engine, board).values()
    assert [mover.slug for mover in moved_up(all_of_them)] == ["agent"]
    assert [mover.slug for mover in moved_down(all_of_them)] == ["benchmark"]
    assert [mover.slug for mover in newly_watched(all_of_them)] == ["benchmark"]


def test_delisted_terms_are_left_out(engine: Engine, board: Board) -> None:
    trade(engine, 1, NOW - HOUR)
    watch(engine, 1, NOW)

    def delist(session: Session) -> None:
        session.get_one(Listing, (board.id, session.get_one(Term, 1).id)).status = "delisted"

    transact(engine, delist)
    assert found(engine, board) == {}
