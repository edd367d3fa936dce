"""What good means: how far forecasts lie off, how often an interval holds, how well a ranking is ordered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from market.expected import BAND, Numbers, Outlook, negative_binomial

Marks = NDArray[np.bool_]
CLASSES = ("<1", "1-3", "3-10", "10-30", ">30")  # mean papers of a term a week
_BOUNDS = (1.0, 3.0, 10.0, 30.0)


def size_classes(papers_a_week: Numbers) -> NDArray[np.intp]:
    """The place in `CLASSES` of each term; a mean on a bound belongs to the larger class."""
    return np.digitize(papers_a_week, _BOUNDS)


def absolute_errors(counts: Numbers, means: Numbers) -> Numbers:
    """How many papers each forecast lay off."""
    return np.abs(counts - means)


def poisson_deviances(counts: Numbers, means: Numbers) -> Numbers:
    """2 (y ln(y/m) - y + m) of each forecast, means above 0; 0 for a perfect one.

    Errors count as much as they are improbable, so rare and common terms can be averaged.
    """
    logarithm = np.log(np.where(counts > 0, counts, 1.0) / means)
    return 2 * (np.where(counts > 0, counts * logarithm, 0.0) - counts + means)


@dataclass(frozen=True, slots=True)
class Held:
    """Of each outcome: whether the interval's whole numbers hold it (``plain``), the probability they were
    given (``promised``), and whether it lies in the band when each whole number is spread over its own
    probability at random (``spread``), which is 80 % of the time when the distribution is right."""

    plain: Marks
    promised: Numbers
    spread: Marks


def held(counts: Numbers, expected: Outlook, draw: np.random.Generator) -> Held:
    """How the 80 % interval of each forecast did.

    Whole numbers cannot be cut: the interval of a term with .3 papers is 0 to 1 and holds 96 %. ``spread``
    is free of that (the randomised probability integral transform of Czado, Gneiting and Held, Biometrics 65
    (2009) 1254-1261).
    """
    size, chance = negative_binomial(expected)
    low, high = (stats.nbinom.ppf(quantile, size, chance) for quantile in BAND)
    below, until = stats.nbinom.cdf(counts - 1, size, chance), stats.nbinom.cdf(counts, size, chance)
    place = below + draw.random(len(counts)) * (until - below)
    promised = stats.nbinom.cdf(high, size, chance) - stats.nbinom.cdf(low - 1, size, chance)
    plain, spread = (low <= counts) & (counts <= high), (place >= BAND[0]) & (place <= BAND[1])
    return Held(np.asarray(plain), np.asarray(promised, dtype=np.float64), np.asarray(spread))


def ranking(scores: Numbers) -> NDArray[np.intp]:
    """Places in order of falling score; ties in the order in which they stand."""
    return np.argsort(-scores, kind="stable")


def precision_at(count: int, scores: Numbers, relevant: Marks) -> float:
    """The part of the first ``count`` that is relevant."""
    return float(relevant[ranking(scores)[:count]].mean())


def average_precision(scores: Numbers, relevant: Marks) -> float:
    """The mean, over the relevant ones, of the precision down to each; NaN where none is relevant."""
    marks = relevant[ranking(scores)]
    places = np.flatnonzero(marks)
    return float((np.arange(1, len(places) + 1) / (places + 1)).mean()) if len(places) else float("nan")
