"""From trends to what a page shows of them: places in words, papers behind a row, the heat table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import date

from flask import url_for

from market.reads.movers import Mover, moved_down, moved_up, newly_watched
from market.reads.series import DailySeries
from market.reads.trend_papers import TrendPaper
from market.reads.trending import MarketBeside
from market.trends import TrendRow
from web import charts
from web.filters import DOWN, UP, short_day
from web.pages_trending import BehindView, HeatCell, HeatRow, HeatTable, MarketLists, RankView, TrendView
from web.papers import anchor_of
from web.rendering import reading_html

HEAT_DAYS, HEAT_TERMS, HEAT_LEVELS = 14, 20, 5
HEAT_WEIGHT = 8  # papers, as in the trends themselves


def trend_views(
    board: str, rows: Iterable[TrendRow], beside: MarketBeside, previous_day: date | None
) -> tuple[TrendView, ...]:
    """The rows with what stands beside them; a term without a quote is no longer listed, and left out."""
    gained = {mover.term_id: mover.watchers_gained for mover in beside.movers}
    return tuple(
        TrendView(
            row,
            beside.quotes[row.slug],
            rank_view(row, previous_day),
            charts.sparkline(beside.series.counts[row.slug]),
            gained.get(row.term_id, 0),
            tuple(behind_view(board, paper) for paper in beside.papers.get(row.term_id, ())),
        )
        for row in rows
        if row.slug in beside.quotes
    )


def rank_view(row: TrendRow, previous_day: date | None) -> RankView:
    """How a row's place in its list changed since the listing day before."""
    if previous_day is None:
        return RankView()
    when = short_day(previous_day)
    if row.rank_before is None:
        return RankView("new", f"not in this list on {when}")
    places = row.rank_before - row.rank
    if not places:
        return RankView("=", f"the same place as on {when}")
    way, glyph = ("up", UP) if places > 0 else ("down", DOWN)
    said = f"{way} {abs(places)}, from place {row.rank_before} on {when}"
    return RankView(f"{glyph}{abs(places)}", said, way)


def behind_view(board: str, paper: TrendPaper) -> BehindView:
    """A paper as a link to its place in the page of its day."""
    href = url_for(
        "papers.day", board=board, day=paper.day.isoformat(), _anchor=anchor_of(paper.identifier)
    )
    title = reading_html(paper.title) if paper.title.text.strip() else None
    return BehindView(href, paper.day, title)


def market_lists(found: Sequence[Mover]) -> MarketLists:
    """The lists of what traders and watchers moved."""
    return MarketLists(moved_up(found), moved_down(found), newly_watched(found))


def heat_table(rows: Iterable[TrendRow], series: DailySeries) -> HeatTable | None:
    """The first terms, each once, on the last days that list papers; None where there are neither."""
    labels = {row.slug: row.label for row in rows}
    days, listed = series.days[-HEAT_DAYS:], series.listed[-HEAT_DAYS:]
    if not labels or not days:
        return None
    shown = list(labels.items())[:HEAT_TERMS]
    heat = [HeatRow(slug, label, _cells(series.counts[slug][-HEAT_DAYS:], listed)) for slug, label in shown]
    return HeatTable(days, listed, tuple(heat))


def _cells(counts: Sequence[int], listed: Sequence[int]) -> tuple[HeatCell, ...]:
    usual = sum(counts) / sum(listed)
    # Drawn towards the row's mean, or one paper on a Sunday of eight would outshine a busy day.
    shares = [
        (count + HEAT_WEIGHT * usual) / (papers + HEAT_WEIGHT)
        for count, papers in zip(counts, listed, strict=True)
    ]
    most = max(shares) or 1.0
    return tuple(
        HeatCell(count, min(HEAT_LEVELS, math.ceil(HEAT_LEVELS * share / most)) if count else 0)
        for count, share in zip(counts, shares, strict=True)
    )
