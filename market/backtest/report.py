"""A backtest from a panel, and its figures as tables and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

import numpy as np

from market.backtest.forecast_run import ForecastRun, Row, run_forecasts
from market.backtest.labels import AGO_DAYS, AHEAD_DAYS, BASE_DAYS, LEAST_PAPERS, RISE
from market.backtest.measures import CLASSES
from market.backtest.panel import Panel, TooFewPapers, weeks_of
from market.backtest.trend_run import LABELS, SHUFFLES, TOP, TrendRun, WindowRun, run_trends
from market.backtest.verdicts import Verdict, forecast_verdicts, trend_verdicts

SEED = 1  # of everything that is drawn: the same corpus gives the same report


@dataclass(frozen=True, slots=True)
class Report:
    """What a backtest found in the ``paper_count`` papers of a board; ``left_out`` says what it could not do.

    ``term_count`` terms of the lexicon are carried by a paper. ``forecasts`` and ``trends`` are None where
    the corpus is too short for them.
    """

    board: str
    paper_count: int
    listing_day_count: int
    first_day: date
    last_day: date
    term_count: int
    forecasts: ForecastRun | None
    trends: TrendRun | None
    verdicts: tuple[Verdict, ...]
    left_out: tuple[str, ...]


def backtest(panel: Panel, board: str, progress: Callable[[int], None] | None = None) -> Report:
    """Run everything that the panel is long enough for; the same panel gives the same report."""
    draw = np.random.default_rng(SEED)
    left_out: list[str] = []
    verdicts: list[Verdict] = []
    forecasts = trends = None
    try:
        forecasts = run_forecasts(weeks_of(panel), draw)
        verdicts += forecast_verdicts(forecasts)
    except TooFewPapers as error:
        left_out.append(f"forecasts: {error}")
    try:
        trends = run_trends(panel, draw, progress)
        verdicts += trend_verdicts(trends)
    except TooFewPapers as error:
        left_out.append(f"trends: {error}")
    return Report(
        board, int(panel.listed.sum()), int((panel.listed > 0).sum()), panel.first_day,
        panel.day(len(panel.listed) - 1), int(panel.papers.any(axis=1).sum()), forecasts, trends,
        tuple(verdicts), tuple(left_out),
    )  # fmt: skip


def as_json(report: Report) -> dict[str, Any]:
    """The report in plain values; a figure that there is none of is null."""
    plain: dict[str, Any] = _plain(asdict(report))
    return plain


def as_text(report: Report) -> str:
    """The report as tables of at most 110 columns."""
    lines = [
        f"{report.board}: {report.paper_count:,} papers on {report.listing_day_count} listing days, "
        f"{report.first_day} to {report.last_day}; {report.term_count:,} terms in them"
    ]
    if report.forecasts is not None:
        lines += _forecast_lines(report.forecasts)
    if report.trends is not None:
        lines += _trend_lines(report.trends)
    if report.verdicts:
        lines += ["", "What is asked for"]
        lines += [line for verdict in report.verdicts for line in _verdict_lines(verdict)]
    lines += [f"Left out, {reason}" for reason in report.left_out]
    return "\n".join(lines)


def _forecast_lines(run: ForecastRun) -> Iterator[str]:
    sizes = ", ".join(f"{size}: {count:,}" for size, count in zip(CLASSES, run.outcomes, strict=True))
    yield ""
    yield f"Forecasts of {run.week_count} weeks, each from the weeks before it, by mean weekly papers of the"
    yield f"term; forecasts {sizes}"
    for name, ways in (("MAE", run.errors), ("Poisson deviance", run.deviances)):
        for way, rows in ways.items():
            yield from _table(f"{name}, {way}", rows)
    yield ""
    yield "Outcomes that the 80 % interval holds. plain: its whole numbers; promised: what they should hold;"
    yield "spread: each whole number spread over its own probability, 80 % where the distribution is right"
    held = [
        Row(f"{each.horizon} ahead, {row.name}", row.by_class, row.overall, row.halves)
        for each in run.coverage
        for row in (each.plain, each.promised, each.spread)
    ]
    yield from _table("weeks", held)


def _table(title: str, rows: Iterable[Row]) -> Iterator[str]:
    yield ""
    heads = (*CLASSES, "all", "1st half", "2nd half")
    yield f"{title:30}" + "".join(f"{head:>9}" for head in heads)
    for row in rows:
        yield f"{row.name:30}" + _figures((*row.by_class, row.overall, *row.halves))


def _trend_lines(run: TrendRun) -> Iterator[str]:
    yield ""
    yield f"Rising, on {run.day_count} listing days. A: share in the next {AHEAD_DAYS} days at least {RISE}"
    yield f"times that of the {BASE_DAYS} days before; B: of the {BASE_DAYS} days that ended {AGO_DAYS} days"
    yield f"ago; both with {LEAST_PAPERS} papers or more. change: of the top {TOP} from day to day. days,"
    yield f"papers: terms a day above the real {TOP}th score when whole days, or single papers, are dealt"
    yield f"anew, the mean of {SHUFFLES} deals"
    for window in run.windows:
        yield from _window_lines(window)


def _window_lines(window: WindowRun) -> Iterator[str]:
    yield ""
    if window.candidates == 0:
        yield f"{window.window} days: no term was in a paper before"
        return
    relevant = ", ".join(f"{label} {window.relevant[label]:.3f}" for label in LABELS)
    chance = " and ".join(f"{value:.2f} ({way} dealt)" for way, value in window.shown_by_chance.items())
    yield f"{window.window} days: {window.candidates:,.0f} candidates a day, of which relevant {relevant};"
    yield f"the gate shows {window.shown:.2f} terms a day, by chance {chance}"
    heads = [f"{label} {name}" for label in LABELS for name in ("P@20", "AP")]
    yield f"{'':30}" + "".join(f"{head:>9}" for head in (*heads, "change", *window.shown_by_chance))
    for row in window.rows:
        figures = [figure for label in LABELS for figure in (row.precision[label], row.average[label])]
        yield f"{row.name:30}" + _figures((*figures, row.change, *row.false_alarms.values()))


def _verdict_lines(verdict: Verdict) -> Iterator[str]:
    yield f"  {'no ' if verdict.shortfalls else 'yes'}  {verdict.figure}: {verdict.asked}"
    for shortfall in verdict.shortfalls:
        yield f"         {shortfall}"


def _figures(values: Sequence[float]) -> str:
    return "".join(f"{'':>9}" if value != value else f"{value:9.3f}" for value in values)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, date):
        return value.isoformat()
    return None if isinstance(value, float) and value != value else value
