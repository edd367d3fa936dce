"""The boards as every page names them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import sqlalchemy as sa
from sqlmodel import Session, col

from market.tables import Board, BoardDay, Watch

__all__ = ["Board", "BoardLink", "board_links"]


@dataclass(frozen=True, slots=True)
class BoardLink:
    """A board with its newest day that lists papers (None before the first) and who watches it."""

    code: str
    name: str
    field: str
    newest_day: date | None
    watcher_count: int
    is_watched: bool


def board_links(session: Session, trader_id: int | None) -> tuple[tuple[Board, BoardLink], ...]:
    """Every board in its order, its row beside it; `is_watched` by that trader. One query."""
    newest = (
        sa.select(sa.func.max(BoardDay.day))
        .where(col(BoardDay.board_id) == Board.id, col(BoardDay.paper_count) > 0)
        .correlate(Board)
        .scalar_subquery()
    )
    mine = sa.func.coalesce(sa.func.sum(sa.case((col(Watch.trader_id) == trader_id, 1), else_=0)), 0)
    rows = session.execute(
        sa.select(
            Board, newest.label("newest"), sa.func.count(col(Watch.id)).label("watchers"), mine.label("mine")
        )
        .outerjoin(Watch, sa.and_(col(Watch.board_id) == Board.id, col(Watch.term_id).is_(None)))
        .group_by(col(Board.id))
        .order_by(col(Board.position), col(Board.id))
    )
    return tuple((row[0], _link(row[0], row.newest, row.watchers, bool(row.mine))) for row in rows)


def _link(board: Board, newest: date | None, watcher_count: int, is_watched: bool) -> BoardLink:
    return BoardLink(board.code, board.name, board.field, newest, watcher_count, is_watched)
