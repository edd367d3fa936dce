"""How far a term's share of papers lies above its share before, and whether chance alone would do that. Pure.

For each term: ``papers`` of the ``listed`` papers in a window carry it, and ``base_papers`` of the
``base_listed`` ones before the window. The ratio of the two shares has a Gamma-Poisson posterior whose prior
weighs eight papers at the term's overall share m, so that few papers prove little:

    m    = (k + k' + .5) / (N + N')
    R(q) = (N' + 8/m) / (N + 8/m) * x / (1 - x),   x = BetaInv(q; k + 8, k' + 8)
    p    = I_{N/(N+N')}(k, k' + .5)

k, N are of the window and k', N' of the base; R(q) is the ratio's quantile q, p the probability of k or more
papers when nothing changed. Measured on real listings against other scores (see `trends.md` of the design).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

Numbers = NDArray[np.float64]

PRIOR_PAPERS = 8.0
LOW, MIDDLE, HIGH = 0.10, 0.50, 0.90


@dataclass(frozen=True, slots=True)
class Counts:
    """Papers with each term (one number a term) and papers listed, in the window and in the base."""

    papers: Numbers
    base_papers: Numbers
    listed: int
    base_listed: int

    def mirrored(self) -> Counts:
        """The same with window and base exchanged: what falls in one rises in the other."""
        return Counts(self.base_papers, self.papers, self.base_listed, self.listed)


def ratio_quantile(counts: Counts, quantile: float) -> Numbers:
    """The quantile of each term's ratio of shares, window over base; above 0."""
    mean = (counts.papers + counts.base_papers + 0.5) / max(counts.listed + counts.base_listed, 1)
    prior = PRIOR_PAPERS / mean  # papers listed that the prior stands for
    x = special.betaincinv(counts.papers + PRIOR_PAPERS, counts.base_papers + PRIOR_PAPERS, quantile)
    ratio = (counts.base_listed + prior) / (counts.listed + prior) * x / (1 - x)
    return np.asarray(ratio, dtype=np.float64)


def chance_of_rise(counts: Counts) -> Numbers:
    """The probability p of at least so many papers in the window at an unchanged share; 1 for no papers."""
    window = counts.listed / max(counts.listed + counts.base_listed, 1)
    some = counts.papers > 0
    chance = special.betainc(np.where(some, counts.papers, 1.0), counts.base_papers + 0.5, window)
    return np.asarray(np.where(some, chance, 1.0), dtype=np.float64)


def false_discovery(chances: Numbers) -> Numbers:
    """Benjamini and Hochberg's q value of each p value: the share of false ones among all that are as small.

    Benjamini, Hochberg: Controlling the false discovery rate. J. R. Statist. Soc. B 57 (1995) 289-300.
    """
    if len(chances) == 0:
        return chances
    q_values: Numbers = stats.false_discovery_control(chances, method="bh")
    return q_values
