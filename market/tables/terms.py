"""How terms came about and changed: the record of it, and what follows from that record."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, CheckConstraint, Date, Double, Index, Text, UniqueConstraint
from sqlmodel import Field, SQLModel

from nlp.columns import BIGINT, Moment, whole_numbers

_KINDS = "'installed', 'listed', 'refused', 'delisted', 'merged', 'split', 'renamed'"


class TermEvent(SQLModel, table=True):
    """Something was decided about a term, by whom and why; append-only.

    `board_id` is None for what concerns the term on every board, `term_id` for a candidate that was refused
    before it became a term; `other_id` is the term that one was merged into, or that was split off it.
    `details` holds what follows, whole: `terms` as they are from now on (see `term_events`), the day that a
    term is `listed_on`, the `rule` and figures that the committee decided by. `cause_id` is the event that
    this one follows from. The last of each, by id, is the state.
    """

    __tablename__ = "term_event"
    __table_args__: ClassVar[Any] = (
        CheckConstraint(f"kind IN ({_KINDS})", name="kind_is_known"),
        CheckConstraint("length(reason) > 0 AND length(decided_by) > 0", name="has_reason_and_decider"),
        CheckConstraint("term_id IS NOT NULL OR kind = 'refused'", name="names_its_term"),
        CheckConstraint(
            "board_id IS NOT NULL OR kind IN ('installed', 'merged', 'split', 'renamed')",
            name="names_its_board",
        ),
        Index("ix_term_event_board_id_id", "board_id", "id"),
        Index("ix_term_event_term_id_id", "term_id", "id"),
        Index("ix_term_event_key_board_id", "key", "board_id"),
    )

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    kind: str = Field(max_length=16)
    board_id: int | None = Field(default=None, sa_type=BIGINT, foreign_key="board.id")
    term_id: int | None = Field(default=None, sa_type=BIGINT, foreign_key="term.id")
    other_id: int | None = Field(default=None, sa_type=BIGINT, foreign_key="term.id")
    key: str = Field(max_length=200)
    label: str = Field(max_length=200)
    decided_by: str = Field(max_length=80)
    reason: str = Field(max_length=400)
    details: dict[str, Any] = Field(sa_type=JSON)
    cause_id: int | None = Field(default=None, sa_type=BIGINT, foreign_key="term_event.id")
    recorded_at: datetime = Field(sa_type=Moment)


class TermName(SQLModel, table=True):
    """A further key of a term, or an address that it had before; a projection of the term events."""

    __tablename__ = "term_name"
    __table_args__: ClassVar[Any] = (
        CheckConstraint("kind IN ('key', 'slug')", name="kind_is_known"),
        Index("ix_term_name_term_id", "term_id"),
    )

    kind: str = Field(max_length=4, primary_key=True)
    name: str = Field(max_length=200, primary_key=True)
    term_id: int = Field(sa_type=BIGINT, foreign_key="term.id")


class LexiconState(SQLModel, table=True):
    """The one row that says which lexicon is stored: whoever changes a term or its forms changes it.

    `fingerprint` is chained over the changes, so the same one means the same terms; `installed` names the
    lexicon that was installed last, so that the same one again costs nothing.
    """

    __tablename__ = "lexicon_state"
    __table_args__: ClassVar[Any] = (CheckConstraint("id = 1", name="one_row"),)

    id: int = Field(default=1, sa_type=BIGINT, primary_key=True)
    fingerprint: str = Field(max_length=64)
    installed: str = Field(max_length=80)


class CandidateCount(SQLModel, table=True):
    """Papers of a board's day with a term that could be listed; forgotten when it stays rare.

    `coined_count` of them introduce it as a name of their own; `score` is the best that its extraction gave.
    """

    __tablename__ = "candidate_count"
    __table_args__: ClassVar[Any] = (
        CheckConstraint("paper_count > 0 AND coined_count BETWEEN 0 AND paper_count", name="counts_fit"),
        whole_numbers("paper_count", "coined_count"),
        Index("ix_candidate_count_board_id_day", "board_id", "day"),
    )

    board_id: int = Field(sa_type=BIGINT, foreign_key="board.id", primary_key=True)
    key: str = Field(max_length=200, primary_key=True)
    day: date = Field(sa_type=Date, primary_key=True)
    label: str = Field(max_length=200)
    paper_count: int = Field(sa_type=BIGINT)
    coined_count: int = Field(sa_type=BIGINT)
    score: float = Field(sa_type=Double)


class TermProposal(SQLModel, table=True):
    """Somebody proposed a term for a board; append-only. It waits until a later decision about its key."""

    __tablename__ = "term_proposal"
    __table_args__: ClassVar[Any] = (
        UniqueConstraint("board_id", "key", "trader_id"),
        CheckConstraint("length(key) > 0", name="key_not_empty"),
    )

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    board_id: int = Field(sa_type=BIGINT, foreign_key="board.id")
    trader_id: int = Field(sa_type=BIGINT, foreign_key="trader.id")
    key: str = Field(max_length=200)
    label: str = Field(max_length=200)
    note: str = Field(sa_type=Text)
    recorded_at: datetime = Field(sa_type=Moment)
