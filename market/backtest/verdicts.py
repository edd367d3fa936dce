"""What a backtest found, held against what is asked of the forecasts and the trend scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from market.backtest import forecasters, scorers
from market.backtest.forecast_run import ForecastRun, Row
from market.backtest.measures import CLASSES
from market.backtest.trend_run import LABELS, ScoreRow, TrendRun, WindowRun

COVERAGE = (0.77, 0.83)
NEAR = 1.02  # a figure within 2 % of the two-stretch formula's, or lower
BEATEN = ("raw ratio", "difference", "z of daily counts")
MATCHED = "log-odds, Dirichlet"
TIMES_RANDOM = 5


@dataclass(frozen=True, slots=True)
class Verdict:
    """A figure, what is asked of it, and where it falls short; ``shortfalls`` is empty when it does not."""

    figure: str
    asked: str
    shortfalls: tuple[str, ...]


def forecast_verdicts(run: ForecastRun) -> Iterator[Verdict]:
    """Of the forecasts: errors, deviances and coverage."""
    for name, ways in (("MAE", run.errors), ("Poisson deviance", run.deviances)):
        for way, rows in ways.items():
            by_name = {row.name: row for row in rows}
            ours = by_name[forecasters.OURS]
            peers = [by_name[peer] for peer in forecasters.PEERS]
            asked = "lower than last week, 4-week mean, EWMA .1 and .2 in every class"
            yield Verdict(f"f0, {name}, {way}", asked, tuple(_worse_classes(ours, peers)))
            limit = NEAR * by_name[forecasters.TWO_STRETCHES].overall
            short = () if ours.overall <= limit else (f"{ours.overall:.3f} against {limit:.3f}",)
            yield Verdict(f"f0, {name}, {way}", "at most 2 % above two stretches", short)
    for coverage in run.coverage:
        share = coverage.spread.overall
        short = () if COVERAGE[0] <= share <= COVERAGE[1] else (f"{share:.3f}",)
        figure = f"80 % interval, {coverage.horizon} ahead, spread"
        yield Verdict(figure, f"{COVERAGE[0]:.0%} to {COVERAGE[1]:.0%}", short)


def trend_verdicts(run: TrendRun) -> Iterator[Verdict]:
    """Of the trend score: beside the plainer ones, and beside chance; none where no term was relevant."""
    for window in run.windows:
        by_name = {row.name: row for row in window.rows}
        ours = by_name[scorers.OURS]
        for label in _found_labels(ours):
            figure = f"rising, {window.window} days, label {label}, P@20 and AP"
            beaten = [each for name in BEATEN for each in _better(by_name[name], ours, label)]
            yield Verdict(figure, "higher than raw ratio, difference and z", tuple(beaten))
            matched = _better(by_name[MATCHED], ours, label, may_tie=True)
            yield Verdict(figure, "at least those of log-odds", tuple(matched))
    longest = run.windows[-1]
    ours = next(row for row in longest.rows if row.name == scorers.OURS)
    if "B" in _found_labels(ours):
        yield _beside_random(longest, ours)


def _found_labels(row: ScoreRow) -> list[str]:
    return [label for label in LABELS if row.average[label] == row.average[label]]  # else it is NaN


def _beside_random(window: WindowRun, ours: ScoreRow) -> Verdict:
    """Label B; random finds what is relevant as often as it is among the candidates."""
    found = {"P@20": ours.precision["B"], "AP": ours.average["B"]}
    chance = window.relevant["B"]
    short = tuple(
        f"{name} {value / chance:.1f} times" for name, value in found.items() if value < TIMES_RANDOM * chance
    )
    figure = f"rising, {window.window} days, label B, P@20 and AP"
    return Verdict(figure, f"{TIMES_RANDOM} times the share of relevant terms", short)


def _worse_classes(ours: Row, peers: Sequence[Row]) -> Iterator[str]:
    for at, size in enumerate(CLASSES):
        for peer in peers:
            if peer.by_class[at] <= ours.by_class[at]:
                yield f"{size}: {ours.by_class[at]:.3f}, {peer.name} {peer.by_class[at]:.3f}"


def _better(peer: ScoreRow, ours: ScoreRow, label: str, *, may_tie: bool = False) -> Iterator[str]:
    pairs = {
        "P@20": (peer.precision[label], ours.precision[label]),
        "AP": (peer.average[label], ours.average[label]),
    }
    for name, (theirs, mine) in pairs.items():
        if theirs > mine or (theirs == mine and not may_tie):
            yield f"{name} {mine:.3f}, {peer.name} {theirs:.3f}"
