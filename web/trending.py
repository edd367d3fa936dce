"""What is rising and falling on a board, without a claim where there is none to make."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from flask import Blueprint, request, url_for
from flask.typing import ResponseReturnValue

from market.boards import today_of
from market.reads.boards import Board, BoardLink
from market.reads.quotes import next_period
from market.reads.trending import Moment, moment_of, today_on_board, trending_on_board
from market.trends import WINDOWS
from web import db, frame
from web.known import ARGUMENT, Known, address, known
from web.pages import Choice
from web.pages_trending import TrendingPage
from web.parameters import BadParameter, one_of, past_day
from web.trend_views import heat_table, market_lists, trend_views

blueprint = Blueprint("trending", __name__)

TODAY = "today"
CHOICES = {**{str(days): f"{days} days" for days in WINDOWS}, TODAY: "One day against usual"}


@blueprint.get("/<board>/trending")
def board(board: str) -> ResponseReturnValue:
    """The trends of a window, or the counts of a day; today's, or those of a day that is past."""
    row, link = frame.board(board)
    window = one_of("window", request.args.get("window", "7"), CHOICES)
    shown = known(row)
    moment = _moment(row, shown)
    if shown:
        shown = replace(shown, now_href=address(known=None, day=moment.day.isoformat()))
    if window == TODAY:
        return frame.show(_today_page(row, link, moment, shown))
    return frame.show(_window_page(row, link, int(window), moment, shown))


def windows(current: str, names: dict[str, str]) -> tuple[Choice, ...]:
    """Links to the same page with each of the windows."""
    return tuple(
        Choice(words, address(window=name), name == current) for name, words in names.items()
    )


def _moment(row: Board, shown: Known | None) -> Moment:
    day = past_day("day", request.args.get("day"), today_of(row, frame.now()))
    if day and shown and day > shown.day:
        raise BadParameter("day", day.isoformat(), f"no later than what was known, {shown.day.isoformat()}")
    return moment_of(row, frame.now(), day, shown.day if shown else None)


def _window_page(
    row: Board, link: BoardLink, window: int, moment: Moment, shown: Known | None
) -> TrendingPage:
    found = trending_on_board(db.session(), row, window, frame.trader_id(), moment)
    trends, beside = found.trending, found.beside
    rising, falling, new_terms, most_papers = (
        trend_views(link.code, rows, beside, trends.previous_day)
        for rows in (trends.rising, trends.falling, trends.new_terms, trends.most_papers)
    )
    claimed = (*trends.rising, *trends.new_terms, *trends.falling)
    return TrendingPage(
        board=link,
        known=shown,
        windows=windows(str(window), CHOICES),
        window=window,
        day=moment.day,
        first_day=trends.first_day,
        last_day=trends.last_day,
        base_first=trends.base_first,
        base_last=trends.base_last,
        exposure=trends.exposure,
        base_exposure=trends.base_exposure,
        rising=rising,
        falling=falling,
        new_terms=new_terms,
        most_papers=most_papers,
        market=market_lists(beside.movers),
        heat=heat_table((*claimed, *trends.most_papers), beside.series),
        checked_count=trends.checked_count,
        open_days=trends.open_days,
        counted_at=trends.counted_at,
        period=next_period(row, moment.at).name,
        previous_day=trends.previous_day,
        **_ways(row, moment, trends.previous_day),
    )


def _today_page(row: Board, link: BoardLink, moment: Moment, shown: Known | None) -> TrendingPage:
    found = today_on_board(db.session(), row, frame.trader_id(), moment)
    today, beside = found.today, found.beside
    return TrendingPage(
        board=link,
        known=shown,
        windows=windows(TODAY, CHOICES),
        window=None,
        day=moment.day,
        first_day=today.day,
        last_day=today.day,
        base_first=today.base_first,
        base_last=today.base_last,
        exposure=today.exposure,
        base_exposure=today.base_exposure,
        rising=(),
        falling=(),
        new_terms=(),
        most_papers=trend_views(link.code, today.rows, beside, today.previous_day),
        market=market_lists(beside.movers),
        heat=heat_table(today.rows, beside.series),
        checked_count=today.term_count,
        open_days=(today.day,) if today.is_open else (),
        counted_at=today.counted_at,
        period=next_period(row, moment.at).name,
        previous_day=today.previous_day,
        **_ways(row, moment, today.previous_day),
    )


def _ways(row: Board, moment: Moment, previous: date | None) -> dict[str, str]:
    """Where the links to other days and moments lead: back in time as the page is, forward to now."""
    is_over = moment.day < today_of(row, frame.now())
    is_past = ARGUMENT in request.args
    evening, before = moment.day.isoformat(), previous.isoformat() if previous else ""
    latest = url_for("trending.board", board=row.code, window=request.args.get("window"), known=None)
    return {
        "previous_href": before and (
            address(day=None, known=before) if is_past else address(day=before, known=None)
        ),
        "latest_href": latest if is_over else "",
        "evening_href": address(day=None, known=evening) if is_over and not is_past else "",
    }  # fmt: skip
