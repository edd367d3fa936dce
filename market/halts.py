"""Trading halted by the operator: events that are never changed, and what is halted now.

What is halted is the fold of the events: of a board, of a term on it, of a period's contracts, the last event
about exactly that says on or off. A contract is halted while anything that covers it is; its row says so too
(`is_halted`), since orders look there, under the contract's lock.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from market.boards import board_by_code, today_of
from market.entries import HOUSE_MINT
from market.errors import ContractClosed, TradingHalted, UnknownPeriod
from market.ledger import lock_accounts
from market.listing import listed_term
from market.periods import parse_period
from market.remarks import Remark
from market.tables import Board, Contract, Entry, HaltEvent
from nlp.tables import Term

_EVENTS = (
    sa.select(
        col(HaltEvent.board_id), col(HaltEvent.term_id), col(HaltEvent.period), col(HaltEvent.is_on),
        col(HaltEvent.reason), col(HaltEvent.operator), col(HaltEvent.recorded_at),
        col(Board.code), col(Term.slug), col(Term.label),
    )
    .join(Board, col(Board.id) == HaltEvent.board_id)
    .outerjoin(Term, col(Term.id) == HaltEvent.term_id)
    .order_by(col(HaltEvent.id))
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scope:
    """A board, with a term only that term on it, with a period only its contracts."""

    board_id: int
    term_id: int | None
    period: str | None

    def covers(self, term_id: int, period: str) -> bool:
        """Whether the contract of the term and period, which is on the board, lies in it."""
        return self.term_id in (None, term_id) and self.period in (None, period)


@dataclass(frozen=True, slots=True)
class Halt:
    """Trading is halted in ``scope`` since a moment, for a reason; ``term`` and ``slug`` are the term's label
    and address, None for all terms of the board."""

    scope: Scope
    board: str
    term: str | None
    slug: str | None
    reason: str
    operator: str
    since: datetime

    @property
    def what(self) -> str:
        """What is halted, as "diffusion model on cs.LG, 2026-W21"."""
        place = f"{self.term} on {self.board}" if self.term is not None else self.board
        return place if self.scope.period is None else f"{place}, {self.scope.period}"


@dataclass(frozen=True, slots=True)
class HaltChange:
    """What came of a request: whether it changed anything, the halt it was about (None: there was none to
    end), and what else of the board is halted now."""

    is_changed: bool
    what: str
    halt: Halt | None
    others: tuple[Halt, ...]


def halt(
    session: Session, board: str, term: str | None, period: str | None, remark: Remark, now: datetime
) -> HaltChange:
    """Take no orders on the board, the term (its slug) or the period's contracts, and fill none that rest.

    Halting what is halted changes nothing, and answers with the reason that stands. Raises `UnknownBoard`,
    `UnknownTerm`, `UnknownPeriod`, and `ContractClosed` for a period whose trading is over; the caller
    commits.
    """
    found, scope, what = _scope(session, board, term, period)
    if period is not None and (first_day := parse_period(period).first_day) <= today_of(found, now):
        raise ContractClosed(period, first_day)
    return _change(session, scope, what, remark, now, on=True)


def resume(
    session: Session, board: str, term: str | None, period: str | None, remark: Remark, now: datetime
) -> HaltChange:
    """End the halt of exactly this; raises as `halt`, but a closed period's can be ended."""
    _, scope, what = _scope(session, board, term, period)
    return _change(session, scope, what, remark, now, on=False)


def halts_of_board(session: Session, board_id: int) -> tuple[Halt, ...]:
    """What is halted on the board, the longest halted first; one query."""
    return _folded(session, col(HaltEvent.board_id) == board_id)


def all_halts(session: Session) -> tuple[Halt, ...]:
    """What is halted on any board; one query."""
    return _folded(session, sa.true())


def halts_of_term(session: Session, board_id: int, term_id: int) -> tuple[Halt, ...]:
    """What is halted that concerns the term on the board, the whole board included; one query."""
    of_term = sa.or_(col(HaltEvent.term_id).is_(None), col(HaltEvent.term_id) == term_id)
    return _folded(session, sa.and_(col(HaltEvent.board_id) == board_id, of_term))


def covering(halts: Iterable[Halt], board: str, slug: str, period: str) -> tuple[Halt, ...]:
    """Those of the halts that concern the contract of the board (its code), term (its slug) and period."""
    return tuple(
        each
        for each in halts
        if each.board == board and each.slug in (None, slug) and each.scope.period in (None, period)
    )


def check_trading(session: Session, board_id: int, term_id: int, period: str) -> None:
    """Raise `TradingHalted` if the contract is halted; one query."""
    for each in halts_of_term(session, board_id, term_id):
        if each.scope.covers(term_id, period):
            raise TradingHalted(each.what, each.reason, each.since)


def _scope(
    session: Session, code: str, slug: str | None, period: str | None
) -> tuple[Board, Scope, str]:
    board = board_by_code(session, code)
    term = None if slug is None else listed_term(session, board, slug)[1]
    if period is not None and parse_period(period).kind != board.period:
        raise UnknownPeriod(f"{period} is no period of {code}, which is kept by the {board.period}.")
    assert board.id is not None
    scope = Scope(board.id, None if term is None else term.id, period)
    place = code if term is None else f"{term.label} on {code}"
    return board, scope, place if period is None else f"{place}, {period}"


def _change(
    session: Session, scope: Scope, what: str, remark: Remark, now: datetime, *, on: bool
) -> HaltChange:
    # Contracts are opened, and halts made, under this lock: each sees all of the other.
    lock_accounts(session, (HOUSE_MINT,))
    before = halts_of_board(session, scope.board_id)
    standing = next((each for each in before if each.scope == scope), None)
    if on is (standing is not None):
        return HaltChange(False, what, standing, tuple(each for each in before if each.scope != scope))
    contracts = _locked(session, scope)
    last = session.scalar(sa.select(sa.func.max(col(Entry.id)))) or 0
    session.add(
        HaltEvent(
            board_id=scope.board_id, term_id=scope.term_id, period=scope.period, is_on=on,
            reason=remark.reason, operator=remark.operator, after_entry=last, recorded_at=now,
        )
    )  # fmt: skip
    session.flush()
    after = halts_of_board(session, scope.board_id)
    _mark(session, contracts, after)
    halt = next((each for each in after if each.scope == scope), standing)
    return HaltChange(True, what, halt, tuple(each for each in after if each.scope != scope))


def _locked(session: Session, scope: Scope) -> list[Contract]:
    """The unsettled contracts of the scope, their rows held for this transaction: no trade is under way."""
    statement = sa.select(Contract).where(
        col(Contract.board_id) == scope.board_id, col(Contract.settled_at).is_(None)
    )
    if scope.term_id is not None:
        statement = statement.where(col(Contract.term_id) == scope.term_id)
    if scope.period is not None:
        statement = statement.where(col(Contract.period) == scope.period)
    fresh = statement.execution_options(populate_existing=True)
    return list(session.scalars(fresh.order_by(col(Contract.id)).with_for_update()))


def _mark(session: Session, contracts: Iterable[Contract], halts: tuple[Halt, ...]) -> None:
    for contract in contracts:
        is_halted = any(each.scope.covers(contract.term_id, contract.period) for each in halts)
        if is_halted is not contract.is_halted:
            contract.is_halted = is_halted
            session.add(contract)
    session.flush()


def _folded(session: Session, which: sa.ColumnElement[bool]) -> tuple[Halt, ...]:
    standing: dict[Scope, Halt] = {}
    for row in session.connection().execute(_EVENTS.where(which)):
        scope = Scope(row.board_id, row.term_id, row.period)
        standing.pop(scope, None)
        if row.is_on:
            standing[scope] = Halt(
                scope, row.code, row.label, row.slug, row.reason, row.operator, row.recorded_at
            )
    return tuple(standing.values())
