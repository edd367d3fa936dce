"""Measures with answers that are known beforehand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.backtest.measures import (
    CLASSES,
    absolute_errors,
    average_precision,
    held,
    poisson_deviances,
    precision_at,
    size_classes,
)
from market.expected import Outlook

COUNTS = st.lists(st.integers(0, 500), min_size=1, max_size=20)


def marks(*relevant: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array(relevant, dtype=bool)


@given(COUNTS)
def test_a_perfect_forecaster_has_no_error_and_no_deviance(counts: list[int]) -> None:
    papers = np.array(counts, dtype=float)
    assert absolute_errors(papers, papers).tolist() == [0] * len(counts)
    assert poisson_deviances(papers, np.maximum(papers, 1e-300)) == pytest.approx(0)


@given(COUNTS, st.floats(0.05, 600))
def test_a_deviance_is_twice_the_lost_log_likelihood(counts: list[int], mean: float) -> None:
    from scipy import stats

    papers = np.array(counts, dtype=float)
    lost = stats.poisson.logpmf(papers, np.maximum(papers, 1e-12)) - stats.poisson.logpmf(papers, mean)
    assert poisson_deviances(papers, np.full(len(counts), mean)) == pytest.approx(2 * lost, abs=1e-6)


def test_terms_are_classed_by_their_mean() -> None:
    places = size_classes(np.array([0, 0.99, 1, 2.9, 3, 9.9, 10, 29, 30, 400]))
    assert [CLASSES[at] for at in places] == [
        "<1", "<1", "1-3", "1-3", "3-10", "3-10", "10-30", "10-30", ">30", ">30",
    ]  # fmt: skip


def test_precision_of_a_known_ranking() -> None:
    scores = np.array([5.0, 1, 4, 2, 3])  # in order: places 0, 2, 4, 3, 1
    relevant = marks(1, 0, 0, 0, 1)
    assert precision_at(1, scores, relevant) == 1
    assert precision_at(2, scores, relevant) == 0.5
    assert precision_at(20, scores, relevant) == 0.4
    assert average_precision(scores, relevant) == pytest.approx((1 / 1 + 2 / 3) / 2)
    assert np.isnan(average_precision(scores, marks(0, 0, 0, 0, 0)))


def test_ties_keep_their_order() -> None:
    assert average_precision(np.zeros(3), marks(0, 0, 1)) == pytest.approx(1 / 3)
    assert average_precision(np.zeros(3), marks(1, 0, 0)) == 1


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30))
def test_the_best_ranking_has_an_average_precision_of_one(rows: list[tuple[float, bool]]) -> None:
    relevant = np.array([mark for _, mark in rows])
    if relevant.any():
        assert average_precision(relevant.astype(float), relevant) == 1
        drawn = average_precision(np.array([score for score, _ in rows]), relevant)
        assert 0 < drawn <= 1


def test_a_true_distribution_holds_four_in_five_when_spread() -> None:
    # Drawn from the very distribution that the forecast states, for rare and common terms.
    draw = np.random.default_rng(4)
    for mean in (0.1, 0.7, 3, 40):
        expected = Outlook(np.full(4000, mean), np.full(4000, mean + 0.1 * mean**2))
        counts = draw.poisson(draw.gamma(10, mean / 10, 4000)).astype(float)
        found = held(counts, expected, draw)
        assert found.spread.mean() == pytest.approx(0.8, abs=0.025)
        assert found.plain.mean() == pytest.approx(found.promised[0], abs=0.02)
        assert found.promised[0] >= 0.8


def test_too_narrow_a_distribution_holds_less() -> None:
    draw = np.random.default_rng(4)
    counts = draw.poisson(draw.gamma(2, 20, 2000)).astype(float)
    assert held(counts, Outlook(np.full(2000, 40.0), np.full(2000, 41.0)), draw).spread.mean() < 0.5
