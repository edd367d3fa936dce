"""What terms did on a board's days, now and as it was known before, and what rose on them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, ClassVar

from sqlalchemy import CheckConstraint, Date, Double, Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from market.columns import LongNumber
from nlp.columns import BIGINT, Moment, whole_numbers


class Activity(SQLModel, table=True):
    """What a term did on a board's day; rebuildable from the stored mentions.

    `since` is the number of the day's count that first gave these values.
    """

    __table_args__: ClassVar[Any] = (
        CheckConstraint("paper_count > 0 AND mention_count >= paper_count", name="counts_fit"),
        whole_numbers("paper_count", "mention_count"),
        Index("ix_activity_board_id_day", "board_id", "day"),
    )

    board_id: int = Field(sa_type=BIGINT, foreign_key="board.id", primary_key=True)
    term_id: int = Field(sa_type=BIGINT, foreign_key="term.id", primary_key=True)
    day: date = Field(sa_type=Date, primary_key=True)
    paper_count: int = Field(sa_type=BIGINT)
    mention_count: int = Field(sa_type=BIGINT)
    since: int = Field(default=1, sa_type=BIGINT, sa_column_kwargs={"server_default": "1"})


class PastActivity(SQLModel, table=True):
    """What a term's activity was by the counts `since` up to, without, `until` of the day; append-only."""

    __tablename__ = "past_activity"
    __table_args__: ClassVar[Any] = (
        CheckConstraint("paper_count > 0 AND mention_count >= paper_count", name="counts_fit"),
        CheckConstraint("since < until", name="since_before_until"),
        whole_numbers("paper_count", "mention_count"),
    )

    board_id: int = Field(sa_type=BIGINT, foreign_key="board.id", primary_key=True)
    day: date = Field(sa_type=Date, primary_key=True)
    term_id: int = Field(sa_type=BIGINT, foreign_key="term.id", primary_key=True)
    until: int = Field(sa_type=BIGINT, primary_key=True)
    since: int = Field(sa_type=BIGINT)
    paper_count: int = Field(sa_type=BIGINT)
    mention_count: int = Field(sa_type=BIGINT)


class DayCount(SQLModel, table=True):
    """A count of a board's day that found something else than the one before; append-only.

    `number` is 1 for the day's first. On a board, later ids never have earlier moments.
    """

    __tablename__ = "day_count"
    __table_args__: ClassVar[Any] = (
        UniqueConstraint("board_id", "day", "number"),
        CheckConstraint("paper_count >= 0 AND number >= 1", name="counts_fit"),
        Index("ix_day_count_board_id_id", "board_id", "id"),
    )

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    board_id: int = Field(sa_type=BIGINT, foreign_key="board.id")
    day: date = Field(sa_type=Date)
    number: int = Field(sa_type=BIGINT)
    paper_count: int = Field(sa_type=BIGINT)
    recorded_at: datetime = Field(sa_type=Moment)


class Ranking(SQLModel, table=True):
    """What was rising on a board in the `window` days to `day`, as computed once; append-only.

    It rests on the day counts until `counted_to`, an id of theirs; `method` is the version of the formulas.
    """

    __table_args__: ClassVar[Any] = (
        UniqueConstraint("board_id", "day", "window_days", "counted_to", "method"),
        CheckConstraint("exposure >= 0 AND base_exposure >= 0 AND checked_count >= 0", name="not_negative"),
    )

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    board_id: int = Field(sa_type=BIGINT, foreign_key="board.id")
    day: date = Field(sa_type=Date)
    window_days: int
    counted_to: int = Field(sa_type=BIGINT)
    method: int
    exposure: int = Field(sa_type=BIGINT)
    base_exposure: int = Field(sa_type=BIGINT)
    checked_count: int = Field(sa_type=BIGINT)
    recorded_at: datetime = Field(sa_type=Moment)


class RankingRow(SQLModel, table=True):
    """A term in one list of a ranking, at its `rank` (1 is the first); append-only."""

    __tablename__ = "ranking_row"
    __table_args__: ClassVar[Any] = (
        CheckConstraint("kind IN ('rising', 'falling', 'new', 'most')", name="kind_is_known"),
        CheckConstraint("rank >= 1 AND rank_before >= 1", name="ranks_begin_at_one"),
    )

    ranking_id: int = Field(sa_type=BIGINT, foreign_key="ranking.id", primary_key=True)
    kind: str = Field(max_length=8, primary_key=True)
    rank: int = Field(primary_key=True)
    rank_before: int | None
    term_id: int = Field(sa_type=BIGINT, foreign_key="term.id")
    papers: int = Field(sa_type=BIGINT)
    base_papers: int = Field(sa_type=BIGINT)
    ratio: float = Field(sa_type=Double)
    low: float = Field(sa_type=Double)
    high: float = Field(sa_type=Double)
    score: float = Field(sa_type=Double)
    q_value: float = Field(sa_type=Double)


class TermCounter(SQLModel, table=True):
    """Decayed sums of a term's papers on a board, for its forecast; a projection of the activity (see
    `counters`)."""

    __tablename__ = "term_counter"

    board_id: int = Field(sa_type=BIGINT, foreign_key="board.id", primary_key=True)
    term_id: int = Field(sa_type=BIGINT, foreign_key="term.id", primary_key=True)
    long_sum: int = Field(sa_type=LongNumber)
    middle_sum: int = Field(sa_type=LongNumber)
