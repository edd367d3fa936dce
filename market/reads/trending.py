"""What is rising on a board, with what the market says of the same terms and the papers behind each claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sqlmodel import Session

from market.boards import start_of_day, today_of
from market.reads.movers import Mover, movers
from market.reads.quotes import TermQuote, quotes_of_slugs
from market.reads.series import DailySeries, daily_series
from market.reads.trend_papers import TrendPaper, papers_behind
from market.tables import Board
from market.trends import DayAgainstUsual, Trending, TrendRow, today_against_usual, trending

TICK = timedelta(microseconds=1)  # the least that moments are apart


@dataclass(frozen=True, slots=True)
class Moment:
    """What a page is asked to show: the trends to ``day`` as known at ``known_at`` (None: now), and the
    market as it stood at ``at``, the end of that day or now. ``is_now`` when both are."""

    day: date
    at: datetime
    known_at: datetime | None
    is_now: bool


@dataclass(frozen=True, slots=True)
class MarketBeside:
    """What stands beside the rows of a trend, by slug or term id: quotes, the last listed days, and the
    papers of those that claim something. ``movers`` are all terms that were traded or watched in the
    window."""

    quotes: Mapping[str, TermQuote]
    series: DailySeries
    papers: Mapping[int, tuple[TrendPaper, ...]]
    movers: tuple[Mover, ...]


@dataclass(frozen=True, slots=True)
class TrendingOnBoard:
    """Trends of a window, and the market beside them."""

    trending: Trending
    beside: MarketBeside


@dataclass(frozen=True, slots=True)
class TodayOnBoard:
    """The counts of a day against the usual ones, and the market beside them."""

    today: DayAgainstUsual
    beside: MarketBeside


def end_of_day(board: Board, day: date) -> datetime:
    """The last moment of the day, on the board's calendar."""
    return start_of_day(board, day + timedelta(days=1)) - TICK


def moment_of(board: Board, now: datetime, day: date | None = None, known_on: date | None = None) -> Moment:
    """The moment of a day, and of the day on whose evening it was known; None is today, and now.

    Neither lies ahead, and what was known on a day goes to that day unless ``day`` says otherwise.
    """
    today = today_of(board, now)
    day = day or known_on or today
    known_at = None if known_on is None else min(now, end_of_day(board, known_on))
    is_now = day == today and known_at in (None, now)
    return Moment(day, min(now, end_of_day(board, day)), known_at, is_now)


def trending_on_board(
    session: Session, board: Board, window: int, trader_id: int | None, moment: Moment
) -> TrendingOnBoard:
    """Trends of the ``window`` days (7 or 30) that end with the moment's day, on the board's calendar."""
    found = trending(session, board, moment.day, window, known_at=moment.known_at)
    claimed = (*found.rising, *found.falling, *found.new_terms)
    papers = papers_behind(
        session, board, [row.term_id for row in claimed], found.first_day, found.last_day, moment.known_at
    )
    rows = (*claimed, *found.most_papers)
    return TrendingOnBoard(found, _beside(session, board, rows, papers, window, trader_id, moment))


def today_on_board(session: Session, board: Board, trader_id: int | None, moment: Moment) -> TodayOnBoard:
    """The counts of the moment's day."""
    found = today_against_usual(session, board, moment.day, known_at=moment.known_at)
    return TodayOnBoard(found, _beside(session, board, found.rows, {}, 1, trader_id, moment))


def movers_until(session: Session, board: Board, window: int, moment: Moment) -> tuple[Mover, ...]:
    """The terms that were traded or watched in the ``window`` days to the moment."""
    begin = start_of_day(board, moment.day - timedelta(days=window - 1))
    return movers(session, board, begin, moment.at)


def _beside(
    session: Session,
    board: Board,
    rows: Iterable[TrendRow],
    papers: Mapping[int, tuple[TrendPaper, ...]],
    window: int,
    trader_id: int | None,
    moment: Moment,
) -> MarketBeside:
    found = movers_until(session, board, window, moment)
    slugs = {row.slug for row in rows}
    series = daily_series(session, board, slugs, last=moment.day, known_at=moment.known_at)
    return MarketBeside(_quotes(session, board, slugs, trader_id, moment), series, papers, found)


def _quotes(
    session: Session, board: Board, slugs: Iterable[str], trader_id: int | None, moment: Moment
) -> dict[str, TermQuote]:
    then = None if moment.is_now else moment.at
    found = quotes_of_slugs(session, board, slugs, trader_id, moment.at, known_at=then) if slugs else ()
    return {quote.slug: quote for quote in found}
