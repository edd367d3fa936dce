"""The opening forecast: the formula as it is written down, and what has to hold for any counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.expected import (
    Forecast,
    evidence_of,
    forecast_from_series,
    forecasts_of,
    outlook,
    shares,
    volume_of,
)

A_PERIOD = st.integers(0, 900).flatmap(lambda listed: st.tuples(st.integers(0, listed), st.just(listed)))
PERIODS = st.lists(A_PERIOD, min_size=1, max_size=40)


def share_by_recursion(papers: Sequence[int], listed: Sequence[int]) -> float:
    """The share as it is written down, a period at a time."""
    a = big_a = b = big_b = 0.0
    for y, n in zip(papers, listed, strict=True):
        a, big_a = 0.8 * a + y, 0.98 * big_a + y
        b, big_b = 0.8 * b + n, 0.98 * big_b + n
    c, big_c = sum(papers[-3:]), sum(listed[-3:])
    m = (big_a + 0.3) / (1.1 * big_b)
    s = (a + 4) / (b + 4 / m)
    return (c + 30) / (big_c + 30 / s)


@given(PERIODS)
def test_the_share_is_that_of_the_recursion(periods: list[tuple[int, int]]) -> None:
    papers, listed = [y for y, _ in periods], [n for _, n in periods]
    evidence = evidence_of(np.array([papers], dtype=float), listed)
    expected = share_by_recursion(papers, listed) if sum(listed) else 0
    assert shares(evidence)[0][0] == pytest.approx(expected)


@given(PERIODS, st.integers(1, 4))
def test_forecasts_are_in_range(periods: list[tuple[int, int]], horizon: int) -> None:
    papers, listed = [y for y, _ in periods], [n for _, n in periods]
    forecast = forecast_from_series(papers, listed, horizon=horizon)
    assert forecast.mean == forecast.mean.quantize(Decimal("0.001")) >= Decimal("0.05")
    assert 0 <= forecast.low <= math.ceil(forecast.mean)
    assert forecast.low <= forecast.high


@given(PERIODS, st.integers(0, 39))
def test_a_paper_more_with_the_term_is_a_higher_forecast(periods: list[tuple[int, int]], at: int) -> None:
    listed = [n + 1 for _, n in periods]
    fewer = np.array([[float(y) for y, _ in periods]])
    more = fewer.copy()
    more[0, at % len(listed)] += 1
    volume = volume_of(listed)
    means = [outlook(evidence_of(papers, listed), volume).mean[0] for papers in (fewer, more)]
    assert means[1] >= means[0]


def test_terms_are_forecast_each_by_itself() -> None:
    listed = [90, 110, 100, 0, 120]
    papers = [[0, 0, 1, 0, 0], [9, 11, 10, 0, 12], [0, 0, 0, 0, 60]]
    together = evidence_of(np.array(papers, dtype=float), listed)
    found = forecasts_of(outlook(together, volume_of(listed)))
    assert found == [forecast_from_series(counts, listed) for counts in papers]


def test_a_worked_example() -> None:
    # One week, 10 of 60 papers: m = 10.3/66, s = 14/(60 + 4/m), f0 = 40/(60 + 30/s) * 60.
    assert forecast_from_series([10], [60]).mean == Decimal("9.856")
    assert forecast_from_series([], []) == Forecast(Decimal("0.050"), 0, 0)
    assert forecast_from_series([0], [0]) == Forecast(Decimal("0.050"), 0, 0)


def test_a_busy_term_follows_its_last_weeks_and_a_rare_one_does_not() -> None:
    listed = [500] * 20
    busy, rare = [50] * 17 + [100] * 3, [1] * 17 + [2] * 3
    assert forecast_from_series(busy, listed).mean > 90
    assert forecast_from_series(rare, listed).mean < Decimal("1.5")


def test_further_periods_expect_the_same_and_are_less_sure() -> None:
    near, far = (forecast_from_series([50] * 20, [500] * 20, horizon=horizon) for horizon in (1, 4))
    assert near.mean == far.mean
    assert far.low < near.low < near.mean < near.high < far.high


def test_counts_without_their_periods_are_refused() -> None:
    with pytest.raises(ValueError, match="2 counts for 1 periods"):
        forecast_from_series([1, 2], [10])


def test_volume_is_smoothed_as_suits_the_board() -> None:
    # Around a level, smooth much; at a level that moves and stays, little.
    level = [100, 140] * 12
    steps = [100] * 6 + [300] * 6 + [900] * 6 + [100] * 6 + [700] * 2
    assert volume_of(level).mean == pytest.approx(120, abs=8)
    assert volume_of(steps).mean == pytest.approx(700, rel=0.1)
    assert volume_of(steps).variance > volume_of(level).variance


@given(st.lists(st.integers(0, 900), max_size=30), st.integers(0, 30), st.integers(1, 4))
def test_volume_skips_periods_that_list_nothing(listed: list[int], at: int, horizon: int) -> None:
    assert volume_of([*listed[:at], 0, *listed[at:]], horizon) == volume_of(listed, horizon)


def test_volume_further_ahead_is_measured_further_ahead() -> None:
    growing = [round(100 * 1.1**at) for at in range(30)]
    variances = [volume_of(growing, horizon).variance for horizon in range(1, 5)]
    assert variances == sorted(variances)
    assert variances[3] > 2 * variances[0]
    # Every second period is four times as much: two ahead the last one is right, and still not surer.
    swinging = [100, 400] * 20
    assert volume_of(swinging, 2).variance == volume_of(swinging, 1).variance
    assert volume_of([100], 4).variance == pytest.approx(4 * volume_of([100], 1).variance)


def test_the_interval_holds_four_outcomes_in_five() -> None:
    # Terms of constant share on a board of steady volume: the band has to hold at least what it says.
    draw = np.random.default_rng(3)
    held = []
    for _ in range(400):
        share = draw.beta(0.6, 20)
        listed = draw.poisson(400, 31)
        papers = draw.binomial(listed, share)
        forecast = forecast_from_series(papers[:30].tolist(), listed[:30].tolist())
        held.append(forecast.low <= papers[30] <= forecast.high)
    assert 0.78 <= np.mean(held) <= 0.97
