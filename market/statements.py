"""What a contract settles on: when it may, and which papers count.

k is the number of distinct papers that the board lists within the period and whose abstract carries the term,
by the version of the term that the contract was opened with.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from market.errors import SettlementWaits
from market.tables import Board, BoardDay, BoardPaper, Contract, SettlementStatement
from nlp.tables import Paper, StoredMention


def in_force(known_at: datetime | None = None) -> sa.ColumnElement[bool]:
    """What joins contracts to the statement that stands, or stood at a moment; none where one is void."""
    of_contract = col(SettlementStatement.contract_id) == Contract.id
    if known_at is None:
        return sa.and_(of_contract, col(SettlementStatement.number) == Contract.statement_number)
    other = aliased(SettlementStatement)
    last = (
        sa.select(sa.func.max(col(other.number)))
        .where(col(other.contract_id) == Contract.id, col(other.recorded_at) <= known_at)
        .correlate(Contract)
        .scalar_subquery()
    )
    return sa.and_(of_contract, col(SettlementStatement.number) == last)


def is_due(board: Board, last_day: date, today: date) -> bool:
    """Whether the board's grace days after ``last_day`` are over on ``today``."""
    return last_day + timedelta(days=board.grace_days) < today


def check_ready(session: Session, contract: Contract, board: Board, today: date) -> None:
    """Raise `SettlementWaits` with what is missing."""
    if not is_due(board, contract.last_day, today):
        until = contract.last_day + timedelta(days=board.grace_days)
        raise SettlementWaits(f"{contract.period} takes late papers until {until:%-d %B %Y}.")
    days = session.exec(
        select(BoardDay)
        .where(BoardDay.board_id == board.id)
        .where(col(BoardDay.day).between(contract.first_day, contract.last_day))
        .order_by(col(BoardDay.day))
    ).all()
    still_open = [row.day for row in days if row.paper_count and row.closed_at is None]
    if still_open:
        names = ", ".join(f"{day:%-d %B %Y}" for day in still_open)
        raise SettlementWaits(f"Not yet closed on {board.code}: {names}.")
    if not any(row.closed_at for row in days):
        raise SettlementWaits(f"No day of {contract.period} was closed on {board.code}; was nothing read in?")


def carrying_papers(session: Session, contract: Contract) -> tuple[str, ...]:
    """The identifiers of the papers that count, sorted by code point."""
    carries = sa.exists().where(
        col(StoredMention.paper_id) == Paper.id,
        col(StoredMention.term_version_id) == contract.term_version_id,
    )
    found = session.exec(
        select(Paper.identifier)
        .join(BoardPaper, col(BoardPaper.paper_id) == Paper.id)
        .where(
            BoardPaper.board_id == contract.board_id,
            col(BoardPaper.day).between(contract.first_day, contract.last_day),
            carries,
        )
    )
    return tuple(sorted(found))
