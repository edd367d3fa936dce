"""What is rising and falling on a board, without a claim where there is none to make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from flask import Blueprint, request, url_for
from flask.typing import ResponseReturnValue

from market.reads.boards import Board, BoardLink
from market.reads.quotes import TermQuote, next_period
from market.reads.series import daily_counts
from market.reads.trending import today_on_board, trending_on_board
from market.trends import WINDOWS, TrendRow
from web import charts, db, frame
from web.pages import Choice, TrendingPage, TrendView
from web.parameters import one_of

blueprint = Blueprint("trending", __name__)

TODAY = "today"
CHOICES = {**{str(days): f"{days} days" for days in WINDOWS}, TODAY: "Today against usual"}


@blueprint.get("/<board>/trending")
def board(board: str) -> ResponseReturnValue:
    """The trends of a window, or today's counts."""
    row, link = frame.board(board)
    window = one_of("window", request.args.get("window", "7"), CHOICES)
    page = _today_page(row, link) if window == TODAY else _window_page(row, link, int(window))
    return frame.show(page)


def _window_page(row: Board, link: BoardLink, window: int) -> TrendingPage:
    session, now = db.session(), frame.now()
    found = trending_on_board(session, row, window, frame.trader_id(), now)
    trends = found.trending
    series = daily_counts(session, row, found.quotes)
    return TrendingPage(
        board=link,
        windows=_windows(link.code, str(window)),
        window=window,
        first_day=trends.first_day,
        last_day=trends.last_day,
        base_first=trends.base_first,
        base_last=trends.base_last,
        exposure=trends.exposure,
        base_exposure=trends.base_exposure,
        rising=_views(trends.rising, found.quotes, series),
        falling=_views(trends.falling, found.quotes, series),
        new_terms=_views(trends.new_terms, found.quotes, series),
        most_papers=_views(trends.most_papers, found.quotes, series),
        checked_count=trends.checked_count,
        period=next_period(row, now).name,
    )


def _today_page(row: Board, link: BoardLink) -> TrendingPage:
    session, now = db.session(), frame.now()
    found = today_on_board(session, row, frame.trader_id(), now)
    today = found.today
    return TrendingPage(
        board=link,
        windows=_windows(link.code, TODAY),
        window=None,
        first_day=today.day,
        last_day=today.day,
        base_first=today.base_first,
        base_last=today.base_last,
        exposure=today.exposure,
        base_exposure=today.base_exposure,
        rising=(),
        falling=(),
        new_terms=(),
        most_papers=_views(today.rows, found.quotes, daily_counts(session, row, found.quotes)),
        checked_count=len(today.rows),
        period=next_period(row, now).name,
    )


def _windows(code: str, current: str) -> tuple[Choice, ...]:
    return tuple(
        Choice(words, url_for("trending.board", board=code, window=name), name == current)
        for name, words in CHOICES.items()
    )


def _views(
    rows: Iterable[TrendRow], quotes: Mapping[str, TermQuote], series: Mapping[str, tuple[int, ...]]
) -> tuple[TrendView, ...]:
    return tuple(
        TrendView(row, quotes[row.slug], charts.sparkline(series[row.slug]))
        for row in rows
        if row.slug in quotes
    )
