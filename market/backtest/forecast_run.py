"""Forecasts of every whole week of the past from the weeks before it, and what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from market.backtest.forecasters import RATES, as_used, with_volume_known
from market.backtest.measures import CLASSES, absolute_errors, held, poisson_deviances, size_classes
from market.backtest.panel import TooFewPapers, Weeks
from market.expected import Numbers, evidence_of, outlook, volume_of

WARM_UP = 6  # weeks that are not forecast, so that every method has something to go by
HORIZONS = (1, 2, 3, 4)
WAYS = {"volume known": with_volume_known, "as used": as_used}


@dataclass(frozen=True, slots=True)
class Row:
    """A figure in each size class of terms, of all of them, and of all in each half of the weeks."""

    name: str
    by_class: tuple[float, ...]
    overall: float
    halves: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Coverage:
    """How the 80 % interval so many weeks ahead did: the three ways of `measures.Held`, by size class."""

    horizon: int
    plain: Row
    promised: Row
    spread: Row


@dataclass(frozen=True, slots=True)
class ForecastRun:
    """``errors`` and ``deviances`` by way of knowing the volume, one row a method; ``outcomes`` counts the
    forecasts in each size class."""

    week_count: int
    outcomes: tuple[int, ...]
    errors: dict[str, tuple[Row, ...]]
    deviances: dict[str, tuple[Row, ...]]
    coverage: tuple[Coverage, ...]


def run_forecasts(weeks: Weeks, draw: np.random.Generator) -> ForecastRun:
    """Forecast each week that lists papers, for each term that any week before it saw.

    Raises `TooFewPapers` for fewer weeks than a forecast and the one after it need.
    """
    targets = [week for week in range(WARM_UP, len(weeks.listed)) if weeks.listed[week] > 0]
    if len(targets) < 2:
        count = len(weeks.listed)
        raise TooFewPapers(f"{count} whole weeks are too few: it takes {WARM_UP + 2} with papers")
    outcomes = _Outcomes(weeks, targets)
    errors: dict[str, tuple[Row, ...]] = {}
    deviances: dict[str, tuple[Row, ...]] = {}
    for way, forecast in WAYS.items():
        means = {
            method: outcomes.of([forecast(method, weeks, week) for week in targets]) for method in RATES
        }
        errors[way] = tuple(
            outcomes.row(method, absolute_errors(outcomes.counts, mean)) for method, mean in means.items()
        )
        deviances[way] = tuple(
            outcomes.row(method, poisson_deviances(outcomes.counts, mean)) for method, mean in means.items()
        )
    coverage = tuple(
        _coverage(weeks, within, horizon, draw)
        for horizon in HORIZONS
        if (within := [week for week in targets if week - horizon + 1 >= WARM_UP])
    )
    return ForecastRun(len(targets), outcomes.sizes, errors, deviances, coverage)


class _Outcomes:
    """The counts that came of forecasts: in each target week, of the terms that were seen before."""

    def __init__(self, weeks: Weeks, targets: Sequence[int], horizon: int = 1) -> None:
        classes = size_classes(weeks.papers[:, weeks.listed > 0].mean(axis=1))
        self.seen = [weeks.papers[:, : week - horizon + 1].any(axis=1) for week in targets]
        self.counts = self.of([weeks.papers[:, week] for week in targets])
        self._classes = self.of([classes for _ in targets])
        middle = len(targets) // 2
        self._is_later = self.of([np.full(len(classes), at >= middle) for at in range(len(targets))])

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(int((self._classes == at).sum()) for at in range(len(CLASSES)))

    def of(self, by_week: Sequence[NDArray[np.generic]]) -> Numbers:
        """One number an outcome, of one number a term for each target week."""
        return np.concatenate([values[seen] for values, seen in zip(by_week, self.seen, strict=True)])

    def row(self, name: str, figures: NDArray[np.generic]) -> Row:
        values = figures.astype(np.float64)
        by_class = tuple(_mean(values[self._classes == at]) for at in range(len(CLASSES)))
        later = self._is_later.astype(bool)
        return Row(name, by_class, _mean(values), (_mean(values[~later]), _mean(values[later])))


def _coverage(weeks: Weeks, targets: Sequence[int], horizon: int, draw: np.random.Generator) -> Coverage:
    outcomes = _Outcomes(weeks, targets, horizon)
    found = []
    for week, seen in zip(targets, outcomes.seen, strict=True):
        known = week - horizon + 1
        listed = weeks.listed[:known].tolist()
        evidence = evidence_of(weeks.papers[seen, :known], listed)
        expected = outlook(evidence, volume_of(listed, horizon), horizon)
        found.append(held(weeks.papers[seen, week], expected, draw))
    return Coverage(
        horizon,
        outcomes.row("plain", np.concatenate([each.plain for each in found])),
        outcomes.row("promised", np.concatenate([each.promised for each in found])),
        outcomes.row("spread", np.concatenate([each.spread for each in found])),
    )


def _mean(values: Numbers) -> float:
    return float(values.mean()) if len(values) else float("nan")
