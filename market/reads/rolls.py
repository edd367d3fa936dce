"""What a trader rolls on, and what became of it last."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from market.rolling import KEY
from market.tables import Board, Order, Roll
from nlp.tables import Term


@dataclass(frozen=True)
class RollView:
    """A side of a term that is rolled on, since when, and the newest order made of it: `order_id` None while
    there is none, `message` the reason when that one was refused."""

    board_code: str
    term_slug: str
    term_label: str
    side: str
    since: datetime
    order_id: int | None
    message: str


def rolls_of(session: Session, trader_id: int) -> tuple[RollView, ...]:
    """The trader's standing instructions; one query."""
    newest = (
        sa.select(sa.func.max(col(Order.id)))
        .where(
            col(Order.trader_id) == Roll.trader_id,
            col(Order.board_id) == Roll.board_id,
            col(Order.term_id) == Roll.term_id,
            col(Order.side) == Roll.side,
            col(Order.idempotency_key).like(f"{KEY}%"),
        )
        .correlate(Roll)
        .scalar_subquery()
    )
    rows = session.execute(
        sa.select(
            col(Board.code), col(Term.slug), col(Term.label), col(Roll.side), col(Roll.since),
            col(Order.id), col(Order.message),
        )
        .select_from(Roll)
        .join(Board, col(Board.id) == Roll.board_id)
        .join(Term, col(Term.id) == Roll.term_id)
        .outerjoin(Order, col(Order.id) == newest)
        .where(col(Roll.trader_id) == trader_id)
        .order_by(col(Board.position), col(Term.label), col(Roll.side))
    )  # fmt: skip
    return tuple(
        RollView(code, slug, label, side, since, order_id, message or "")
        for code, slug, label, side, since, order_id, message in rows
    )
