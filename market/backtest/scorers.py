"""Scores of how much a term is rising: the product's own, and plainer ones to compare with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from market.backtest.labels import BASE_DAYS
from market.backtest.panel import Whole
from market.expected import Numbers
from market.scores import LOW, Counts, ratio_quantile

OURS = "Gamma-Poisson bound"
RANDOM = "random"
PRIOR_TOTAL = 50.0  # papers; of those tried, 50 to 2,000, the one that does the log-odds most good


@dataclass(frozen=True, slots=True)
class Sight:
    """What a score may look at on a day: the counts of window and base, and the single days of both."""

    counts: Counts
    window_days: Numbers  # [term, listing day]
    base_days: Numbers


Scorer = Callable[[Sight, np.random.Generator], Numbers]


def _raw_ratio(sight: Sight, _draw: np.random.Generator) -> Numbers:
    window, base = _shares(sight.counts)
    return np.asarray(window / base)


def _difference(sight: Sight, _draw: np.random.Generator) -> Numbers:
    window, base = _shares(sight.counts)
    return np.asarray(window - base)


def _z(sight: Sight, _draw: np.random.Generator) -> Numbers:
    """How many standard errors the mean daily count of the window lies above that of the base."""
    window, base = sight.window_days, sight.base_days
    error = base.std(axis=1) / np.sqrt(max(window.shape[1], 1))
    return np.asarray((window.mean(axis=1) - base.mean(axis=1)) / np.maximum(error, 1e-9))


def _log_odds(sight: Sight, _draw: np.random.Generator) -> Numbers:
    """Log-odds ratio with an informative Dirichlet prior, over its standard error.

    Monroe, Colaresi, Quinn: Fightin' Words. Political Analysis 16 (2008) 372-403.
    """
    counts = sight.counts
    share = (counts.papers + counts.base_papers + 0.5) / (counts.listed + counts.base_listed)
    prior = PRIOR_TOTAL * share
    window, base = counts.papers + prior, counts.base_papers + prior
    odds = window / (counts.listed + PRIOR_TOTAL - window)
    base_odds = base / (counts.base_listed + PRIOR_TOTAL - base)
    return np.asarray(np.log(odds / base_odds) / np.sqrt(1 / window + 1 / base))


def _ours(sight: Sight, _draw: np.random.Generator) -> Numbers:
    return ratio_quantile(sight.counts, LOW)


def _random(sight: Sight, draw: np.random.Generator) -> Numbers:
    return draw.random(len(sight.counts.papers))


SCORERS: Mapping[str, Scorer] = MappingProxyType(
    {
        "raw ratio": _raw_ratio,
        "difference": _difference,
        "z of daily counts": _z,
        "log-odds, Dirichlet": _log_odds,
        OURS: _ours,
        RANDOM: _random,
    }
)


def sight_of(papers: Whole, listed: Whole, day: int, window: int) -> Sight:
    """What is seen of these terms, ``papers[term, day]``, from the window that ends with a day (a column)."""
    first = day - window + 1
    base_first = first - BASE_DAYS
    in_window, in_base = listed[first : day + 1], listed[base_first:first]
    window_days = papers[:, first : day + 1][:, in_window > 0].astype(np.float64)
    base_days = papers[:, base_first:first][:, in_base > 0].astype(np.float64)
    counts = Counts(
        window_days.sum(axis=1), base_days.sum(axis=1), int(in_window.sum()), int(in_base.sum())
    )
    return Sight(counts, window_days, base_days)


def _shares(counts: Counts) -> tuple[Numbers, Numbers]:
    return counts.papers / max(counts.listed, 1), counts.base_papers / max(counts.base_listed, 1)
