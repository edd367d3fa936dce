"""Days that were counted before there was a history have one from their first moment."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import sqlalchemy as sa
from alembic import command
from sqlalchemy import Connection, Engine
from sqlmodel import Session

from market.activity import rebuild
from market.boards import board_by_code
from market.db import alembic_config, read_session, upgrade, write_session
from market.known import activity_known, days_known
from tests.market.factories import NOW, add_board, add_paper, add_term, close_board_day

SATURDAY, SUNDAY = date(2026, 5, 16), date(2026, 5, 17)
CLOSED = NOW + timedelta(hours=1)


def days(session: Session, at: datetime) -> list[date]:
    known = days_known(board_by_code(session, "cs.LG").id, at)
    return list(session.execute(sa.select(known.c.day).order_by(known.c.day)).scalars())


def test_days_that_were_counted_before_are_known_from_then_on(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        term = add_term(session, "term", board)
        for day in (SATURDAY, SUNDAY):
            add_paper(session, board, day, [term])
        rebuild(session, board.id or 0, NOW)
        close_board_day(session, board, SATURDAY, CLOSED)
        close_board_day(session, board, date(2026, 5, 14), CLOSED)
        session.commit()
    with engine.begin() as connection:
        command.downgrade(alembic_config(connection), "0005")
        assert not {"day_count", "past_activity", "ranking", "ranking_row"} & tables(connection)
    upgrade(engine)
    with read_session(engine) as session:
        # Sunday is not closed: its papers were taken in at NOW.
        assert days(session, NOW - timedelta(seconds=1)) == []
        assert days(session, NOW) == [SUNDAY]
        assert days(session, CLOSED) == [date(2026, 5, 14), SATURDAY, SUNDAY]
        known = activity_known(board_by_code(session, "cs.LG").id, CLOSED)
        counted = session.execute(sa.select(known.c.day, known.c.paper_count).order_by(known.c.day)).all()
    assert [tuple(row) for row in counted] == [(SATURDAY, 1), (SUNDAY, 1)]


def tables(connection: Connection) -> set[str]:
    return set(sa.inspect(connection).get_table_names())
