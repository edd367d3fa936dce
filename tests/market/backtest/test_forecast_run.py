"""Forecast runs on small panels: who forecasts what from which weeks, and how errors are summed up."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest

from market.backtest.forecast_run import WARM_UP, run_forecasts
from market.backtest.forecasters import OURS, RATES, TWO_STRETCHES, as_used, with_volume_known
from market.backtest.panel import TooFewPapers, Weeks
from market.backtest.verdicts import forecast_verdicts
from market.expected import forecast_from_series

MONDAY = date(2026, 1, 5)


def weeks(papers: list[list[int]], listed: list[int]) -> Weeks:
    mondays = tuple(MONDAY + timedelta(days=7 * at) for at in range(len(listed)))
    return Weeks(mondays, np.array(papers, dtype=float), np.array(listed))


def test_each_method_by_hand() -> None:
    some = weeks([[2, 4, 6, 8, 99], [0, 0, 0, 2, 99]], [10, 20, 20, 40, 50])
    found = {method: with_volume_known(method, some, 4).tolist() for method in RATES}
    assert found["last week"] == pytest.approx([8 / 40 * 50, 2 / 40 * 50])
    assert found["4-week mean"] == pytest.approx([20 / 90 * 50, 2 / 90 * 50])
    decayed = [8 + 0.8 * (6 + 0.8 * (4 + 0.8 * 2)), 40 + 0.8 * (20 + 0.8 * (20 + 0.8 * 10))]
    assert found["EWMA .2"][0] == pytest.approx(decayed[0] / decayed[1] * 50)
    counts = {method: as_used(method, some, 4).tolist() for method in RATES}
    assert counts["last week"] == [8, 2]
    assert counts["4-week mean"] == [5, 0.5]
    assert counts[OURS] == pytest.approx(
        [float(forecast_from_series(row[:4], [10, 20, 20, 40]).mean) for row in ([2, 4, 6, 8], [0, 0, 0, 2])],
        abs=0.0006,
    )


def test_the_two_stretch_formula_by_recursion() -> None:
    papers, listed = [3, 0, 5, 1], [100, 80, 120, 90]
    a = big_a = b = big_b = 0.0
    for y, n in zip(papers, listed, strict=True):
        a, big_a, b, big_b = 0.8 * a + y, 0.98 * big_a + y, 0.8 * b + n, 0.98 * big_b + n
    p0 = np.median([9, 4]) / 390
    m = (big_a + 0.3) / (big_b + 0.3 / p0)
    some = weeks([[*papers, 0], [1, 1, 1, 1, 0], [0, 0, 0, 0, 9]], [*listed, 100])
    found = with_volume_known(TWO_STRETCHES, some, 4)
    assert found[0] == pytest.approx((a + 6) / (b + 6 / m) * 100)


def test_a_forecast_knows_nothing_of_its_week() -> None:
    past = [5, 6, 7, 8, 9, 10, 11, 12]
    low, high = (weeks([[*past, last]], [100] * 9) for last in (0, 90))
    for method in RATES:
        assert as_used(method, low, 8).tolist() == as_used(method, high, 8).tolist()


def test_errors_are_of_the_terms_seen_before_and_of_their_class() -> None:
    count = WARM_UP + 4
    steady, new = [5] * count, [0] * (count - 1) + [8]
    run = run_forecasts(weeks([steady, new, [0] * count], [100] * count), np.random.default_rng(1))
    assert run.week_count == 4
    assert run.outcomes == (0, 0, 4, 0, 0)  # the new term was never seen before a forecast
    last_week = next(row for row in run.errors["as used"] if row.name == "last week")
    assert last_week.by_class[2] == last_week.overall == 0
    assert np.isnan(last_week.by_class[0])
    assert last_week.halves == (0, 0)
    assert [each.horizon for each in run.coverage] == [1, 2, 3, 4]


def test_a_week_of_holidays_is_no_outcome() -> None:
    listed = [100] * WARM_UP + [0, 100, 100]
    papers = [[5] * WARM_UP + [0, 5, 5]]
    run = run_forecasts(weeks(papers, listed), np.random.default_rng(1))
    assert run.week_count == 2
    ours = next(row for row in run.errors["as used"] if row.name == OURS)
    assert ours.overall < 0.6  # nothing was listed, and so nothing fell


def test_too_few_weeks_are_said() -> None:
    with pytest.raises(TooFewPapers, match="7 whole weeks are too few: it takes 8"):
        run_forecasts(weeks([[1] * 7], [10] * 7), np.random.default_rng(1))


def test_shortfalls_are_named_with_their_class_and_figures() -> None:
    # A count that stays what it was is forecast best by what it was.
    draw = np.random.default_rng(3)
    listed = [int(volume) for volume in draw.integers(80, 300, 20)]
    run = run_forecasts(weeks([[5] * 20, [2] * 20], listed), draw)
    verdicts = {(each.figure, each.asked.split()[0]): each for each in forecast_verdicts(run)}
    used = verdicts["f0, MAE, as used", "lower"]
    assert any(each.startswith("3-10: ") and "last week 0.000" in each for each in used.shortfalls)


