"""What has been traded on a term of a board: its contracts, the tape, and the path of its price."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.periods import front_periods
from market.reads.corrections import CorrectionNote, void_notes
from market.reads.quotes import contract_columns, opening_maker
from market.reads.volume import counted_trades
from market.statements import in_force
from market.tables import Board, Contract, Fill, Order, SettlementStatement, Trader

TRADES_SHOWN = 25
TRACE_SHOWN = 500


@dataclass(frozen=True, slots=True)
class TermContract:
    """A contract on the term: its LONG price in units, and its trades that are volume, None when it is not
    open any more. Before the first trade has opened it, the price is the one that trade would find.

    ``is_open``: orders are taken. ``counted`` is the number of papers that it was settled on, None before and
    for one that is void. ``correction`` says why it is, or why it was settled anew.
    """

    period: str
    first_day: date
    price_units: int
    trade_count: int | None
    is_open: bool
    counted: int | None
    papers: tuple[str, ...]
    is_void: bool = False
    correction: CorrectionNote | None = None


@dataclass(frozen=True, slots=True)
class TapeTrade:
    """A trade as everyone may see it: a person's name is not told, a simulated trader's is."""

    recorded_at: datetime
    period: str
    side: str
    action: str
    share_count: int
    price_before_units: int
    price_after_units: int
    simulated_name: str | None
    is_own: bool


def contracts_of(
    session: Session,
    board: Board,
    term_id: int,
    today: date,
    opening_units: int,
    known_at: datetime | None = None,
) -> tuple[TermContract, ...]:
    """The contracts that take orders, opened or not, soonest first; then those that do not, newest first.

    ``opening_units`` is the LONG price at which those that are not opened would be. With ``known_at`` as they
    stood at that moment.
    """
    rows = _opened(session, board, term_id, known_at)
    front = front_periods(board.period, today)
    names = {period.name for period in front}
    open_now = sa.and_(col(Contract.term_id) == term_id, col(Contract.period).in_(names))
    counts = Counter(
        trade.contract_id for trade in counted_trades(session, board, open_now, *_until(known_at))
    )
    voided = void_notes(session, [row.id for row in rows.values() if row.is_void])
    notes = {number: note for number, note in voided.items() if not known_at or note.recorded_at <= known_at}
    open_ones = [
        _contract(rows[period.name], counts, notes, known_at, is_open=True)
        if period.name in rows
        else TermContract(period.name, period.first_day, opening_units, 0, True, None, ())
        for period in front
    ]
    others = [row for name, row in rows.items() if name not in names]
    rest = [_contract(row, counts, notes, known_at, is_open=False) for row in others]
    return (*open_ones, *sorted(rest, key=lambda contract: contract.first_day, reverse=True))


def tape_of(
    session: Session, board_id: int, term_id: int, trader_id: int | None, known_at: datetime | None = None
) -> tuple[TapeTrade, ...]:
    """The newest trades until ``known_at`` or now, newest first; ``is_own`` tells those of ``trader_id``."""
    rows = session.execute(
        sa.select(
            col(Fill.recorded_at), col(Order.period), col(Order.side), col(Order.action),
            col(Fill.share_count), col(Fill.price_before_units), col(Fill.price_after_units),
            col(Trader.name), col(Trader.is_simulated), col(Trader.id),
        )
        .join(Order, col(Order.id) == Fill.order_id)
        .join(Trader, col(Trader.id) == Order.trader_id)
        .where(col(Order.board_id) == board_id, col(Order.term_id) == term_id, *_until(known_at))
        .order_by(col(Fill.recorded_at).desc(), col(Fill.entry_id).desc())
        .limit(TRADES_SHOWN)
    )  # fmt: skip
    return tuple(
        TapeTrade(
            row.recorded_at, row.period, row.side, row.action, row.share_count, row.price_before_units,
            row.price_after_units, row.name if row.is_simulated else None, row.id == trader_id,
        )
        for row in rows
    )  # fmt: skip


def trace_of(
    session: Session, board_id: int, term_id: int, period: str, known_at: datetime | None = None
) -> tuple[tuple[datetime, int], ...]:
    """The LONG price of the period's contract after each of its last trades, oldest first, begun by the price
    before the first of them; empty without a trade."""
    rows = session.execute(
        sa.select(
            col(Fill.recorded_at), col(Fill.price_before_units), col(Fill.price_after_units)
        )
        .join(Contract, col(Contract.id) == Fill.contract_id)
        .where(
            col(Contract.board_id) == board_id,
            col(Contract.term_id) == term_id,
            col(Contract.period) == period,
            *_until(known_at),
        )
        .order_by(col(Fill.version_after).desc())
        .limit(TRACE_SHOWN)
    ).all()  # fmt: skip
    if not rows:
        return ()
    in_order = list(reversed(rows))
    begin = (in_order[0].recorded_at, in_order[0].price_before_units)
    return (begin, *((row.recorded_at, row.price_after_units) for row in in_order))


def _until(known_at: datetime | None) -> tuple[sa.ColumnElement[bool], ...]:
    """What a statement over `Fill` asks."""
    return () if known_at is None else (col(Fill.recorded_at) <= known_at,)


def _opened(
    session: Session, board: Board, term_id: int, known_at: datetime | None
) -> Mapping[str, Any]:
    """The rows of the contracts that had been opened, by period."""
    of_contract = (col(Fill.contract_id) == Contract.id, *_until(known_at))
    last_price = (
        sa.select(col(Fill.price_after_units))
        .where(*of_contract)
        .order_by(col(Fill.version_after).desc())
        .limit(1)
        .correlate(Contract)
    )
    was_opened = () if known_at is None else (col(Contract.opened_at) <= known_at,)
    rows = session.execute(
        sa.select(
            col(Contract.id), col(Contract.period), col(Contract.first_day), *contract_columns(),
            last_price.scalar_subquery().label("last_price"),
            col(SettlementStatement.counted), col(SettlementStatement.papers), col(Contract.is_void),
            col(SettlementStatement.reason), col(SettlementStatement.recorded_at),
        )
        .outerjoin(SettlementStatement, in_force(known_at))
        .where(col(Contract.board_id) == board.id, col(Contract.term_id) == term_id, *was_opened)
    )  # fmt: skip
    return {row.period: row for row in rows}


def _contract(
    row: Any,
    counts: Mapping[int, int],
    notes: Mapping[int, CorrectionNote],
    known_at: datetime | None,
    *,
    is_open: bool,
) -> TermContract:
    maker = opening_maker(row)
    assert maker is not None
    price = maker.price_units(row.long_shares, row.short_shares)
    if known_at is not None:
        price = maker.price_units(0, 0) if row.last_price is None else row.last_price
    if row.id in notes:
        return TermContract(
            row.period, row.first_day, price, None, False, None, (), True, notes[row.id]
        )
    correction = CorrectionNote(row.recorded_at, row.reason) if row.reason else None
    return TermContract(
        row.period, row.first_day, price, counts.get(row.id, 0) if is_open else None, is_open, row.counted,
        tuple(row.papers or ()), correction=correction,
    )  # fmt: skip
