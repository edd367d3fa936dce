"""What readers say of terms in a text, what operators decide about it, and who is an operator."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, CheckConstraint, Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from market.remarks import LONGEST_OPERATOR, LONGEST_REASON
from nlp.columns import BIGINT, Moment, whole_numbers

_VERDICTS = "verdict IN ('term', 'not_a_term')"


class JudgementEvent(SQLModel, table=True):
    """A reader said that a stretch of a text is no term, or should be one, or took that back; append-only.

    The stretch is [start, end) of the abstract's reading text with this hash, ``quote`` what stands there.
    ``key`` is that of the term ``term_id`` which is highlighted there, or for verdict "term" of the quote.
    """

    __tablename__ = "judgement_event"
    __table_args__: ClassVar[Any] = (
        CheckConstraint(_VERDICTS, name="verdict_is_known"),
        CheckConstraint("verdict = 'term' OR term_id IS NOT NULL", name="names_its_term"),
        CheckConstraint("start_offset >= 0 AND end_offset > start_offset", name="span_is_not_empty"),
        CheckConstraint("key <> '' AND length(text_hash) = 64", name="is_anchored"),
        whole_numbers("start_offset", "end_offset"),
        Index("ix_judgement_event_board_id_verdict_key", "board_id", "verdict", "key"),
    )

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    trader_id: int = Field(sa_type=BIGINT, foreign_key="trader.id", index=True)
    board_id: int = Field(sa_type=BIGINT, foreign_key="board.id")
    paper_id: int = Field(sa_type=BIGINT, foreign_key="paper.id")
    verdict: str = Field(max_length=12)
    key: str = Field(max_length=200)
    term_id: int | None = Field(default=None, sa_type=BIGINT, foreign_key="term.id")
    start_offset: int = Field(sa_type=BIGINT)
    end_offset: int = Field(sa_type=BIGINT)
    quote: str = Field(max_length=400)
    text_hash: str = Field(max_length=64)
    is_on: bool
    recorded_at: datetime = Field(sa_type=Moment)


class JudgementDecision(SQLModel, table=True):
    """An operator agreed with a group of judgements, those with one key, or did not; append-only.

    ``event_ids`` are the judgements that stood and were decided about.
    """

    __tablename__ = "judgement_decision"
    __table_args__: ClassVar[Any] = (
        CheckConstraint(_VERDICTS, name="verdict_is_known"),
        CheckConstraint("reason <> '' AND operator <> ''", name="is_accounted_for"),
        Index("ix_judgement_decision_board_id_verdict_key", "board_id", "verdict", "key"),
    )

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    board_id: int = Field(sa_type=BIGINT, foreign_key="board.id")
    verdict: str = Field(max_length=12)
    key: str = Field(max_length=200)
    is_accepted: bool
    event_ids: list[int] = Field(sa_type=JSON)
    reason: str = Field(max_length=LONGEST_REASON)
    operator: str = Field(max_length=LONGEST_OPERATOR)
    recorded_at: datetime = Field(sa_type=Moment)


class Judgement(SQLModel, table=True):
    """A judgement that was not taken back, and the decision about it: a projection of both records."""

    __table_args__: ClassVar[Any] = (
        UniqueConstraint(
            "trader_id", "paper_id", "board_id", "verdict", "text_hash", "start_offset", "end_offset",
            name="uq_judgement_stretch",
        ),
        Index("ix_judgement_board_id_decision_id", "board_id", "decision_id"),
    )

    event_id: int = Field(sa_type=BIGINT, foreign_key="judgement_event.id", primary_key=True)
    trader_id: int = Field(sa_type=BIGINT, foreign_key="trader.id")
    board_id: int = Field(sa_type=BIGINT, foreign_key="board.id")
    paper_id: int = Field(sa_type=BIGINT, foreign_key="paper.id")
    verdict: str = Field(max_length=12)
    text_hash: str = Field(max_length=64)
    start_offset: int = Field(sa_type=BIGINT)
    end_offset: int = Field(sa_type=BIGINT)
    decision_id: int | None = Field(default=None, sa_type=BIGINT, foreign_key="judgement_decision.id")


class OperatorEvent(SQLModel, table=True):
    """A trader was made an operator, or is one no longer; append-only, the last of a trader's holds."""

    __tablename__ = "operator_event"
    __table_args__: ClassVar[Any] = (
        CheckConstraint("reason <> '' AND operator <> ''", name="is_accounted_for"),
    )

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    trader_id: int = Field(sa_type=BIGINT, foreign_key="trader.id", index=True)
    is_on: bool
    reason: str = Field(max_length=LONGEST_REASON)
    operator: str = Field(max_length=LONGEST_OPERATOR)
    recorded_at: datetime = Field(sa_type=Moment)
