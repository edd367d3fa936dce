"""Who watches what: events, and what they come to now."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from nlp.columns import BIGINT, Moment


class WatchEvent(SQLModel, table=True):
    """Somebody began or stopped watching a term of a board, or (term_id None) the board; append-only."""

    __tablename__ = "watch_event"
    __table_args__: ClassVar[Any] = (
        Index("ix_watch_event_board_id_term_id_recorded_at", "board_id", "term_id", "recorded_at"),
    )

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    trader_id: int = Field(sa_type=BIGINT, foreign_key="trader.id", index=True)
    board_id: int = Field(sa_type=BIGINT, foreign_key="board.id")
    term_id: int | None = Field(default=None, sa_type=BIGINT, foreign_key="term.id")
    is_on: bool
    recorded_at: datetime = Field(sa_type=Moment)


class Watch(SQLModel, table=True):
    """Who watches what now: a projection of the watch events."""

    __table_args__: ClassVar[Any] = (
        UniqueConstraint("trader_id", "board_id", "term_id"),
        Index(
            "uq_watch_board", "trader_id", "board_id", unique=True,
            sqlite_where=text("term_id IS NULL"),
            postgresql_where=text("term_id IS NULL"),
        ),
        Index("ix_watch_board_id_term_id", "board_id", "term_id"),
    )

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    trader_id: int = Field(sa_type=BIGINT, foreign_key="trader.id")
    board_id: int = Field(sa_type=BIGINT, foreign_key="board.id")
    term_id: int | None = Field(default=None, sa_type=BIGINT, foreign_key="term.id")
    since: datetime = Field(sa_type=Moment)
