"""What is rising on a board, with what the market says of the same terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from market.boards import today_of
from market.reads.quotes import TermQuote, quotes_of_slugs
from market.tables import Board
from market.trends import DayAgainstUsual, Trending, today_against_usual, trending


@dataclass(frozen=True, slots=True)
class TrendingOnBoard:
    """Trends of a window, and the quotes of every term in them by the term's slug."""

    trending: Trending
    quotes: Mapping[str, TermQuote]


@dataclass(frozen=True, slots=True)
class TodayOnBoard:
    """The counts of the board's newest day against the usual ones, and the quotes of its terms by slug."""

    today: DayAgainstUsual
    quotes: Mapping[str, TermQuote]


def trending_on_board(
    session: Session, board: Board, window: int, trader_id: int | None, now: datetime
) -> TrendingOnBoard:
    """Trends of the ``window`` days (7 or 30) that end today, on the board's calendar."""
    found = trending(session, board, today_of(board, now), window)
    rows = (*found.rising, *found.falling, *found.new_terms, *found.most_papers)
    return TrendingOnBoard(found, _quotes(session, board, {row.slug for row in rows}, trader_id, now))


def today_on_board(session: Session, board: Board, trader_id: int | None, now: datetime) -> TodayOnBoard:
    """The counts of the board's today."""
    found = today_against_usual(session, board, today_of(board, now))
    return TodayOnBoard(found, _quotes(session, board, {row.slug for row in found.rows}, trader_id, now))


def _quotes(
    session: Session, board: Board, slugs: set[str], trader_id: int | None, now: datetime
) -> dict[str, TermQuote]:
    if not slugs:
        return {}
    return {quote.slug: quote for quote in quotes_of_slugs(session, board, slugs, trader_id, now)}
