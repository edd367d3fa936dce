"""Traders and the ledger: accounts, entries, their postings, and the signed heads of their chains."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import CheckConstraint, Index
from sqlmodel import Field, SQLModel

from nlp.columns import BIGINT, Moment, whole_numbers


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
