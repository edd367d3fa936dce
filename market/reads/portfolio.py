"""What a trader holds and what became of it: positions by average cost, profit and loss, equity.

Costs and results are kept apart from fees, so that exactly, in whole units,

    equity = grants + realised + unrealised - fees paid

where equity is the cash, what is set aside for open orders, and what selling everything to the market maker
would bring now, less the fees of those sales.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from market.boards import today_of
from market.entries import trader_cash, trader_hold
from market.maker import Maker, Side
from market.reads.corrections import CorrectionNote, void_notes
from market.statements import in_force
from market.tables import Account, Board, Contract, Entry, Fill, Order, Posting, SettlementStatement
from market.valuation import sales
from nlp.tables import Term


@dataclass(frozen=True)
class Position:
    """One side of one contract as one trader has traded it; amounts in units.

    `basis_units` is what the shares still held cost, by average cost and without fees; `value_units` what
    selling them now would bring after the fee (0 when none are held). When a trader holds both sides of a
    contract, LONG is taken as sold first, so that the two values add up to what selling both brings.
    `counted` is the settled number of papers, None before that; `is_open` while orders are taken. Of a
    contract that `is_void` nothing is left, no gain and no fee; `correction` says why, or why it was settled
    anew.
    """

    board_code: str
    board_name: str
    term_slug: str
    term_label: str
    period: str
    first_day: date
    last_day: date
    cap: int
    side: str
    share_count: int
    basis_units: int
    value_units: int
    realised_units: int
    fee_units: int
    counted: int | None
    is_open: bool
    is_void: bool = False
    correction: CorrectionNote | None = None

    @property
    def unrealised_units(self) -> int:
        """What selling now would add to what the shares cost."""
        return self.value_units - self.basis_units

    @property
    def average_cost_units(self) -> int | None:
        """What one held share cost on average, rounded to the unit; None when none are held."""
        return round(self.basis_units / self.share_count) if self.share_count else None


@dataclass(frozen=True)
class Portfolio:
    """A trader's cash and positions: `held` have shares, `past` are sold out, settled or void (newest first).

    `granted_units` is what the trader was given, less what was taken back of it; `hold_units` of cash are set
    aside for open orders, beside `cash_units`.
    """

    granted_units: int
    cash_units: int
    hold_units: int
    held: tuple[Position, ...]
    past: tuple[Position, ...]

    @property
    def value_units(self) -> int:
        """What selling every held position to the market maker would bring, after fees."""
        return sum(position.value_units for position in self.held)

    @property
    def equity_units(self) -> int:
        """Cash, what is set aside, and the value of the positions."""
        return self.cash_units + self.hold_units + self.value_units

    @property
    def unrealised_units(self) -> int:
        """What selling everything now would add to what the shares cost."""
        return sum(position.unrealised_units for position in self.held)

    @property
    def realised_units(self) -> int:
        """What sales and settlements added to what their shares had cost, before fees."""
        return sum(position.realised_units for position in self.held + self.past)

    @property
    def fee_units(self) -> int:
        """All fees paid so far."""
        return sum(position.fee_units for position in self.held + self.past)


def portfolio(session: Session, trader_id: int, now: datetime) -> Portfolio:
    """The trader's cash, and every position, folded from the trades: two queries, however many there are, and
    one more where a contract is void."""
    names = [trader_cash(trader_id).name, trader_hold(trader_id).name]
    accounts = sa.select(col(Account.name), col(Account.balance), _granted(names[0]).label("granted"))
    rows = session.execute(accounts.where(col(Account.name).in_(names))).all()
    balances: dict[str, int] = {row.name: row.balance for row in rows}
    positions: list[Position] = []
    trades = _trades(session, trader_id)
    notes = void_notes(session, {row.contract_id for row in trades if row.is_void})
    for _, of_contract in groupby(trades, key=lambda row: row.contract_id):
        positions.extend(_positions(list(of_contract), notes, now))
    return Portfolio(
        granted_units=int(rows[0].granted) if rows else 0,
        cash_units=balances.get(names[0], 0),
        hold_units=balances.get(names[1], 0),
        held=tuple(position for position in positions if position.share_count),
        past=tuple(position for position in reversed(positions) if not position.share_count),
    )


def _granted(cash: str) -> sa.ScalarSelect[Any]:
    """What grants and their corrections have added to the account; no other entry belongs to no contract."""
    account = aliased(Account)
    return (
        sa.select(sa.func.coalesce(sa.func.sum(col(Posting.amount)), 0))
        .join_from(Posting, account, col(account.id) == Posting.account_id)
        .join(Entry, col(Entry.id) == Posting.entry_id)
        .where(col(account.name) == cash, col(Entry.contract_id).is_(None))
        .scalar_subquery()
    )


def _trades(session: Session, trader_id: int) -> Sequence[sa.Row[Any]]:
    """The trader's trades with their contracts, in the order in which each contract saw them."""
    return session.execute(
        sa.select(
            col(Fill.contract_id), col(Fill.share_count), col(Fill.cost_units), col(Fill.fee_units),
            col(Order.side), col(Order.action),
            col(Contract.period), col(Contract.first_day), col(Contract.last_day), col(Contract.cap),
            col(Contract.prior_1024), col(Contract.depth_shares),
            col(Contract.long_shares), col(Contract.short_shares),
            Board, col(Term.slug), col(Term.label), col(SettlementStatement.counted), col(Contract.is_void),
            col(SettlementStatement.reason), col(SettlementStatement.recorded_at),
        )
        .select_from(Fill)
        .join(Order, col(Order.id) == col(Fill.order_id))
        .join(Contract, col(Contract.id) == col(Fill.contract_id))
        .join(Board, col(Board.id) == col(Contract.board_id))
        .join(Term, col(Term.id) == col(Contract.term_id))
        .outerjoin(SettlementStatement, in_force())
        .where(col(Order.trader_id) == trader_id)
        .order_by(
            col(Contract.first_day), col(Board.position), col(Term.label),
            col(Contract.id), col(Fill.version_after),
        )
    ).all()


@dataclass
class _Book:
    """The running account of one side of one contract."""

    trade_count: int = 0
    share_count: int = 0
    basis_units: int = 0
    realised_units: int = 0
    fee_units: int = 0

    def add(self, row: sa.Row[Any]) -> None:
        self.trade_count += 1
        self.fee_units += row.fee_units
        if row.action == "buy":
            self.share_count += row.share_count
            self.basis_units += row.cost_units
        else:
            self.close(row.share_count, -row.cost_units)

    def close(self, share_count: int, proceeds_units: int) -> None:
        """Take shares out at their average cost; what rounding leaves stays with the rest."""
        taken = self.basis_units * share_count // self.share_count if share_count else 0
        self.share_count -= share_count
        self.basis_units -= taken
        self.realised_units += proceeds_units - taken


def _positions(
    rows: list[sa.Row[Any]], notes: Mapping[int, CorrectionNote], now: datetime
) -> list[Position]:
    """The positions of one contract, LONG before SHORT."""
    books = {side: _Book() for side in Side}
    for row in rows:
        books[Side(row.side)].add(row)
    contract = rows[0]
    maker = Maker(contract.cap, contract.prior_1024, contract.depth_shares)
    note = notes.get(contract.contract_id)
    if note is not None:
        books = {side: _Book(trade_count=book.trade_count) for side, book in books.items()}
    elif contract.reason:
        note = CorrectionNote(contract.recorded_at, contract.reason)
    if contract.counted is not None:
        for side, book in books.items():
            book.close(book.share_count, book.share_count * maker.payout_units(side, contract.counted))
    held = {side: book.share_count for side, book in books.items()}
    sold = sales(maker, contract.long_shares, contract.short_shares, held)
    today = today_of(contract.Board, now)
    return [
        _position(contract, side, book, sold[side].value_units if side in sold else 0, note, today)
        for side, book in books.items()
        if book.trade_count
    ]


def _position(
    contract: sa.Row[Any],
    side: Side,
    book: _Book,
    value_units: int,
    correction: CorrectionNote | None,
    today: date,
) -> Position:
    return Position(
        board_code=contract.Board.code,
        board_name=contract.Board.name,
        term_slug=contract.slug,
        term_label=contract.label,
        period=contract.period,
        first_day=contract.first_day,
        last_day=contract.last_day,
        cap=contract.cap,
        side=side,
        share_count=book.share_count,
        basis_units=book.basis_units,
        value_units=value_units,
        realised_units=book.realised_units,
        fee_units=book.fee_units,
        counted=contract.counted,
        is_open=contract.counted is None and not contract.is_void and today < contract.first_day,
        is_void=contract.is_void,
        correction=correction,
    )
