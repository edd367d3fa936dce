"""Ways to forecast a term's papers in a coming week: the product's own, and plainer ones to compare with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from market.backtest.panel import Weeks, Whole
from market.expected import LEAST, Numbers, evidence_of, shares, volume_of, weights

OURS = "f0"
TWO_STRETCHES = "f0, two stretches"
SMOOTHING = 0.5  # of volume, in the two-stretch formula

Rate = Callable[[Numbers, Whole], Numbers]  # from papers[term, week] and listed[week], oldest first


def _ours(papers: Numbers, listed: Whole) -> Numbers:
    return shares(evidence_of(papers, listed.tolist()))[0]


def _two_stretches(papers: Numbers, listed: Whole) -> Numbers:
    """m = (A + .3) / (B + .3/p0), (a + 6) / (b + 6/m), with p0 the median share of the terms seen so far."""
    long, middle = (weights(len(listed), decay) for decay in (0.98, 0.8))
    totals = papers.sum(axis=1)
    seen = totals[totals > 0]
    median = (np.median(seen) if len(seen) else 0.5) / max(int(listed.sum()), 1)
    share = (papers @ long + 0.3) / (listed @ long + 0.3 / median)
    return np.asarray((papers @ middle + 6) / (listed @ middle + 6 / share))


def _mean_of(count: int) -> Rate:
    def rate(papers: Numbers, listed: Whole) -> Numbers:
        return np.asarray(papers[:, -count:].sum(axis=1) / max(int(listed[-count:].sum()), 1))

    return rate


def _smoothed(smoothing: float) -> Rate:
    def rate(papers: Numbers, listed: Whole) -> Numbers:
        weight = weights(len(listed), 1 - smoothing)
        return np.asarray(papers @ weight / (listed @ weight))

    return rate


RATES: Mapping[str, Rate] = MappingProxyType(
    {
        "last week": _mean_of(1),
        "4-week mean": _mean_of(4),
        "8-week mean": _mean_of(8),
        "EWMA .1": _smoothed(0.1),
        "EWMA .2": _smoothed(0.2),
        TWO_STRETCHES: _two_stretches,
        OURS: _ours,
    }
)
PEERS = ("last week", "4-week mean", "EWMA .1", "EWMA .2")  # that ours has to be better than


def with_volume_known(method: str, weeks: Weeks, week: int) -> Numbers:
    """The forecast for a week from the weeks before it, given how many papers it will list."""
    share = RATES[method](weeks.papers[:, :week], weeks.listed[:week])
    return _at_least(share * int(weeks.listed[week]))


def as_used(method: str, weeks: Weeks, week: int) -> Numbers:
    """The forecast for a week from the weeks before it alone.

    The plain ones are of counts, as one would take them: last week's count is the count of last week.
    """
    papers, listed = weeks.papers[:, :week], weeks.listed[:week]
    if method == OURS:
        return _at_least(_ours(papers, listed) * volume_of(listed.tolist()).mean)
    if method == TWO_STRETCHES:
        return _at_least(_two_stretches(papers, listed) * _plain_volume(listed))
    return _at_least(RATES[method](papers, np.ones(week, dtype=np.int64)))


def _plain_volume(listed: Whole) -> float:
    expected = float(listed[0])
    for volume in listed[1:].tolist():
        expected = (1 - SMOOTHING) * expected + SMOOTHING * volume
    return expected


def _at_least(means: Numbers) -> Numbers:
    """No forecast is of less than a contract can open with, whoever makes it."""
    return np.maximum(means, float(LEAST))
