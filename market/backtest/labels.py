"""What a trend should have found: terms whose share of papers was higher afterwards.

Label A, a rise to come: the share in the next 28 days is at least 1.5 times that of the 56 days until the
day. Label B, risen and staying: the same against the 56 days that ended 30 days ago. At least ten papers in
the next 28 days are asked for, since fewer do one and a half times as much by chance alone.
"""

from __future__ import annotations

from market.backtest.measures import Marks
from market.backtest.panel import Sums
from market.expected import Numbers

AHEAD_DAYS, BASE_DAYS, AGO_DAYS = 28, 56, 30
RISE = 1.5
LEAST_PAPERS = 10
HISTORY_DAYS = BASE_DAYS + AGO_DAYS  # that a day needs before it, itself included


def labels(sums: Sums, day: int) -> dict[str, Marks]:
    """Whether each term is relevant on the day (a column), by label "A" and "B"."""
    ahead = sums.papers(day + 1, day + AHEAD_DAYS)
    enough = ahead >= LEAST_PAPERS
    share = _share(ahead, sums.listed(day + 1, day + AHEAD_DAYS))
    ends = {"A": day, "B": day - AGO_DAYS}
    found = {}
    for name, end in ends.items():
        first = end - BASE_DAYS + 1
        found[name] = enough & (share >= RISE * _share(sums.papers(first, end), sums.listed(first, end)))
    return found


def _share(papers: Numbers, listed: int) -> Numbers:
    return papers / max(listed, 1)
