"""Orders and what became of them: fills, what rests, cancellations, standing instructions to roll on."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, ClassVar

from sqlalchemy import CheckConstraint, Date, Index, Text, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from nlp.columns import BIGINT, Moment, whole_numbers


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
