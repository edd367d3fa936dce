"""The days of a board that list papers and are not closed yet."""

from __future__ import annotations

from datetime import date, datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from market.boards import today_of
from market.tables import Board, BoardDay


def open_days(session: Session, board: Board, now: datetime) -> tuple[date, ...]:
    """The board's listed days until today that wait to be closed, oldest first."""
    return tuple(
        session.scalars(
            sa.select(col(BoardDay.day))
            .where(
                col(BoardDay.board_id) == board.id,
                col(BoardDay.closed_at).is_(None),
                col(BoardDay.paper_count) > 0,
                col(BoardDay.day) <= today_of(board, now),
            )
            .order_by(col(BoardDay.day))
        )
    )
