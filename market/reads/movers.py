"""What traders and watchers did to the terms of a board in a stretch of time, and whom it made rise.

Trades and watches are counted apart from papers and from each other; no number mixes them. Trades are those
that are volume (see `market.volume`); traders that are linked are one. Simulated traders count like people,
and each row says how many there were.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.boards import date_on, start_of_day
from market.listing import LISTED
from market.periods import front_periods
from market.reads.volume import CountedTrade, counted_trades, volume_of
from market.tables import Board, Contract, Fill, Listing, WatchEvent
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
    """Every listed term of the board that was traded or watched from ``begin`` to ``end``; five queries."""
    found = _traded(session, board, begin, end)
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


def _traded(session: Session, board: Board, begin: datetime, end: datetime) -> dict[int, Mover]:
    """Trades of each term, whatever the period. Trading ends before a period begins, so that only contracts
    of periods that began later can have been traded."""
    first_day = date_on(board, begin)
    trades = counted_trades(
        session, board, col(Contract.first_day) > first_day,
        col(Fill.recorded_at) >= start_of_day(board, first_day), col(Fill.recorded_at) <= end,
    )  # fmt: skip
    of_term: dict[int, list[CountedTrade]] = defaultdict(list)
    for trade in trades:
        if trade.recorded_at >= begin:
            of_term[trade.term_id].append(trade)
    found: dict[int, Mover] = {}
    for row in session.execute(_names(board, first_day)) if of_term else ():
        if row.id not in of_term:
            continue
        volume = volume_of(of_term[row.id])
        found[row.id] = Mover(
            row.id, row.slug, row.label, trade_count=volume.trade_count, trader_count=volume.owner_count,
            simulated_count=volume.simulated_count,
        )  # fmt: skip
    return found


def _names(board: Board, first_day: date) -> sa.Select[*tuple[Any, ...]]:
    """The listed terms with a contract of a period that began after the day."""
    opened = sa.exists().where(
        col(Contract.board_id) == board.id, col(Contract.term_id) == Term.id,
        col(Contract.first_day) > first_day,
    )  # fmt: skip
    return (
        sa.select(col(Term.id), col(Term.slug), col(Term.label))
        .join(Listing, _is_listed(board, col(Term.id)))
        .where(opened)
    )


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
