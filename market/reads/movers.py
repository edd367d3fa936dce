"""What traders and watchers did to the terms of a board in a stretch of time, and whom it made rise.

Trades and watches are counted apart from papers and from each other; no number mixes them. Simulated traders
count like people, and each row says how many there were.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.boards import date_on
from market.listing import LISTED
from market.periods import front_periods
from market.tables import Board, Contract, Fill, Listing, Order, Trader, WatchEvent
from nlp.tables import Term

MOVERS_SHOWN = 5
LEAST_TRADERS = 2  # different ones; a single trader's opinion is no movement


@dataclass(frozen=True, slots=True)
class Mover:
    """A listed term that was traded or watched in a stretch of time.

    ``price_units`` is the LONG price of the next period's contract at its end, and ``change_units`` what was
    added to it since its begin, or since the contract opened if that was later; both None without a trade of
    that contract. ``trade_count`` trades, of any period's contract, were made by ``trader_count`` different
    traders, ``simulated_count`` of them simulated. ``watchers_gained`` is less those lost.
    """

    term_id: int
    slug: str
    label: str
    price_units: int | None = None
    change_units: int | None = None
    trade_count: int = 0
    trader_count: int = 0
    simulated_count: int = 0
    watchers_gained: int = 0


def movers(session: Session, board: Board, begin: datetime, end: datetime) -> tuple[Mover, ...]:
    """Every listed term of the board that was traded or watched from ``begin`` to ``end``. Three queries."""
    found = {
        row.term_id: Mover(
            row.term_id, row.slug, row.label, trade_count=row.trades, trader_count=row.traders,
            simulated_count=row.simulated,
        )
        for row in session.execute(_traded(board, begin, end))
    }  # fmt: skip
    if found:
        period = front_periods(board.period, date_on(board, end), 1)[0].name
        for row in session.execute(_prices(board, period, begin, end)):
            if row.term_id in found and row.last is not None:
                before = row.first if row.before is None else row.before
                found[row.term_id] = replace(
                    found[row.term_id], price_units=row.last, change_units=row.last - before
                )
    for row in session.execute(_watched(board, begin, end)):
        mover = found.get(row.term_id, Mover(row.term_id, row.slug, row.label))
        found[row.term_id] = replace(mover, watchers_gained=int(row.gained))
    return tuple(found.values())


def moved_up(found: Iterable[Mover]) -> tuple[Mover, ...]:
    """Those whose forecast rose by the trades of several traders, most papers first."""
    rising = [mover for mover in found if _moved(mover) > 0]
    return tuple(sorted(rising, key=lambda mover: (-_moved(mover), mover.label)))[:MOVERS_SHOWN]


def moved_down(found: Iterable[Mover]) -> tuple[Mover, ...]:
    """Those whose forecast fell likewise."""
    falling = [mover for mover in found if _moved(mover) < 0]
    return tuple(sorted(falling, key=lambda mover: (_moved(mover), mover.label)))[:MOVERS_SHOWN]


def newly_watched(found: Iterable[Mover]) -> tuple[Mover, ...]:
    """Those that gained watchers, most first."""
    gaining = [mover for mover in found if mover.watchers_gained > 0]
    return tuple(sorted(gaining, key=lambda mover: (-mover.watchers_gained, mover.label)))[:MOVERS_SHOWN]


def _moved(mover: Mover) -> int:
    return 0 if mover.trader_count < LEAST_TRADERS else mover.change_units or 0


def _traded(board: Board, begin: datetime, end: datetime) -> sa.Select[*tuple[Any, ...]]:
    """Trades of each term, whatever the period. Trading ends before a period begins, so that only contracts
    of periods that began later can have been traded."""
    simulated = sa.case((col(Trader.is_simulated), col(Trader.id)))
    return (
        sa.select(
            col(Contract.term_id), col(Term.slug), col(Term.label), sa.func.count().label("trades"),
            sa.func.count(sa.distinct(col(Trader.id))).label("traders"),
            sa.func.count(sa.distinct(simulated)).label("simulated"),
        )
        .select_from(Contract)
        .join(Fill, col(Fill.contract_id) == Contract.id)
        .join(Order, col(Order.id) == Fill.order_id)
        .join(Trader, col(Trader.id) == Order.trader_id)
        .join(Term, col(Term.id) == Contract.term_id)
        .join(Listing, _is_listed(board, col(Contract.term_id)))
        .where(
            col(Contract.board_id) == board.id, col(Contract.first_day) > date_on(board, begin),
            col(Fill.recorded_at) >= begin, col(Fill.recorded_at) <= end,
        )
        .group_by(col(Contract.term_id), col(Term.slug), col(Term.label))
    )  # fmt: skip


def _prices(
    board: Board, period: str, begin: datetime, end: datetime
) -> sa.Select[*tuple[Any, ...]]:
    """Of each contract of the period the price before ``begin``, before its first trade, and at ``end``, the
    last one only where it was traded in between."""
    version = col(Fill.version_after)

    def price(which: Any, order: Any, *when: sa.ColumnElement[bool]) -> sa.ScalarSelect[int]:
        of_contract = sa.select(which).where(col(Fill.contract_id) == Contract.id, *when)
        return of_contract.order_by(order).limit(1).correlate(Contract).scalar_subquery()

    recorded = col(Fill.recorded_at)
    return sa.select(
        col(Contract.term_id),
        price(col(Fill.price_after_units), version.desc(), recorded < begin).label("before"),
        price(col(Fill.price_before_units), version).label("first"),
        price(col(Fill.price_after_units), version.desc(), recorded >= begin, recorded <= end).label("last"),
    ).where(col(Contract.board_id) == board.id, col(Contract.period) == period)


def _watched(board: Board, begin: datetime, end: datetime) -> sa.Select[*tuple[Any, ...]]:
    gained = sa.func.sum(sa.case((col(WatchEvent.is_on), 1), else_=-1))
    return (
        sa.select(col(WatchEvent.term_id), col(Term.slug), col(Term.label), gained.label("gained"))
        .join(Term, col(Term.id) == WatchEvent.term_id)
        .join(Listing, _is_listed(board, col(WatchEvent.term_id)))
        .where(
            col(WatchEvent.board_id) == board.id, col(WatchEvent.recorded_at) >= begin,
            col(WatchEvent.recorded_at) <= end,
        )
        .group_by(col(WatchEvent.term_id), col(Term.slug), col(Term.label))
        .having(gained != 0)
    )  # fmt: skip


def _is_listed(board: Board, term_id: Any) -> sa.ColumnElement[bool]:
    return sa.and_(
        col(Listing.board_id) == board.id, col(Listing.term_id) == term_id, col(Listing.status) == LISTED
    )
