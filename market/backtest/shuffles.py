"""What chance alone would show: the same papers at other times, so that nothing rises.

Two ways, since each leaves something in. Dealing whole days keeps what comes in bursts of a day, but puts
busy days where there were quiet ones. Dealing the papers keeps how much each day lists.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from market.backtest.panel import Panel

Deal = Callable[[Panel, np.random.Generator], Panel]


def days_dealt(panel: Panel, draw: np.random.Generator) -> Panel:
    """The panel with its listing days, papers and all, in another order over the same dates."""
    places = np.flatnonzero(panel.listed > 0)
    dealt = draw.permutation(places)
    papers, listed = panel.papers.copy(), panel.listed.copy()
    papers[:, places] = panel.papers[:, dealt]
    listed[places] = panel.listed[dealt]
    return Panel(panel.terms, panel.first_day, papers, listed)


def papers_dealt(panel: Panel, draw: np.random.Generator) -> Panel:
    """The panel with each term's papers drawn anew from all papers listed: a constant share, day by day."""
    totals = panel.papers.sum(axis=1)
    drawn = [draw.multivariate_hypergeometric(panel.listed, int(total)) for total in totals]
    papers = np.array(drawn, dtype=np.int64).reshape(panel.papers.shape)
    return Panel(panel.terms, panel.first_day, papers, panel.listed)


DEALS: Mapping[str, Deal] = MappingProxyType({"days": days_dealt, "papers": papers_dealt})
