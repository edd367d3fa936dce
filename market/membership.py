"""Who wants to be on the leaderboard: nobody, until they say so."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from market.inserts import insert_one
from market.tables import LeaderboardMember


def set_membership(session: Session, trader_id: int, on: bool, now: datetime) -> bool:
    """Put the trader's name on the leaderboard, or take it off; whether that changed anything.

    The caller commits, and from then on the name is there or gone, in past seasons too.
    """
    if on:
        return insert_one(session, LeaderboardMember, {"trader_id": trader_id, "since": now})
    ended = sa.delete(LeaderboardMember).where(col(LeaderboardMember.trader_id) == trader_id)
    return session.execute(ended.returning(col(LeaderboardMember.trader_id))).first() is not None


def is_member(session: Session, trader_id: int) -> bool:
    """Whether the trader wants to be on the leaderboard."""
    return session.get(LeaderboardMember, trader_id) is not None
