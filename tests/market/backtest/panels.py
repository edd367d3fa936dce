"""Small panels with known answers."""

from __future__ import annotations

from datetime import date

import numpy as np

from market.backtest.panel import Panel, Whole

FIRST_DAY = date(2026, 1, 5)  # a Monday
RISING = 1  # of the terms of `panel_with_a_rise`


def panel(papers: Whole, listed: Whole, first_day: date = FIRST_DAY) -> Panel:
    return Panel(tuple(f"term {at}" for at in range(len(papers))), first_day, papers, listed)


def panel_with_a_rise(days: int = 150, terms: int = 60, rise_at: int = 70) -> Panel:
    """A hundred papers on each weekday and terms of constant shares, but for `RISING`, which carries three
    times as many papers from day ``rise_at`` on."""
    draw = np.random.default_rng(2)
    listed = np.array([100 if at % 7 < 5 else 0 for at in range(days)], dtype=np.int64)
    shares = np.full((terms, days), 0.01) * np.linspace(4, 20, terms)[:, None]
    shares[RISING, rise_at:] *= 3
    return panel(draw.binomial(listed, shares).astype(np.int64), listed)
