"""Every table of the market: boards and their days, contracts, the ledger, orders, watches.

Units and ranges are in `money.py`; what each invariant L1..L19 means is in this package's README.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, CheckConstraint, Date, Double, Index, Text, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from market.columns import LongNumber
from nlp.columns import BIGINT, Moment, whole_numbers


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
    opened_at: datetime = Field(sa_type=Moment)
    settled_at: datetime | None = Field(default=None, sa_type=Moment)


class Trader(SQLModel, table=True):
    """A person or a simulated trader. `session_key` ends every session when it changes."""

    __table_args__: ClassVar[Any] = (
        CheckConstraint("is_simulated OR password_hash IS NOT NULL", name="people_have_passwords"),
    )

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    name: str = Field(max_length=40)
    name_key: str = Field(unique=True, max_length=80)
    password_hash: str | None = Field(default=None, max_length=200)
    session_key: str = Field(unique=True, max_length=64)
    is_simulated: bool
    joined_at: datetime = Field(sa_type=Moment)


class Account(SQLModel, table=True):
    """An account holds one asset. Its balance is a projection of its postings (see `audit`)."""

    __table_args__: ClassVar[Any] = (
        CheckConstraint("balance >= 0 OR may_be_negative", name="balance_not_negative"),
        whole_numbers("balance"),
    )

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    name: str = Field(unique=True, max_length=120)
    asset: str = Field(max_length=60)
    trader_id: int | None = Field(default=None, sa_type=BIGINT, foreign_key="trader.id", index=True)
    contract_id: int | None = Field(default=None, sa_type=BIGINT, foreign_key="contract.id", index=True)
    may_be_negative: bool
    balance: int = Field(default=0, sa_type=BIGINT)


class Entry(SQLModel, table=True):
    """One thing that happened to money or shares; append-only, and a link of a chain (see `chain.py`)."""

    __table_args__: ClassVar[Any] = (
        CheckConstraint(
            "kind IN ('grant', 'subsidy', 'open', 'trade', 'hold', 'release', 'settle', 'correct')",
            name="kind_is_known",
        ),
        Index("uq_entry_chain_sequence", "chain", "sequence", unique=True),
    )

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    kind: str = Field(max_length=16)
    contract_id: int | None = Field(default=None, sa_type=BIGINT, foreign_key="contract.id", index=True)
    order_id: int | None = Field(default=None, sa_type=BIGINT, foreign_key="orders.id", index=True)
    corrects_id: int | None = Field(default=None, sa_type=BIGINT, foreign_key="entry.id", unique=True)
    memo: str = Field(default="", max_length=400)
    recorded_at: datetime = Field(sa_type=Moment)
    chain: int = Field(sa_type=BIGINT)  # the contract's id, or 0
    sequence: int = Field(sa_type=BIGINT)
    hash: str = Field(max_length=64)


class Checkpoint(SQLModel, table=True):
    """The heads of the hash chains at a moment, signed (see `checkpoints.py`); append-only."""

    number: int = Field(primary_key=True, sa_type=BIGINT)
    made_at: datetime = Field(sa_type=Moment)
    root: str = Field(max_length=64)
    signature: str = Field(max_length=64)


class CheckpointHead(SQLModel, table=True):
    """The head of a chain that had grown since the checkpoint before; append-only."""

    __tablename__ = "checkpoint_head"
    __table_args__: ClassVar[Any] = (Index("ix_checkpoint_head_chain", "chain", "sequence"),)

    number: int = Field(sa_type=BIGINT, foreign_key="checkpoint.number", primary_key=True)
    chain: int = Field(sa_type=BIGINT, primary_key=True)
    sequence: int = Field(sa_type=BIGINT)
    hash: str = Field(max_length=64)


class Posting(SQLModel, table=True):
    """One line of an entry: an amount added to an account; append-only."""

    __table_args__: ClassVar[Any] = (
        CheckConstraint("amount <> 0", name="amount_not_zero"),
        CheckConstraint(
            "amount > -4611686018427387904 AND amount < 4611686018427387904", name="amount_in_range"
        ),
        whole_numbers("amount"),
    )

    entry_id: int = Field(sa_type=BIGINT, foreign_key="entry.id", primary_key=True)
    line: int = Field(primary_key=True)
    account_id: int = Field(sa_type=BIGINT, foreign_key="account.id", index=True)
    amount: int = Field(sa_type=BIGINT)


class Order(SQLModel, table=True):
    """An order and the answer it was given; a refused one is kept too, and its key is spent.

    A limit order that was taken is "placed", whatever became of it since (see `LimitOrder`).
    """

    __tablename__ = "orders"  # ORDER is a word of SQL
    __table_args__: ClassVar[Any] = (
        UniqueConstraint("trader_id", "idempotency_key"),
        CheckConstraint("status IN ('filled', 'placed', 'refused')", name="status_is_known"),
        CheckConstraint("side IN ('LONG', 'SHORT') AND action IN ('buy', 'sell')", name="side_and_action"),
    )

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    trader_id: int = Field(sa_type=BIGINT, foreign_key="trader.id")
    idempotency_key: str = Field(max_length=64)
    body_hash: str = Field(max_length=64)
    board_id: int = Field(sa_type=BIGINT, foreign_key="board.id")
    term_id: int = Field(sa_type=BIGINT, foreign_key="term.id")
    period: str = Field(max_length=10)
    side: str = Field(max_length=5)
    action: str = Field(max_length=4)
    share_count: int | None = Field(default=None, sa_type=BIGINT)  # asked for; None when by credits
    spend_units: int | None = Field(default=None, sa_type=BIGINT)
    limit_units: int | None = Field(default=None, sa_type=BIGINT)  # max_cost or min_proceeds
    status: str = Field(max_length=8)
    reason: str = Field(default="", max_length=40)  # the error's name, "" when filled
    message: str = Field(default="", sa_type=Text)
    placed_at: datetime = Field(sa_type=Moment)


class Fill(SQLModel, table=True):
    """A trade as it stands on the tape: what an order, or a part of it, did to its contract.

    `from_hold` when the order was resting, so that its hold paid.
    """

    __table_args__: ClassVar[Any] = (
        CheckConstraint(
            "share_count > 0 AND fee_units > 0 AND version_after = version_before + 1", name="a_trade"
        ),
    )

    contract_id: int = Field(sa_type=BIGINT, foreign_key="contract.id", primary_key=True)
    order_id: int = Field(sa_type=BIGINT, foreign_key="orders.id", index=True)
    entry_id: int = Field(sa_type=BIGINT, foreign_key="entry.id", unique=True)
    from_hold: bool = False
    share_count: int = Field(sa_type=BIGINT)
    cost_units: int = Field(sa_type=BIGINT)  # negative: proceeds; without the fee
    fee_units: int = Field(sa_type=BIGINT)
    version_before: int = Field(sa_type=BIGINT)
    version_after: int = Field(sa_type=BIGINT, primary_key=True)
    price_before_units: int = Field(sa_type=BIGINT)  # of one LONG share
    price_after_units: int = Field(sa_type=BIGINT)
    recorded_at: datetime = Field(sa_type=Moment)


class LimitOrder(SQLModel, table=True):
    """What a limit order says beyond an order, and what became of the part of it that rested.

    `lead` is the limit as LONG shares less SHORT shares of the contract. `rested_shares` were put to rest
    when it was placed; `open_shares` of them still rest, `ended_shares` were given up, for `ended_as`.
    """

    __tablename__ = "limit_order"
    __table_args__: ClassVar[Any] = (
        CheckConstraint("stands IN ('until_cancelled', 'until_date', 'at_once')", name="stands_is_known"),
        CheckConstraint("ended_as IN ('cancelled', 'expired', 'closed', 'crossed')", name="end_is_known"),
        CheckConstraint(
            "open_shares >= 0 AND ended_shares >= 0 AND open_shares + ended_shares <= rested_shares",
            name="shares_fit",
        ),
        whole_numbers("forecast_milli", "lead", "hold_each_units", "rested_shares", "open_shares"),
        Index(
            "ix_limit_order_resting", "contract_id", "is_upward", "lead", "order_id",
            sqlite_where=text("open_shares > 0"), postgresql_where=text("open_shares > 0"),
        ),
        Index(
            "ix_limit_order_ends_at", "ends_at",
            sqlite_where=text("open_shares > 0"), postgresql_where=text("open_shares > 0"),
        ),
    )  # fmt: skip

    order_id: int = Field(sa_type=BIGINT, foreign_key="orders.id", primary_key=True)
    contract_id: int | None = Field(default=None, sa_type=BIGINT, foreign_key="contract.id")
    forecast_milli: int = Field(sa_type=BIGINT)
    stands: str = Field(max_length=16)
    good_until: date | None = Field(default=None, sa_type=Date)
    is_upward: bool  # a buy of LONG or a sale of SHORT
    lead: int | None = Field(default=None, sa_type=BIGINT)
    hold_each_units: int | None = Field(default=None, sa_type=BIGINT)  # of a buy, for each share that rests
    ends_at: datetime | None = Field(default=None, sa_type=Moment)
    rested_shares: int = Field(default=0, sa_type=BIGINT)
    open_shares: int = Field(default=0, sa_type=BIGINT)
    ended_shares: int = Field(default=0, sa_type=BIGINT)
    ended_as: str | None = Field(default=None, max_length=10)


class Cancellation(SQLModel, table=True):
    """A trader's request to end an order, and what it ended; append-only."""

    __table_args__: ClassVar[Any] = (UniqueConstraint("trader_id", "idempotency_key"),)

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    trader_id: int = Field(sa_type=BIGINT, foreign_key="trader.id")
    idempotency_key: str = Field(max_length=64)
    order_id: int = Field(sa_type=BIGINT, foreign_key="orders.id")
    ended_shares: int = Field(sa_type=BIGINT)  # 0 when nothing of it rested any more
    returned_units: int = Field(sa_type=BIGINT)
    recorded_at: datetime = Field(sa_type=Moment)


class Roll(SQLModel, table=True):
    """A standing instruction: when a contract of the term settles, buy the same side of the next period."""

    __table_args__: ClassVar[Any] = (
        UniqueConstraint("trader_id", "board_id", "term_id", "side"),
        CheckConstraint("side IN ('LONG', 'SHORT')", name="side_is_known"),
    )

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    trader_id: int = Field(sa_type=BIGINT, foreign_key="trader.id")
    board_id: int = Field(sa_type=BIGINT, foreign_key="board.id")
    term_id: int = Field(sa_type=BIGINT, foreign_key="term.id")
    side: str = Field(max_length=5)
    since: datetime = Field(sa_type=Moment)


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


class WatchEvent(SQLModel, table=True):
    """Somebody began or stopped watching a term of a board, or (term_id None) the board; append-only."""

    __tablename__ = "watch_event"

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
