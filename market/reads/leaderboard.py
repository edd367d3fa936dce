"""The leaderboard of a season: who gained most, of those who want to be on it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.links import Link, links_now, owners
from market.membership import is_member
from market.reads.equity import standings
from market.seasons import Season, Standing, ranks, seasons_between
from market.tables import BoardDay, Entry, LeaderboardMember, Trader

Asked = tuple[frozenset[int], datetime, datetime]  # traders, and two moments


@dataclass(frozen=True, slots=True)
class Ranked:
    """A trader's place: equal gains share a rank. Amounts are in the standing."""

    rank: int
    trader_id: int
    name: str
    is_simulated: bool
    standing: Standing


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A season's places, at its end or, while it goes on, at ``as_of``, the last close of a day in it; None
    before that, and then there are no places yet. ``simulated_count`` simulated traders are among them, or
    were left out."""

    season: Season
    is_over: bool
    as_of: datetime | None
    places: tuple[Ranked, ...]
    simulated_count: int


@dataclass(frozen=True, slots=True)
class OwnMembership:
    """Whether the trader wants to be on the leaderboard, and what the operator linked them with."""

    is_member: bool
    links: tuple[Link, ...]


class KeptStandings:
    """Standings that were computed, the last few of them: a moment of the past, and the sum of all postings
    until then, does not change. Several threads may ask at once."""

    MOST = 16

    def __init__(self) -> None:
        self._kept: dict[Asked, tuple[Standing, ...]] = {}
        self._lock = Lock()

    def of(self, session: Session, asked: Asked) -> tuple[Standing, ...]:
        """Of these traders between these moments, computed unless it was before."""
        with self._lock:
            kept = self._kept.get(asked)
        if kept is None:
            _, begin, end = asked
            kept = standings(session, _ranked_traders(), begin, end)
            with self._lock:
                self._kept[asked] = kept
                while len(self._kept) > self.MOST:
                    del self._kept[next(iter(self._kept))]
        return kept


def leaderboard(
    session: Session,
    season: Season,
    now: datetime,
    *,
    with_simulated: bool = True,
    kept: KeptStandings | None = None,
) -> Leaderboard:
    """The season's places. Linked accounts have none, since together they were granted more than others.

    Three queries; two more, and one for each further five hundred contracts, unless the standings are
    ``kept``.
    """
    is_over = season.ends <= now
    as_of = season.ends if is_over else _last_close(session, season, now)
    if as_of is None:
        return Leaderboard(season, is_over, None, (), 0)
    linked = owners(links_now(session))
    ranked = session.execute(_ranked_traders(col(Trader.name), col(Trader.is_simulated))).all()
    traders = {row.id: row for row in ranked if row.id not in linked}
    asked = (frozenset(row.id for row in ranked), season.begins, as_of)
    found = [each for each in (kept or KeptStandings()).of(session, asked) if each.trader_id in traders]
    people = [each for each in found if not traders[each.trader_id].is_simulated]
    places = tuple(
        Ranked(rank, each.trader_id, traders[each.trader_id].name, traders[each.trader_id].is_simulated, each)
        for rank, each in ranks(found if with_simulated else people)
    )
    return Leaderboard(season, is_over, as_of, places, len(found) - len(people))


def seasons_so_far(session: Session, now: datetime) -> tuple[Season, ...]:
    """Every season since the ledger began, the newest first; the present one always."""
    first = session.scalar(sa.select(col(Entry.recorded_at)).order_by(col(Entry.id)).limit(1))
    return seasons_between(min(first, now) if first else now, now)


def own_membership(session: Session, trader_id: int) -> OwnMembership:
    """What the trader has said, and what keeps them off; two queries."""
    links = tuple(link for link in links_now(session) if link.concerns(trader_id))
    return OwnMembership(is_member(session, trader_id), links)


def _last_close(session: Session, season: Season, now: datetime) -> datetime | None:
    """When a day of any board was last closed within the season."""
    closed = col(BoardDay.closed_at)
    return session.scalar(sa.select(sa.func.max(closed)).where(closed > season.begins, closed <= now))


def _ranked_traders(*columns: Any) -> sa.Select[Any]:
    """Those who want to be on the leaderboard, and simulated ones."""
    members = sa.select(col(LeaderboardMember.trader_id))
    return sa.select(col(Trader.id), *columns).where(
        sa.or_(col(Trader.id).in_(members), col(Trader.is_simulated))
    )
