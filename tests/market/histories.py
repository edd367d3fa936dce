"""A small market's past with an entry of every kind, and how somebody with all rights alters it."""

from __future__ import annotations

import random
from datetime import date, timedelta

from sqlalchemy import Engine
from sqlmodel import Session, select

from market.maker import Side
from market.settlement import settle_due
from market.tables import Board
from market.trading import Action, place_order
from market.watching import set_watch
from nlp.tables import Term
from tests.market.factories import NOW, add_market, add_paper, close_board_day, order

SHUT = "2026-W22"  # traded too, and still open when the first is settled


def some_history(session: Session) -> None:
    """Entries of every kind: two traders, two contracts, refusals, one settlement, watches."""
    _, traders = add_market(session, "Ada", "Bob")
    chance = random.Random(7)
    for number in range(40):
        action = chance.choice([Action.BUY, Action.BUY, Action.SELL])
        request = order(
            chance.choice(list(Side)), action, chance.randint(1, 60), period=chance.choice(["2026-W21", SHUT])
        )
        place_order(session, chance.choice(traders), request, f"key-{number}", NOW)
    board, term = session.exec(select(Board)).one(), session.exec(select(Term)).one()
    assert board.id is not None
    for term_id, on in ((term.id, True), (None, True), (term.id, False)):
        set_watch(session, traders[0], board.id, term_id, on, NOW)
    add_paper(session, board, date(2026, 5, 20), [term])
    close_board_day(session, board, date(2026, 5, 20))
    settle_due(session, NOW + timedelta(days=11))


def alter(engine: Engine, *statements: str) -> None:
    """Run the statements on an SQLite file, past its CHECKs."""
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            connection.exec_driver_sql(statement)
        connection.commit()
        connection.exec_driver_sql("PRAGMA ignore_check_constraints = OFF")
