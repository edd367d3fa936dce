"""Contracts and what they were settled on."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, CheckConstraint, Date, UniqueConstraint, false
from sqlmodel import Field, SQLModel

from nlp.columns import BIGINT, Moment, whole_numbers


class Contract(SQLModel, table=True):
    """(board, term, period): made by its first trade, closed before `first_day`, settled once."""

    __table_args__: ClassVar[Any] = (
        UniqueConstraint("board_id", "term_id", "period"),
        CheckConstraint("long_shares >= 0 AND short_shares >= 0", name="shares_not_negative"),
        CheckConstraint(
            "cap >= 16 AND prior_1024 BETWEEN 32 AND 992 AND depth_shares >= 50", name="maker_in_range"
        ),
        CheckConstraint("subsidy_units > 0 AND state_version >= 0", name="subsidy_and_version"),
        CheckConstraint("first_day <= last_day", name="period_in_order"),
        whole_numbers("cap", "prior_1024", "depth_shares", "subsidy_units", "long_shares", "short_shares"),
    )

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    board_id: int = Field(sa_type=BIGINT, foreign_key="board.id")
    term_id: int = Field(sa_type=BIGINT, foreign_key="term.id", index=True)
    term_version_id: int = Field(sa_type=BIGINT, foreign_key="term_version.id")
    period: str = Field(max_length=10)
    first_day: date = Field(sa_type=Date)
    last_day: date = Field(sa_type=Date)
    cap: int = Field(sa_type=BIGINT)
    prior_1024: int
    depth_shares: int = Field(sa_type=BIGINT)
    forecast_milli: int = Field(sa_type=BIGINT)
    subsidy_units: int = Field(sa_type=BIGINT)
    long_shares: int = Field(default=0, sa_type=BIGINT)
    short_shares: int = Field(default=0, sa_type=BIGINT)
    state_version: int = Field(default=0, sa_type=BIGINT)
    resting_count: int = Field(default=0, sa_type=BIGINT, sa_column_kwargs={"server_default": "0"})
    is_halted: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    opened_at: datetime = Field(sa_type=Moment)
    settled_at: datetime | None = Field(default=None, sa_type=Moment)


class SettlementStatement(SQLModel, table=True):
    """What a contract was settled on, so that anyone can recompute it; append-only."""

    __tablename__ = "settlement_statement"
    __table_args__: ClassVar[Any] = (CheckConstraint("counted >= 0", name="counted_not_negative"),)

    contract_id: int = Field(sa_type=BIGINT, foreign_key="contract.id", primary_key=True)
    entry_id: int | None = Field(sa_type=BIGINT, foreign_key="entry.id", unique=True)
    counted: int = Field(sa_type=BIGINT)
    papers: list[str] = Field(sa_type=JSON)  # identifiers, sorted
    papers_hash: str = Field(max_length=64)
    recorded_at: datetime = Field(sa_type=Moment)
