"""Trend scores on every listing day of the past that has enough before and after it to judge them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from market.backtest.labels import AHEAD_DAYS, HISTORY_DAYS, labels
from market.backtest.measures import average_precision, precision_at, ranking
from market.backtest.panel import Panel, Sums, TooFewPapers
from market.backtest.scorers import RANDOM, SCORERS, Sight, sight_of
from market.backtest.shuffles import DEALS
from market.expected import Numbers
from market.trend_lists import TermCounts, lists_of
from market.trend_rows import WINDOWS

TOP = 20
SHUFFLES = 5
LABELS = ("A", "B")

Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """Precision in the top 20 and average precision by label; the part of the top 20 that is new from one
    listing day to the next; by way of dealing, how many terms a day chance puts above the real 20th score
    (NaN for random)."""

    name: str
    precision: dict[str, float]
    average: dict[str, float]
    change: float
    false_alarms: dict[str, float]


@dataclass(frozen=True, slots=True)
class WindowRun:
    """A window's scores; ``shown`` terms a day pass the product's gate, ``shown_by_chance`` where they are
    dealt. ``relevant`` is the part of the candidates that each label calls relevant."""

    window: int
    candidates: float
    relevant: dict[str, float]
    rows: tuple[ScoreRow, ...]
    shown: float
    shown_by_chance: dict[str, float]


@dataclass(frozen=True, slots=True)
class TrendRun:
    """How many days were looked at, and each window's scores."""

    day_count: int
    windows: tuple[WindowRun, ...]


def run_trends(
    panel: Panel, draw: np.random.Generator, progress: Callable[[int], None] | None = None
) -> TrendRun:
    """Score the candidates of each day: the terms that any paper of the 56 days before the window carried.

    Raises `TooFewPapers` when no listing day has 86 days up to it and 28 after it.
    """
    days = [
        day for day in range(HISTORY_DAYS - 1, len(panel.listed) - AHEAD_DAYS) if panel.listed[day] > 0
    ]
    if not days:
        raise TooFewPapers(
            f"{len(panel.listed)} days are too few: it takes {HISTORY_DAYS} and {AHEAD_DAYS} after them"
        )
    deals = {way: [deal(panel, draw) for _ in range(SHUFFLES)] for way, deal in DEALS.items()}
    windows = []
    for number, window in enumerate(WINDOWS):
        run = _WindowRun(panel, window, draw)
        for at, day in enumerate(days, 1):
            run.look(day, deals)
            if progress is not None:
                progress(number * len(days) + at)
        windows.append(run.result())
    return TrendRun(len(days), tuple(windows))


class _WindowRun:
    """What was seen so far in one window."""

    def __init__(self, panel: Panel, window: int, draw: np.random.Generator) -> None:
        self._panel, self._window, self._draw = panel, window, draw
        self._sums = Sums(panel.papers, panel.listed)
        self._figures: dict[tuple[str, ...], list[float]] = defaultdict(list)
        self._top: dict[str, set[int]] = {}

    def look(self, day: int, deals: Mapping[str, Sequence[Panel]]) -> None:
        places, sight = self._candidates(self._panel, day)
        relevant = {name: marks[places] for name, marks in labels(self._sums, day).items()}
        self._note("candidates", value=len(places))
        if len(places) == 0:
            return
        self._note("shown", value=_shown(self._window, sight))
        for label in LABELS:
            self._note("relevant", label, value=float(relevant[label].mean()))
        chance = {
            way: [self._candidates(panel, day)[1] for panel in panels] for way, panels in deals.items()
        }
        for way, sights in chance.items():
            self._note("by chance", way, value=_mean([_shown(self._window, each) for each in sights]))
        for name, scorer in SCORERS.items():
            scores = scorer(sight, self._draw)
            for label in LABELS:
                self._note(name, "precision", label, value=precision_at(TOP, scores, relevant[label]))
                self._note(name, "average", label, value=average_precision(scores, relevant[label]))
            self._compare(name, places[ranking(scores)[:TOP]])
            least = np.sort(scores)[-min(TOP, len(scores))]
            for way, sights in chance.items():
                above = [float((scorer(each, self._draw) > least).sum()) for each in sights]
                self._note(name, way, value=float("nan") if name == RANDOM else _mean(above))

    def result(self) -> WindowRun:
        rows = tuple(
            ScoreRow(
                name,
                {label: self._mean_of(name, "precision", label) for label in LABELS},
                {label: self._mean_of(name, "average", label) for label in LABELS},
                self._mean_of(name, "change"),
                {way: self._mean_of(name, way) for way in DEALS},
            )
            for name in SCORERS
        )
        return WindowRun(
            self._window,
            self._mean_of("candidates"),
            {label: self._mean_of("relevant", label) for label in LABELS},
            rows,
            self._mean_of("shown"),
            {way: self._mean_of("by chance", way) for way in DEALS},
        )

    def _candidates(self, panel: Panel, day: int) -> tuple[Places, Sight]:
        """The terms that a paper before the window carried (new ones stand apart), and what is seen."""
        sight = sight_of(panel.papers, panel.listed, day, self._window)
        places = np.flatnonzero(sight.counts.base_papers > 0)
        return places, sight_of(panel.papers[places], panel.listed, day, self._window)

    def _compare(self, name: str, top: Places) -> None:
        now = set(top.tolist())
        if name in self._top:
            self._note(name, "change", value=1 - len(now & self._top[name]) / len(now))
        self._top[name] = now

    def _note(self, *key: str, value: float) -> None:
        self._figures[key].append(value)

    def _mean_of(self, *key: str) -> float:
        return _mean(self._figures[key])


def _shown(window: int, sight: Sight) -> int:
    """How many terms the product's own gate shows as rising."""
    found = TermCounts(np.arange(len(sight.counts.papers)), sight.counts)
    return len(lists_of(window, found, lambda ids: {each: (str(each), str(each)) for each in ids}).rising)


def _mean(values: Sequence[float] | Numbers) -> float:
    """The mean of those that are numbers: a day without a relevant term has no average precision."""
    known = [value for value in values if value == value]
    return sum(known) / len(known) if known else float("nan")
