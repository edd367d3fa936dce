"""Simulated traders trade: by the ordinary order path, at given moments, the same way every time.

Chance comes from the moment and the trader's name, so an interrupted run goes on as if it had not been.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random

import sqlalchemy as sa
from sqlmodel import Session, col

from market.maker import Side
from market.robots.floor import Floor, floor_at
from market.robots.roster import ROSTER, Robot
from market.robots.strategy import Idea, MarketView
from market.tables import Account, Order, Trader
from market.traders import find_trader, open_trader
from market.trading import OrderRequest, place_order

MARKETS_SEEN = 5  # at one glance


@dataclass(frozen=True, slots=True)
class Round:
    """What the simulated traders did at one moment."""

    filled_count: int
    refused_count: int


def trade_once(session: Session, now: datetime, roster: Sequence[Robot] = ROSTER) -> Round:
    """Let every simulated trader trade at the moment `now`; who is not there yet joins first.

    Nothing happens at a moment that is not after the last one traded at. Raises `NameTaken` when a person has
    the name of a simulated trader.
    """
    filled = refused = 0
    last = last_traded(session)
    if last is not None and now <= last:
        return Round(filled, refused)
    floor = floor_at(session, now)
    for robot in roster:
        trader_id = _join(session, robot, now)
        for glance in range(robot.glances):
            key = f"{now:%Y-%m-%dT%H:%M}.{glance}"
            idea = _idea(session, robot, trader_id, floor, Random(f"{robot.name} {key}"))
            if idea is None:
                continue
            receipt = place_order(session, trader_id, _request(idea), key, now)
            filled += receipt.is_filled
            refused += not receipt.is_filled
    return Round(filled, refused)


def last_traded(session: Session) -> datetime | None:
    """The moment of the newest order of a simulated trader."""
    return _newest_order(session, simulated=True)


def people_have_traded(session: Session) -> bool:
    """Whether anybody who is not simulated has placed an order."""
    return _newest_order(session, simulated=False) is not None


def _newest_order(session: Session, *, simulated: bool) -> datetime | None:
    return session.scalar(
        sa.select(sa.func.max(Order.placed_at))
        .join(Trader, col(Trader.id) == col(Order.trader_id))
        .where(col(Trader.is_simulated) == simulated)
    )


def _join(session: Session, robot: Robot, now: datetime) -> int:
    trader = find_trader(session, robot.name)
    if trader is None or not trader.is_simulated:
        trader = open_trader(session, robot.name, None, now, is_simulated=True)
    assert trader.id is not None
    return trader.id


def _idea(session: Session, robot: Robot, trader_id: int, floor: Floor, chance: Random) -> Idea | None:
    seen = floor.glance(chance, MARKETS_SEEN)
    shares = _shares(session, trader_id)
    return robot.strategy([_with_shares(market, shares) for market in seen], chance)


def _shares(session: Session, trader_id: int) -> dict[tuple[int | None, str], int]:
    """What the trader holds, by contract and side."""
    rows = session.execute(
        sa.select(col(Account.contract_id), col(Account.name), col(Account.balance)).where(
            col(Account.trader_id) == trader_id,
            col(Account.contract_id).is_not(None),
            col(Account.balance) > 0,
        )
    )
    return {(contract_id, name.rpartition(":")[2]): balance for contract_id, name, balance in rows}


def _with_shares(market: MarketView, shares: dict[tuple[int | None, str], int]) -> MarketView:
    return replace(
        market,
        long_held=shares.get((market.contract_id, Side.LONG), 0),
        short_held=shares.get((market.contract_id, Side.SHORT), 0),
    )


def _request(idea: Idea) -> OrderRequest:
    market = idea.market
    return OrderRequest(
        board=market.board, term=market.term, period=market.period, side=idea.side, action=idea.action,
        share_count=idea.share_count, spend_units=None, limit_units=None,
    )
