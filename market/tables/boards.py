"""Boards: their days, the papers that stand on them, the terms listed on them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, ClassVar

from sqlalchemy import CheckConstraint, Date, Index, Text
from sqlmodel import Field, SQLModel

from nlp.columns import BIGINT, Moment


class Board(SQLModel, table=True):
    """A population of papers with a period: papers whose categories contain `code`."""

    __table_args__: ClassVar[Any] = (CheckConstraint("period IN ('week', 'month')", name="period_is_known"),)

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    code: str = Field(unique=True, max_length=40)
    name: str = Field(max_length=120)
    field: str = Field(max_length=120)
    period: str = Field(max_length=8)
    day_rule: str = Field(max_length=16)
    time_zone: str = Field(max_length=64)
    grace_days: int
    position: int


class BoardPaper(SQLModel, table=True):
    """A paper's place on a board: the one day that the board's rule gives it (see `placement.py`)."""

    __tablename__ = "board_paper"
    __table_args__: ClassVar[Any] = (
        CheckConstraint("section IN ('new', 'cross', 'accepted', 'submitted')", name="section_is_known"),
        Index("ix_board_paper_board_id_day", "board_id", "day"),
    )

    board_id: int = Field(sa_type=BIGINT, foreign_key="board.id", primary_key=True)
    paper_id: int = Field(sa_type=BIGINT, foreign_key="paper.id", primary_key=True)
    day: date = Field(sa_type=Date)
    section: str = Field(max_length=16)
    position: int


class PlacementEvent(SQLModel, table=True):
    """A paper was put on a board, or moved there to another day or section; append-only.

    The last event of a board and paper, by id, equals its `BoardPaper`; the last one until a moment is where
    it stood then.
    """

    __tablename__ = "placement_event"
    __table_args__: ClassVar[Any] = (
        CheckConstraint("section IN ('new', 'cross', 'accepted', 'submitted')", name="section_is_known"),
        Index("ix_placement_event_board_id_day", "board_id", "day"),
        Index("ix_placement_event_paper_id_board_id", "paper_id", "board_id"),
    )

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    board_id: int = Field(sa_type=BIGINT, foreign_key="board.id")
    paper_id: int = Field(sa_type=BIGINT, foreign_key="paper.id")
    day: date = Field(sa_type=Date)
    section: str = Field(max_length=16)
    position: int
    recorded_at: datetime = Field(sa_type=Moment)


class BoardDay(SQLModel, table=True):
    """A day of a board: how many papers it lists, and when it was closed (None while open)."""

    __tablename__ = "board_day"
    __table_args__: ClassVar[Any] = (CheckConstraint("paper_count >= 0", name="paper_count_not_negative"),)

    board_id: int = Field(sa_type=BIGINT, foreign_key="board.id", primary_key=True)
    day: date = Field(sa_type=Date, primary_key=True)
    paper_count: int = Field(sa_type=BIGINT)
    closed_at: datetime | None = Field(default=None, sa_type=Moment)


class Listing(SQLModel, table=True):
    """A term that can be watched and traded on a board, with the reason it was listed for."""

    __table_args__: ClassVar[Any] = (
        CheckConstraint("status IN ('listed', 'delisted')", name="status_is_known"),
    )

    board_id: int = Field(sa_type=BIGINT, foreign_key="board.id", primary_key=True)
    term_id: int = Field(sa_type=BIGINT, foreign_key="term.id", primary_key=True)
    status: str = Field(max_length=16)
    reason: str = Field(max_length=400)
    listed_on: date = Field(sa_type=Date)


class Fetch(SQLModel, table=True):
    """How far a board's papers have been fetched from a source, and how that went last.

    `cursor` is where the source goes on, in words of its own, and was stored with the papers before it;
    `etag` and `last_modified` name the last answer.
    """

    __tablename__ = "fetch_state"  # FETCH is a word of SQL

    board_id: int = Field(sa_type=BIGINT, foreign_key="board.id", primary_key=True)
    source: str = Field(max_length=16, primary_key=True)
    cursor: str = Field(default="", sa_type=Text)
    etag: str | None = Field(default=None, sa_type=Text)
    last_modified: str | None = Field(default=None, sa_type=Text)
    succeeded_at: datetime | None = Field(default=None, sa_type=Moment)
    failed_at: datetime | None = Field(default=None, sa_type=Moment)
    error: str = Field(default="", sa_type=Text)  # of the last failure, also after a success
