"""How many papers a term is expected to have in a period, from counts alone: the opening forecast f0. Pure.

A term's count is its share of the papers listed, so share and volume are forecast apart. The share is looked
at over three stretches, and each is drawn towards the one before with the weight of some papers, so that a
rare term keeps its long-run share and a busy one follows its last weeks:

    m   = (A + .3) / (1.1 B)              long run: decayed by .98 a period
    s   = (a + 4) / (b + 4/m)             lately: decayed by .8
    r   = (c + 30) / (C + 30/s)           the last three periods
    f0  = r * Nhat                        the same for every horizon
    Var = f0 + f0^2 * (v + .01 + .01 h + s2(h))

A, a, c sum the term's papers and B, b, C the papers listed. Nhat is the board's volume, between the last one
and the smoothed one as the board's own periods have borne them out; s2(h) is the mean square of the logarithm
of volume over the one expected h periods before, or fewer. v = w^2/c + (1 - w)^2/(a + 4), w = c/(c + 30), is
what the counts leave open of the share. What was measured, against what, is in this package's README.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from market.decay import LONG, MIDDLE

Numbers = NDArray[np.float64]

LONG_PAPERS = 0.3  # that a term is taken to have had in the long run, over a tenth of what was listed
LONG_LISTED = 0.1
MIDDLE_PAPERS = 4.0  # that the long run weighs in what was lately
RECENT_PAPERS = 30.0  # that lately weighs in the last periods
RECENT_PERIODS = 3
SMOOTHINGS = (0.5, 1.0)  # of volume; 1 is the last period's alone
USUAL_VOLUME_VARIANCE = 0.05  # of the logarithm, a period ahead, before the board has shown its own
USUAL_VOLUME_WEIGHT = 2  # observations that this is worth
OWN_VARIANCE = 0.01  # of the logarithm of a share, in any period
DRIFT_VARIANCE = 0.01  # the same, with each period that passes
BAND = (0.10, 0.90)  # the interval, as quantiles
THOUSANDTH = Decimal("0.001")
LEAST = Decimal("0.050")  # papers; a contract needs a forecast above nothing


@dataclass(frozen=True, slots=True)
class Forecast:
    """Papers expected in a period: ``mean``, to three decimals and at least 0.05, and the whole numbers
    ``low`` to ``high`` that hold the count with a probability of about 80 %, for rare terms of more."""

    mean: Decimal
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """Papers with each term (one number a term) and papers listed, over the three stretches."""

    long: Numbers
    middle: Numbers
    recent: Numbers
    long_listed: float
    middle_listed: float
    recent_listed: float


@dataclass(frozen=True, slots=True)
class Volume:
    """Papers a board is expected to list in a period; ``variance`` is of the logarithm of what it will list
    over that."""

    mean: float
    variance: float


@dataclass(frozen=True, slots=True)
class Outlook:
    """The mean of each term's count, at least `LEAST`, and its variance; above the mean."""

    mean: Numbers
    variance: Numbers


def exposure(listed: Sequence[int]) -> tuple[float, float, float]:
    """B, b and C of the papers listed in each period, oldest first, none left out."""
    volumes = np.array(listed, dtype=np.float64)
    return (
        float(volumes @ weights(len(listed), float(LONG))),
        float(volumes @ weights(len(listed), float(MIDDLE))),
        float(volumes[-RECENT_PERIODS:].sum()),
    )


def weights(count: int, decay: float) -> Numbers:
    """The weight of each of ``count`` periods, oldest first; the last one's is 1."""
    return np.power(decay, np.arange(count - 1, -1, -1, dtype=np.float64))


def evidence_of(papers: Numbers, listed: Sequence[int]) -> Evidence:
    """The evidence of ``papers[term, period]`` among the papers ``listed`` in each period, oldest first."""
    return Evidence(
        papers @ weights(len(listed), float(LONG)),
        papers @ weights(len(listed), float(MIDDLE)),
        papers[:, -RECENT_PERIODS:].sum(axis=1),
        *exposure(listed),
    )


def shares(evidence: Evidence) -> tuple[Numbers, Numbers]:
    """Each term's share of the papers, above 0, and the variance of its logarithm that the counts leave.

    Where nothing was listed, the share is 0: nothing can be expected.
    """
    if evidence.long_listed <= 0:
        nothing = np.zeros(len(evidence.long))
        return nothing, nothing + 1 / MIDDLE_PAPERS
    share = (evidence.long + LONG_PAPERS) / (evidence.long_listed * (1 + LONG_LISTED))
    share = (evidence.middle + MIDDLE_PAPERS) / (evidence.middle_listed + MIDDLE_PAPERS / share)
    share = (evidence.recent + RECENT_PAPERS) / (evidence.recent_listed + RECENT_PAPERS / share)
    own = evidence.recent / (evidence.recent + RECENT_PAPERS)
    # own^2 / recent, written so that no paper at all is no division by nothing
    left = own / (evidence.recent + RECENT_PAPERS) + (1 - own) ** 2 / (evidence.middle + MIDDLE_PAPERS)
    return share, left


def volume_of(listed: Sequence[int], horizon: int = 1) -> Volume:
    """What is expected of a board that listed so many papers in each period, oldest first.

    Periods that list nothing are skipped: an archive closes for holidays, and an ingest may have failed.
    ``horizon`` is 1 for the period after the last one; what lies further ahead is never surer.
    """
    volumes = [float(volume) for volume in listed if volume > 0]
    if not volumes:
        return Volume(0.0, USUAL_VOLUME_VARIANCE * horizon)
    paths = [_smoothed(volumes, smoothing) for smoothing in SMOOTHINGS]
    trust = _trust(volumes, paths)
    mean = math.exp(_mean(trust, [math.log(path[-1]) for path in paths]))
    variances = []
    for ahead in range(1, horizon + 1):
        squares = _mean(trust, [sum(_squares(volumes, path, ahead)) for path in paths])
        usual = USUAL_VOLUME_VARIANCE * ahead * USUAL_VOLUME_WEIGHT
        variances.append((squares + usual) / (max(len(volumes) - ahead, 0) + USUAL_VOLUME_WEIGHT))
    return Volume(mean, max(variances))


def outlook(evidence: Evidence, volume: Volume, horizon: int = 1) -> Outlook:
    """What is expected of each term ``horizon`` periods ahead, 1 being the period after the last one."""
    share, left = shares(evidence)
    mean = np.maximum(share * volume.mean, float(LEAST))
    spread = left + OWN_VARIANCE + DRIFT_VARIANCE * horizon + volume.variance
    return Outlook(mean, mean + mean**2 * spread)


def forecasts_of(expected: Outlook) -> list[Forecast]:
    """A forecast for each term; the interval is that of a negative binomial with its mean and variance."""
    size, chance = negative_binomial(expected)
    low, high = (np.asarray(stats.nbinom.ppf(quantile, size, chance)).tolist() for quantile in BAND)
    return [
        Forecast(thousandths(mean), int(low), int(high))
        for mean, low, high in zip(expected.mean.tolist(), low, high, strict=True)
    ]


def negative_binomial(expected: Outlook) -> tuple[Numbers, Numbers]:
    """The size and the probability of the distribution, as scipy names them."""
    chance = expected.mean / expected.variance
    return expected.mean * chance / (1 - chance), chance


def thousandths(mean: float) -> Decimal:
    """A mean as it is stored and shown."""
    return Decimal(mean).quantize(THOUSANDTH)


def forecast_from_series(papers: Sequence[int], listed: Sequence[int], *, horizon: int = 1) -> Forecast:
    """The forecast of a term with ``papers[i]`` of the ``listed[i]`` papers of period i, oldest first.

    ``horizon`` is 1 for the period after the last, and widens the interval only. Without any paper listed the
    forecast is the least one. Raises `ValueError` for series of different lengths.
    """
    if len(papers) != len(listed):
        raise ValueError(f"{len(papers)} counts for {len(listed)} periods")
    evidence = evidence_of(np.array([papers], dtype=np.float64), listed)
    return forecasts_of(outlook(evidence, volume_of(listed, horizon), horizon))[0]


def _smoothed(volumes: Sequence[float], smoothing: float) -> list[float]:
    """What was expected after each period."""
    path = [volumes[0]]
    for volume in volumes[1:]:
        path.append((1 - smoothing) * path[-1] + smoothing * volume)
    return path


def _trust(volumes: Sequence[float], paths: Sequence[Sequence[float]]) -> list[float]:
    """How far each smoothing is believed, in sum 1: by the squares of its errors so far, to the power of -n.

    Independent normal errors would ask for -n/2; these lie off together, so a difference says more.
    """
    usual = USUAL_VOLUME_VARIANCE * USUAL_VOLUME_WEIGHT
    power = len(volumes) - 1 + USUAL_VOLUME_WEIGHT
    logs = [-power * math.log(usual + sum(_squares(volumes, path, 1))) for path in paths]
    trust = [math.exp(log - max(logs)) for log in logs]
    return [each / sum(trust) for each in trust]


def _mean(trust: Sequence[float], values: Sequence[float]) -> float:
    return sum(each * value for each, value in zip(trust, values, strict=True))


def _squares(volumes: Sequence[float], path: Sequence[float], horizon: int) -> list[float]:
    """How far each volume lay from the one expected ``horizon`` periods before, as a squared logarithm."""
    pairs = zip(volumes[horizon:], path, strict=False)
    return [math.log(volume / expected) ** 2 for volume, expected in pairs]
