"""What the operator does about trading and accounts, and who takes part in the leaderboard."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import CheckConstraint
from sqlmodel import Field, SQLModel

from market.remarks import LONGEST_OPERATOR, LONGEST_REASON
from nlp.columns import BIGINT, Moment


class HaltEvent(SQLModel, table=True):
    """Trading on a board was halted or resumed; append-only.

    With a term only on that term, with a period only on its contracts. `after_entry` is the ledger's last
    entry at that point, 0 for none: no trade of these contracts lies between a halt's and its resumption's.
    """

    __tablename__ = "halt_event"
    __table_args__: ClassVar[Any] = (
        CheckConstraint("reason <> '' AND operator <> '' AND after_entry >= 0", name="is_accounted_for"),
    )

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    board_id: int = Field(sa_type=BIGINT, foreign_key="board.id", index=True)
    term_id: int | None = Field(default=None, sa_type=BIGINT, foreign_key="term.id")
    period: str | None = Field(default=None, max_length=10)
    is_on: bool
    reason: str = Field(max_length=LONGEST_REASON)
    operator: str = Field(max_length=LONGEST_OPERATOR)
    after_entry: int = Field(sa_type=BIGINT)
    recorded_at: datetime = Field(sa_type=Moment)


class LinkEvent(SQLModel, table=True):
    """Two accounts were found to be one person's, or found not to be; append-only."""

    __tablename__ = "link_event"
    __table_args__: ClassVar[Any] = (
        CheckConstraint("first_id < second_id", name="pair_in_order"),
        CheckConstraint("reason <> '' AND operator <> ''", name="is_accounted_for"),
    )

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    first_id: int = Field(sa_type=BIGINT, foreign_key="trader.id")
    second_id: int = Field(sa_type=BIGINT, foreign_key="trader.id")
    is_on: bool
    reason: str = Field(max_length=LONGEST_REASON)
    operator: str = Field(max_length=LONGEST_OPERATOR)
    recorded_at: datetime = Field(sa_type=Moment)


class LeaderboardMember(SQLModel, table=True):
    """A trader who wants to be on the leaderboard; whoever leaves it has no row."""

    __tablename__ = "leaderboard_member"

    trader_id: int = Field(sa_type=BIGINT, foreign_key="trader.id", primary_key=True)
    since: datetime = Field(sa_type=Moment)
