"""Simulated traders on a small board: what they see, and that their trading can be repeated and continued."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, select

from market.activity import close_day, count_days
from market.db import engine_for, read_session, transact
from market.errors import NameTaken
from market.robots.floor import floor_at
from market.robots.roster import ROSTER
from market.robots.trading import last_traded, people_have_traded, trade_once
from market.tables import Fill, Listing, Order, Trader
from market.traders import open_trader
from market.trading import place_order
from tests.market.factories import NOW, add_board, add_paper, add_term, order

SATURDAY, SUNDAY = date(2026, 5, 16), date(2026, 5, 17)
BEFORE = NOW - timedelta(days=1)
MOMENTS = [BEFORE + timedelta(minutes=30 * number) for number in range(8)]


def papers(session: Session) -> None:
    """A board with a busy and a quiet term; Saturday is closed that evening, Sunday only after `NOW`."""
    board = add_board(session)
    busy, quiet = add_term(session, "diffusion model", board), add_term(session, "quiet term", board)
    for _ in range(6):
        add_paper(session, board, SATURDAY, [busy])
    add_paper(session, board, SATURDAY, [quiet])
    for _ in range(9):
        add_paper(session, board, SUNDAY, [quiet])
    session.execute(sa.update(Listing).values(listed_on=SATURDAY))
    assert board.id is not None
    count_days(session, board.id, [SATURDAY, SUNDAY], BEFORE)
    close_day(session, board, SATURDAY, BEFORE)
    close_day(session, board, SUNDAY, NOW + timedelta(minutes=1))


@pytest.fixture
def board(engine: Engine) -> Engine:
    transact(engine, papers)
    return engine


def trade(engine: Engine, moments: list[datetime]) -> None:
    for moment in moments:
        transact(engine, lambda session, at=moment: trade_once(session, at))


def tape(engine: Engine) -> list[tuple[object, ...]]:
    """Every trade, without the numbers that a database gives out."""
    with read_session(engine) as session:
        rows = session.execute(
            sa.select(
                Trader.name, Order.term_id, Order.period, Order.side, Order.action, Fill.share_count,
                Fill.cost_units, Fill.price_after_units, Fill.recorded_at,
            )
            .join(Order, Order.id == Fill.order_id)
            .join(Trader, Trader.id == Order.trader_id)
            .order_by(Fill.recorded_at, Fill.order_id)
        )  # fmt: skip
        return [tuple(row) for row in rows]


def test_what_is_seen_is_what_was_public_at_that_moment(board: Engine) -> None:
    with read_session(board) as session:
        seen = {market.term: market.paper_counts for market in floor_at(session, NOW).markets}
        later = {
            market.term: market.paper_counts
            for market in floor_at(session, NOW + timedelta(minutes=1)).markets
        }
        earlier = floor_at(session, BEFORE - timedelta(minutes=1)).markets
    assert seen == {"diffusion-model": (6,), "quiet-term": (1,)}
    assert later == {"diffusion-model": (6, 0), "quiet-term": (1, 9)}
    assert earlier == ()


def test_all_four_front_periods_of_a_term_are_seen_at_their_opening_prices(board: Engine) -> None:
    with read_session(board) as session:
        markets = [market for market in floor_at(session, NOW).markets if market.term == "quiet-term"]
    assert [market.period for market in markets] == ["2026-W21", "2026-W22", "2026-W23", "2026-W24"]
    assert {market.price_units for market in markets} == {markets[0].opening_units}
    assert {market.contract_id for market in markets} == {None}


def test_they_trade_by_ordinary_orders_and_are_labelled_as_simulated(board: Engine) -> None:
    trade(board, MOMENTS)
    with read_session(board) as session:
        traders = session.exec(select(Trader)).all()
        orders = session.exec(select(Order)).all()
        assert last_traded(session) == MOMENTS[-1]
        assert not people_have_traded(session)
    assert {trader.name for trader in traders} == {robot.name for robot in ROSTER}
    assert all(trader.is_simulated for trader in traders)
    assert len(orders) > 40
    assert {placed.status for placed in orders} == {"filled"}


def test_trading_a_moment_again_books_nothing_twice(board: Engine) -> None:
    trade(board, MOMENTS)
    before = tape(board)
    trade(board, [MOMENTS[-1]])
    assert tape(board) == before


def test_one_board_is_traded_alike_everywhere_and_after_an_interruption(
    sqlite_url: str, postgresql_url: str
) -> None:
    here, there = engine_for(sqlite_url), engine_for(postgresql_url)
    for engine in (here, there):
        transact(engine, papers)
    trade(here, MOMENTS)
    trade(there, MOMENTS[:3])
    assert 0 < len(tape(there)) < len(tape(here))
    trade(there, MOMENTS[3:])
    assert tape(there) == tape(here)
    here.dispose()
    there.dispose()


def test_people_who_trade_are_told_from_simulated_traders(board: Engine) -> None:
    def buy(session: Session) -> None:
        ada = open_trader(session, "Ada", "a hash", NOW)
        assert ada.id is not None
        assert place_order(session, ada.id, order(), "key", NOW).is_filled

    transact(board, buy)
    with read_session(board) as session:
        assert people_have_traded(session)
        assert last_traded(session) is None


def test_a_person_with_a_simulated_traders_name_keeps_it(board: Engine) -> None:
    transact(board, lambda session: open_trader(session, ROSTER[0].name, "a hash", NOW))
    with pytest.raises(NameTaken):
        trade(board, MOMENTS[:1])
    assert tape(board) == []
