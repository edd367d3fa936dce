"""What was traded, as pages count it: the trades that are volume (see `market.volume`), and by whom."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import Session, col

from market.boards import zone_of
from market.links import links_now, owners
from market.orders import Action
from market.tables import Board, Contract, Fill, Order, Trader
from market.volume import Dealt, counted_shares


class CountedTrade(NamedTuple):
    """A trade with ``share_count`` shares (more than 0) that count. ``owner`` is the trader, or the least id
    of those that are linked with them."""

    term_id: int
    contract_id: int
    owner: int
    is_simulated: bool
    share_count: int
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Volume:
    """So many trades that count, by so many different owners, ``simulated_count`` of them simulated."""

    trade_count: int
    owner_count: int
    simulated_count: int
    share_count: int


def counted_trades(
    session: Session, board: Board, *which: sa.ColumnElement[bool]
) -> tuple[CountedTrade, ...]:
    """The trades on the board that count, of the contracts and fills that ``which`` asks for; two queries.

    What is to be counted from within a day has to be asked for from its begin, or the first half of a round
    trip is missed.
    """
    rows = session.connection().execute(
        sa.select(
            col(Contract.term_id), col(Fill.contract_id), col(Order.trader_id), col(Trader.is_simulated),
            col(Order.side), col(Order.action), col(Fill.share_count), col(Fill.recorded_at),
        )
        .select_from(Contract)
        .join(Fill, col(Fill.contract_id) == Contract.id)
        .join(Order, col(Order.id) == Fill.order_id)
        .join(Trader, col(Trader.id) == Order.trader_id)
        .where(col(Contract.board_id) == board.id, *which)
        .order_by(col(Fill.contract_id), col(Fill.version_after))
    ).all()  # fmt: skip
    if not rows:
        return ()
    belongs, zone = owners(links_now(session)), zone_of(board)
    dealt = [
        Dealt(
            belongs.get(trader, trader), contract, side, at.astimezone(zone).date(),
            shares if action == Action.BUY else -shares,
        )
        for _, contract, trader, _, side, action, shares, at in rows
    ]  # fmt: skip
    return tuple(
        CountedTrade(term, contract, trade.owner, is_simulated, shares, at)
        for (term, contract, _, is_simulated, _, _, _, at), trade, shares in zip(
            rows, dealt, counted_shares(dealt), strict=True
        )
        if shares
    )


def volume_of(trades: Iterable[CountedTrade]) -> Volume:
    """Their sum."""
    counted = list(trades)
    simulated = {trade.owner for trade in counted if trade.is_simulated}
    return Volume(
        trade_count=len(counted),
        owner_count=len({trade.owner for trade in counted}),
        simulated_count=len(simulated),
        share_count=sum(trade.share_count for trade in counted),
    )
