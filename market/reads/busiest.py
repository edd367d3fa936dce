"""The busiest listed terms of a board and what is public about their open contracts at a moment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from market.boards import today_of
from market.listing import LISTED
from market.tables import Activity, Board, BoardDay, Contract, Fill, Listing
from nlp.tables import Term

DAYS_BACK = 8
TRADES_BACK = 6


@dataclass(frozen=True, slots=True)
class BusyTerm:
    """A listed term with its papers on each of the board's last closed days, oldest first."""

    term_id: int
    slug: str
    paper_counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OpenContract:
    """A contract that has been traded: its depth, and the LONG prices (units) after its last trades, oldest
    first."""

    contract_id: int
    depth_shares: int
    opening_milli: int
    recent_units: tuple[int, ...]


def busiest_terms(session: Session, board: Board, now: datetime, limit: int) -> tuple[BusyTerm, ...]:
    """The terms in most papers of the board's last closed days; only days closed by `now` are looked at."""
    days = _closed_days(session, board, now)
    total = sa.func.sum(Activity.paper_count)
    found = session.execute(
        sa.select(col(Activity.term_id), col(Term.slug))
        .join(Term, col(Term.id) == col(Activity.term_id))
        .join(
            Listing,
            sa.and_(col(Listing.board_id) == board.id, col(Listing.term_id) == col(Activity.term_id)),
        )
        .where(
            col(Activity.board_id) == board.id,
            col(Activity.day).in_(days),
            col(Listing.status) == LISTED,
            col(Listing.listed_on) <= today_of(board, now),
        )
        .group_by(col(Activity.term_id), col(Term.slug))
        .order_by(total.desc(), col(Term.slug))
        .limit(limit)
    ).all()
    counts = _paper_counts(session, board, days, [term_id for term_id, _ in found])
    return tuple(BusyTerm(term_id, slug, counts[term_id]) for term_id, slug in found)


def open_contracts(
    session: Session, board: Board, term_ids: Sequence[int], periods: Sequence[str]
) -> dict[tuple[int, str], OpenContract]:
    """The traded contracts of these terms and periods, by term and period."""
    rows = session.execute(
        sa.select(
            col(Contract.term_id), col(Contract.period), col(Contract.id), col(Contract.depth_shares),
            col(Contract.forecast_milli),
        ).where(
            col(Contract.board_id) == board.id,
            col(Contract.term_id).in_(term_ids),
            col(Contract.period).in_(periods),
        )
    ).all()
    prices = _recent_prices(session, [row.id for row in rows])
    return {
        (row.term_id, row.period): OpenContract(row.id, row.depth_shares, row.forecast_milli, prices[row.id])
        for row in rows
    }


def _closed_days(session: Session, board: Board, now: datetime) -> list[date]:
    days = session.scalars(
        sa.select(col(BoardDay.day))
        .where(col(BoardDay.board_id) == board.id, col(BoardDay.closed_at) <= now)
        .order_by(col(BoardDay.day).desc())
        .limit(DAYS_BACK)
    )
    return sorted(days)


def _paper_counts(
    session: Session, board: Board, days: Sequence[date], term_ids: Sequence[int]
) -> Mapping[int, tuple[int, ...]]:
    rows = session.execute(
        sa.select(col(Activity.term_id), col(Activity.day), col(Activity.paper_count)).where(
            col(Activity.board_id) == board.id,
            col(Activity.term_id).in_(term_ids),
            col(Activity.day).in_(days),
        )
    )
    by_term: dict[int, dict[date, int]] = defaultdict(dict)
    for term_id, day, count in rows:
        by_term[term_id][day] = count
    return {term_id: tuple(by_day.get(day, 0) for day in days) for term_id, by_day in by_term.items()}


def _recent_prices(session: Session, contract_ids: Sequence[int]) -> Mapping[int, tuple[int, ...]]:
    rank = sa.func.row_number().over(
        partition_by=col(Fill.contract_id), order_by=col(Fill.version_after).desc()
    )
    ranked = (
        sa.select(
            col(Fill.contract_id), col(Fill.version_after), col(Fill.price_after_units), rank.label("age")
        )
        .where(col(Fill.contract_id).in_(contract_ids))
        .subquery()
    )
    prices: dict[int, list[int]] = defaultdict(list)
    for contract_id, price in session.execute(
        sa.select(ranked.c.contract_id, ranked.c.price_after_units)
        .where(ranked.c.age <= TRADES_BACK)
        .order_by(ranked.c.contract_id, ranked.c.version_after)
    ):
        prices[contract_id].append(price)
    return defaultdict(tuple, {contract_id: tuple(found) for contract_id, found in prices.items()})
