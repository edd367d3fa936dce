"""How good forecasts of counts were: absolute error, and the logarithmic score of a distribution. Pure.

The logarithmic score is -ln P(k), in nats, the smaller the better (I. J. Good, Rational decisions, J. R.
Statist. Soc. B 14 (1952) 107-114). A price is a mean and no distribution. So each mean is given a negative
binomial with one and the same relative variance, that of the plain forecast of the term at the close: what
is compared is where the forecasts lie, not how sure they say they are.

    Var = m + m^2 s,   -ln P(k) with size 1/s and mean m
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import stats

from market.expected import LEAST, Numbers, Outlook, negative_binomial, weights

SMOOTHING = 0.2  # of the moving average that is compared with


def log_scores(counted: Numbers, means: Numbers, spread: Numbers) -> Numbers:
    """The score of each forecast, not below 0 and finite; ``spread`` is s, above 0. Means are at least .05,
    as those of every contract are."""
    floored = np.maximum(means, float(LEAST))
    size, chance = negative_binomial(Outlook(floored, floored + floored**2 * spread))
    return np.asarray(-stats.nbinom.logpmf(counted, size, chance), dtype=np.float64)


def spread_of(expected: Outlook) -> Numbers:
    """The relative variance s beyond that of chance."""
    return np.asarray((expected.variance - expected.mean) / expected.mean**2, dtype=np.float64)


def smoothed_mean(papers: Sequence[int]) -> float:
    """The exponentially weighted mean of the counts of periods, oldest first; 0 without any."""
    if not papers:
        return 0.0
    weight = weights(len(papers), 1 - SMOOTHING)
    return float(np.asarray(papers, dtype=np.float64) @ weight / weight.sum())
