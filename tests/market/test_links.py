"""Linked accounts: who belongs together, by events that are never changed; and what they trade is one's."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine
from sqlalchemy.exc import DatabaseError
from sqlmodel import Session, col, select

from market.db import read_session, transact
from market.errors import UnknownTrader
from market.links import Link, LinkChange, SameAccount, link_accounts, links_now, owners, unlink_accounts
from market.maker import Side
from market.orders import Action
from market.reads.movers import movers
from market.reads.term_trades import contracts_of
from market.reads.volume import Volume, counted_trades, volume_of
from market.remarks import Remark
from market.tables import Board, Contract, LinkEvent
from market.trading import place_order
from tests.market.factories import NOW, add_board, add_market, order

WHY = Remark("Both say so.", "Ana Kettle")


@pytest.fixture
def market(engine: Engine) -> Engine:
    """A board in New York, whose day begins at four in the morning, and four traders from 1 on."""

    def work(session: Session) -> None:
        add_market(session, "Ada", "Bob", "Cyd", "Dan")
        session.exec(select(Board)).one().time_zone = "America/New_York"

    transact(engine, work)
    return engine


def change(engine: Engine, first: str, second: str, on: bool = True, remark: Remark = WHY) -> LinkChange:
    work = link_accounts if on else unlink_accounts
    return transact(engine, lambda session: work(session, first, second, remark, NOW))


def trade(
    engine: Engine, trader: int, shares: int, at: datetime = NOW, side: Side = Side.LONG,
    period: str = "2026-W21",
) -> None:  # fmt: skip
    """Buy, or with a negative number sell."""
    asked = order(side, Action.BUY if shares > 0 else Action.SELL, abs(shares), period=period)
    with read_session(engine) as session:
        key = f"key-{len(session.exec(select(Contract)).all())}-{trader}-{shares}-{side}-{at:%d%H%M}"
    work = partial(place_order, trader_id=trader, request=asked, key=key, now=at)
    assert transact(engine, work).is_filled


def volume(engine: Engine) -> Volume:
    with read_session(engine) as session:
        return volume_of(counted_trades(session, session.exec(select(Board)).one()))


def test_links_stand_for_themselves_and_repeats_change_nothing(market: Engine) -> None:
    made = change(market, "bob", " Ada")
    assert (made.is_changed, made.names) == (True, ("Ada", "Bob"))
    again = change(market, "Ada", "Bob", remark=Remark("Another reason.", "Bob Lid"))
    assert not again.is_changed
    assert again.link == made.link == Link(1, 2, "Both say so.", "Ana Kettle", NOW)
    assert not change(market, "Ada", "Cyd", on=False).is_changed
    ended = change(market, "Ada", "Bob", on=False)
    assert (ended.is_changed, ended.link) == (True, made.link)
    with read_session(market) as session:
        assert links_now(session) == ()
        events = session.exec(select(LinkEvent).order_by(col(LinkEvent.id))).all()
        assert [each.is_on for each in events] == [True, False]


def test_who_cannot_be_linked_is_told_why(market: Engine) -> None:
    with pytest.raises(SameAccount, match="'Ada' was given twice"):
        change(market, "Ada", "ADA")
    for name in ("Nobody", "\0"):
        with pytest.raises(UnknownTrader):
            change(market, "Ada", name)
    with read_session(market) as session:
        assert session.exec(select(LinkEvent)).all() == []


def test_links_are_never_changed(market: Engine) -> None:
    change(market, "Ada", "Bob")
    for statement in ("UPDATE link_event SET reason = 'none'", "DELETE FROM link_event"):
        with pytest.raises(DatabaseError, match="append-only"), market.begin() as connection:
            connection.exec_driver_sql(statement)


pairs = st.tuples(st.integers(1, 9), st.integers(1, 9)).filter(lambda pair: pair[0] < pair[1])


@given(st.lists(pairs, max_size=12))
def test_who_is_linked_with_somebody_belongs_with_all_of_theirs(found: list[tuple[int, int]]) -> None:
    groups = [{number} for number in range(1, 10)]
    for one, other in found:
        joined = [group for group in groups if group & {one, other}]
        groups = [group for group in groups if group not in joined] + [set().union(*joined)]
    expected = {number: min(group) for group in groups if len(group) > 1 for number in group}
    assert owners(Link(*pair, "", "", NOW) for pair in found) == expected


def test_trades_of_linked_accounts_net_out_and_count_as_one_trader(market: Engine) -> None:
    trade(market, 1, 60)
    trade(market, 2, 50)
    trade(market, 3, 40)
    trade(market, 2, -50, NOW + timedelta(minutes=1))
    assert volume(market) == Volume(2, 2, 0, 100)
    trade(market, 4, 40)
    trade(market, 3, -40, NOW + timedelta(minutes=2))
    assert volume(market) == Volume(2, 2, 0, 100)
    change(market, "Dan", "Cyd")  # what the one bought the other sold: it is still Dan's 40
    assert volume(market) == Volume(2, 2, 0, 100)
    change(market, "Ada", "Dan")
    assert volume(market) == Volume(2, 1, 0, 100)
    change(market, "Ada", "Dan", on=False)
    assert volume(market) == Volume(2, 2, 0, 100)


def test_one_buys_and_the_linked_one_sells(market: Engine) -> None:
    trade(market, 2, 50, NOW - timedelta(days=1))
    trade(market, 1, 50)
    trade(market, 2, -50, NOW + timedelta(minutes=1))
    assert volume(market).share_count == 150
    change(market, "Ada", "Bob")
    assert volume(market) == Volume(1, 1, 0, 50)


def test_the_day_is_the_boards(market: Engine) -> None:
    midnight = datetime.fromisoformat("2026-05-17T04:00:00+00:00")
    trade(market, 1, 50, midnight - timedelta(minutes=1))
    trade(market, 1, -50, midnight)
    assert volume(market) == Volume(2, 1, 0, 100)
    trade(market, 1, 30, midnight + timedelta(hours=1))
    trade(market, 1, -30, midnight + timedelta(hours=23, minutes=59))
    # The purchase went back on 30 of the 50 that were sold; 20 of them and the last 30 are left.
    assert volume(market) == Volume(3, 1, 0, 100)


def test_pages_count_by_it(market: Engine) -> None:
    def moved(begin: datetime) -> list[tuple[int, int]]:
        with read_session(market) as session:
            board = session.exec(select(Board)).one()
            found = movers(session, board, begin, NOW + timedelta(hours=1))
            return [(mover.trade_count, mover.trader_count) for mover in found]

    def shown() -> list[int]:
        with read_session(market) as session:
            board, contract = session.exec(select(Board)).one(), session.exec(select(Contract)).first()
            assert contract is not None
            found = contracts_of(session, board, contract.term_id, NOW.date(), 0)
            return [each.trade_count for each in found]

    trade(market, 1, 60, NOW - timedelta(hours=2))
    trade(market, 2, 50, NOW - timedelta(hours=2))
    trade(market, 1, -60, NOW)
    assert moved(NOW - timedelta(days=1)) == [(1, 1)]
    # The window begins after the purchase, within the same day: its sale is no trade of the window either.
    assert moved(NOW - timedelta(hours=1)) == []
    assert shown() == [1, 0, 0, 0]
    change(market, "Ada", "Bob")
    trade(market, 2, -50, NOW)
    assert shown() == [0, 0, 0, 0]
    assert moved(NOW - timedelta(days=1)) == []


def test_other_boards_do_not_matter(market: Engine) -> None:
    transact(market, lambda session: add_board(session, "cs.CL"))
    trade(market, 1, 60)
    with read_session(market) as session:
        other = session.exec(select(Board).where(Board.code == "cs.CL")).one()
        assert counted_trades(session, other) == ()
