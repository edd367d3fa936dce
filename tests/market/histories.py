"""A small market's past with an entry of every kind, and how somebody with all rights alters it."""

from __future__ import annotations

import random
from datetime import date, timedelta

from sqlalchemy import Engine
from sqlmodel import Session, select

from market.cancelling import cancel_order
from market.limit_trading import place_limit
from market.maker import Maker, Side
from market.settlement import settle_due
from market.tables import Board, Contract
from market.trading import Action, place_order
from market.watching import set_watch
from nlp.tables import Term
from tests.market.factories import NOW, add_market, add_paper, close_board_day, limit_order, order

SHUT = "2026-W22"  # traded too, and still open when the first is settled


def some_history(session: Session) -> None:
    """Entries of every kind: two traders, two contracts, refusals, limit orders (one is filled in part, one
    cancelled, one closed, two rest), one settlement, watches."""
    _, traders = add_market(session, "Ada", "Bob")
    chance = random.Random(7)
    for number in range(40):
        action = chance.choice([Action.BUY, Action.BUY, Action.SELL])
        request = order(
            chance.choice(list(Side)), action, chance.randint(1, 60), period=chance.choice(["2026-W21", SHUT])
        )
        place_order(session, chance.choice(traders), request, f"key-{number}", NOW)
    _limit_orders(session, *traders)
    board, term = session.exec(select(Board)).one(), session.exec(select(Term)).one()
    assert board.id is not None
    for term_id, on in ((term.id, True), (None, True), (term.id, False)):
        set_watch(session, traders[0], board.id, term_id, on, NOW)
    add_paper(session, board, date(2026, 5, 20), [term])
    close_board_day(session, board, date(2026, 5, 20))
    settle_due(session, NOW + timedelta(days=11))


def _limit_orders(session: Session, ada: int, bob: int) -> None:
    """Ada's orders rest below the market, Bob sells down to them."""
    state = session.exec(select(Contract).where(Contract.period == SHUT)).one()
    maker = Maker(state.cap, state.prior_1024, state.depth_shares)
    now = maker.forecast_milli(state.long_shares, state.short_shares)
    filled, cancelled, _ = (
        place_limit(session, ada, limit_order(shares=20, milli=now - less, period=SHUT), f"limit-{less}", NOW)
        for less in (5, 30, 40)
    )
    place_limit(session, ada, limit_order(Side.SHORT, shares=4, milli=now + 200, period=SHUT), "above", NOW)
    place_limit(session, bob, limit_order(shares=3, milli=100), "closed", NOW)
    place_order(session, bob, order(Side.SHORT, shares=60, period=SHUT), "reaches", NOW)
    cancel_order(session, ada, cancelled.order_id, "cancel", NOW)
    assert filled.rested_shares == 20


def alter(engine: Engine, *statements: str) -> None:
    """Run the statements on an SQLite file, past its CHECKs."""
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            connection.exec_driver_sql(statement)
        connection.commit()
        connection.exec_driver_sql("PRAGMA ignore_check_constraints = OFF")
