"""Contracts and what they were settled on."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, ClassVar

from sqlalchemy import (
    JSON,
    CheckConstraint,
    Date,
    Double,
    ForeignKeyConstraint,
    Text,
    UniqueConstraint,
    false,
)
from sqlmodel import Field, SQLModel

from nlp.columns import BIGINT, Moment, whole_numbers


class Contract(SQLModel, table=True):
    """(board, term, period): made by its first trade, closed before `first_day`, settled once.

    `statement_number` is that of the statement in force, 0 for none. One that `is_void` was taken back whole,
    at `settled_at`.
    """

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
    statement_number: int = Field(default=0, sa_type=BIGINT, sa_column_kwargs={"server_default": "0"})
    is_void: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    opened_at: datetime = Field(sa_type=Moment)
    settled_at: datetime | None = Field(default=None, sa_type=Moment)


class SettlementStatement(SQLModel, table=True):
    """What a contract was settled on, so that anyone can recompute it; append-only.

    `number` is 1 for the first; a correction makes another, for its `reason`. `listed_hash` and
    `lexicon_hash` name the parts that many statements share. What is None was not kept before there was a
    place for it.
    """

    __tablename__ = "settlement_statement"
    __table_args__: ClassVar[Any] = (
        CheckConstraint("counted >= 0", name="counted_not_negative"),
        CheckConstraint("number >= 1", name="number_from_one"),
    )

    contract_id: int = Field(sa_type=BIGINT, foreign_key="contract.id", primary_key=True)
    number: int = Field(default=1, sa_type=BIGINT, primary_key=True)
    entry_id: int | None = Field(sa_type=BIGINT, foreign_key="entry.id", unique=True)
    counted: int = Field(sa_type=BIGINT)
    papers: list[str] = Field(sa_type=JSON)  # identifiers, sorted
    papers_hash: str = Field(max_length=64)
    reason: str = Field(default="", max_length=400)
    term_key: str | None = Field(default=None, max_length=200)  # by which the lexicon knew the term
    forms_hash: str | None = Field(default=None, max_length=64)
    highlighter_version: int | None = None
    day_rule: str | None = Field(default=None, max_length=16)
    time_zone: str | None = Field(default=None, max_length=64)
    grace_days: int | None = None
    listed_hash: str | None = Field(default=None, max_length=64, foreign_key="statement_part.hash")
    lexicon_hash: str | None = Field(default=None, max_length=64, foreign_key="statement_part.hash")
    recorded_at: datetime = Field(sa_type=Moment)


class StatementPart(SQLModel, table=True):
    """A part that statements share, known by the SHA-256 of its text, canonical JSON; append-only."""

    __tablename__ = "statement_part"
    __table_args__: ClassVar[Any] = (
        CheckConstraint("length(hash) = 64", name="hash_is_sha256"),
        CheckConstraint("kind IN ('listed', 'lexicon')", name="kind_is_known"),
    )

    hash: str = Field(max_length=64, primary_key=True)
    kind: str = Field(max_length=8)
    content: str = Field(sa_type=Text)
    recorded_at: datetime = Field(sa_type=Moment)


class ForecastRecord(SQLModel, table=True):
    """What was forecast of a settled contract when it closed, in thousandths of a paper, and the logarithmic
    score of each forecast by the statement of that number (see `forecast_scores`); append-only.

    `spread` is the relative variance that all of them are scored with.
    """

    __tablename__ = "forecast_record"
    __table_args__: ClassVar[Any] = (
        ForeignKeyConstraint(
            ["contract_id", "number"], ["settlement_statement.contract_id", "settlement_statement.number"]
        ),
        CheckConstraint(
            "market_milli > 0 AND opening_milli > 0 AND plain_milli > 0 AND smoothed_milli > 0 "
            "AND last_milli >= 0 AND spread > 0",
            name="forecasts_in_range",
        ),
        whole_numbers("market_milli", "opening_milli", "plain_milli", "smoothed_milli", "last_milli"),
    )

    contract_id: int = Field(sa_type=BIGINT, primary_key=True)
    number: int = Field(sa_type=BIGINT, primary_key=True)
    market_milli: int = Field(sa_type=BIGINT)
    opening_milli: int = Field(sa_type=BIGINT)
    plain_milli: int = Field(sa_type=BIGINT)
    smoothed_milli: int = Field(sa_type=BIGINT)
    last_milli: int = Field(sa_type=BIGINT)
    spread: float = Field(sa_type=Double)
    market_score: float = Field(sa_type=Double)
    opening_score: float = Field(sa_type=Double)
    plain_score: float = Field(sa_type=Double)
    smoothed_score: float = Field(sa_type=Double)
    last_score: float = Field(sa_type=Double)
    recorded_at: datetime = Field(sa_type=Moment)
