"""Rolling on: what a settled contract paid buys the same side of the next period, if its owner said so.

Each is an order at the market in a transaction of its own, after the settlement, with a key derived from the
settled contract: it is made once, however often this runs, and a refused one is kept with its reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial

import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, col

from market.boards import board_by_code, today_of
from market.db import read_session, transact
from market.inserts import insert_one
from market.listing import check_listed
from market.maker import Side, payout_units
from market.naming import parts_of, root_term, term_at
from market.orders import Action, OrderRequest, Receipt
from market.periods import front_periods
from market.statements import in_force
from market.tables import Account, Board, Contract, Order, Posting, Roll, SettlementStatement
from market.trading import place_order
from nlp.tables import Term

KEY = "roll:"  # the settled contract and the side follow


@dataclass(frozen=True, slots=True)
class DueRoll:
    """A settled contract whose shares of a side paid ``proceeds_units`` (above 0) to a trader who rolls."""

    trader_id: int
    board: str
    term: str
    contract_id: int
    side: Side
    proceeds_units: int

    @property
    def key(self) -> str:
        """The idempotency key of its order."""
        return f"{KEY}{self.contract_id}:{self.side}"


def set_roll(
    session: Session, trader_id: int, board: Board, term_id: int, side: Side, on: bool, now: datetime
) -> bool:
    """Begin (``on``) or stop rolling a side of a term; whether that changed anything.

    What settled before it began is not rolled. When it stops, it stops for the terms that became part of this
    one too. Raises `UnknownTerm` when it begins on a term that is not listed.
    """
    if on:
        check_listed(session, board, term_id)
        row = {
            "trader_id": trader_id, "board_id": board.id, "term_id": term_id, "side": side.value,
            "since": now,
        }  # fmt: skip
        return insert_one(session, Roll, row)
    ended = sa.delete(Roll).where(
        col(Roll.trader_id) == trader_id,
        col(Roll.board_id) == board.id,
        col(Roll.term_id).in_([term_id, *parts_of(session, term_id)]),
        col(Roll.side) == side.value,
    )
    return session.execute(ended.returning(col(Roll.id))).first() is not None


def rolls_due(session: Session) -> tuple[DueRoll, ...]:
    """Every settled position whose owner rolls it and whose order has not been made; in one order."""
    number = sa.cast(col(Contract.id), sa.String)
    statement = (
        sa.select(
            col(Roll.trader_id), col(Board.code), col(Term.slug), col(Contract.id), col(Roll.side),
            col(Posting.amount), col(Contract.cap), col(SettlementStatement.counted),
        )
        .select_from(Roll)
        .join(Board, col(Board.id) == Roll.board_id)
        .join(Term, col(Term.id) == Roll.term_id)
        .join(
            Contract,
            sa.and_(
                col(Contract.board_id) == Roll.board_id,
                col(Contract.term_id) == Roll.term_id,
                col(Contract.settled_at) >= Roll.since,
            ),
        )
        .join(SettlementStatement, in_force())
        .join(
            Account,
            sa.and_(
                col(Account.contract_id) == Contract.id,
                col(Account.trader_id) == Roll.trader_id,
                col(Account.asset) == sa.literal("contract:") + number + ":" + col(Roll.side),
            ),
        )
        .join(
            Posting,
            sa.and_(
                col(Posting.entry_id) == SettlementStatement.entry_id,
                col(Posting.account_id) == Account.id,
                col(Posting.amount) < 0,
            ),
        )
        .outerjoin(
            Order,
            sa.and_(
                col(Order.trader_id) == Roll.trader_id,
                col(Order.idempotency_key) == sa.literal(KEY) + number + ":" + col(Roll.side),
            ),
        )
        .where(col(Order.id).is_(None))
        .order_by(col(Contract.id), col(Roll.trader_id), col(Roll.side))
    )  # fmt: skip
    due = (
        DueRoll(trader, code, slug, contract, Side(side), -amount * payout_units(cap, Side(side), counted))
        for trader, code, slug, contract, side, amount, cap, counted in session.execute(statement)
    )
    return tuple(each for each in due if each.proceeds_units > 0)


def roll_on(session: Session, due: DueRoll, now: datetime) -> Receipt:
    """Order the same side of the next open period for what the settlement paid; the caller commits.

    Where the term has become part of another since, that one is ordered.
    """
    board = board_by_code(session, due.board)
    period = front_periods(board.period, today_of(board, now), 1)[0]
    term = term_at(session, due.term)
    assert term is not None
    term = root_term(session, term)
    request = OrderRequest(
        due.board, term.slug, period.name, due.side, Action.BUY, None, due.proceeds_units, None
    )
    return place_order(session, due.trader_id, request, due.key, now)


def roll_settled(engine: Engine, now: datetime) -> tuple[Receipt, ...]:
    """Roll on all that is due, each in a transaction of its own. It may be stopped anywhere and run again."""
    with read_session(engine) as session:
        due = rolls_due(session)
    return tuple(transact(engine, partial(roll_on, due=each, now=now)) for each in due)
