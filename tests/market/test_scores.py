"""The trend score against its meaning: a posterior that is drawn at random, and a binomial that is summed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from market.scores import HIGH, LOW, MIDDLE, Counts, chance_of_rise, false_discovery, ratio_quantile

TERMS = st.lists(st.tuples(st.integers(0, 200), st.integers(0, 800)), min_size=1, max_size=20)


def counts(*pairs: tuple[int, int], listed: int = 500, base_listed: int = 4000) -> Counts:
    window, base = np.array(pairs, dtype=float).reshape(-1, 2).T
    return Counts(window, base, listed, base_listed)


def test_quantiles_are_those_of_two_gamma_posteriors() -> None:
    # The rate of a term has the prior Gamma(8, 8/m) per paper listed, in the window and in the base.
    draw = np.random.default_rng(7)
    for papers, base_papers in [(0, 3), (3, 1), (12, 30), (90, 700)]:
        mean = (papers + base_papers + 0.5) / 4500
        window = draw.gamma(papers + 8, 1 / (500 + 8 / mean), 400_000)
        base = draw.gamma(base_papers + 8, 1 / (4000 + 8 / mean), 400_000)
        for quantile in (LOW, MIDDLE, HIGH):
            exact = ratio_quantile(counts((papers, base_papers)), quantile)[0]
            assert exact == pytest.approx(np.quantile(window / base, quantile), rel=0.01)


def test_one_term_at_a_time_gives_the_same_numbers() -> None:
    pairs = [(0, 0), (0, 9), (5, 0), (7, 20), (60, 300)]
    for quantile in (LOW, HIGH):
        together = ratio_quantile(counts(*pairs), quantile)
        for at, (papers, base_papers) in enumerate(pairs):
            x = stats.beta(papers + 8, base_papers + 8).ppf(quantile)
            prior = 8 * 4500 / (papers + base_papers + 0.5)
            assert together[at] == pytest.approx((4000 + prior) / (500 + prior) * x / (1 - x))


def test_the_chance_of_a_rise_is_the_tail_of_a_binomial() -> None:
    # I_x(k, n - k + 1) is the probability of k or more of n; here one half of a paper stands for the 1.
    for papers, base_papers in [(1, 4), (3, 0), (8, 30), (40, 90)]:
        chance = chance_of_rise(counts((papers, base_papers)))[0]
        total = papers + base_papers
        at_least, more = stats.binom.sf([papers - 1, papers], total, 500 / 4500)
        assert more < chance < at_least or base_papers == 0


def test_none_is_no_rise_and_nothing_before_is_no_base() -> None:
    assert chance_of_rise(counts((0, 5), (0, 0))).tolist() == [1.0, 1.0]
    assert chance_of_rise(counts((9, 0), base_listed=0)).tolist() == [1.0]
    assert ratio_quantile(counts((0, 0), listed=0, base_listed=0), MIDDLE).tolist() == pytest.approx([1.0])


@given(TERMS)
def test_quantiles_are_in_order_and_mirrored(pairs: list[tuple[int, int]]) -> None:
    these = counts(*pairs)
    low, middle, high = (ratio_quantile(these, quantile) for quantile in (LOW, MIDDLE, HIGH))
    assert np.all((low > 0) & (low < middle) & (middle < high))
    assert np.allclose(ratio_quantile(these.mirrored(), LOW), 1 / high)


@given(TERMS, st.integers(2, 50))
def test_more_papers_listed_on_both_sides_change_nothing(pairs: list[tuple[int, int]], factor: int) -> None:
    # A board that lists the same papers under more categories rises nowhere.
    once, more = counts(*pairs), counts(*pairs, listed=500 * factor, base_listed=4000 * factor)
    assert np.allclose(ratio_quantile(once, LOW), ratio_quantile(more, LOW))
    assert np.allclose(chance_of_rise(once), chance_of_rise(more))


@given(st.integers(0, 100), st.integers(0, 400))
def test_one_paper_more_is_a_little_more_of_a_rise(papers: int, base_papers: int) -> None:
    fewer, more = counts((papers, base_papers)), counts((papers + 1, base_papers))
    assert ratio_quantile(more, LOW)[0] > ratio_quantile(fewer, LOW)[0]
    assert chance_of_rise(more)[0] <= chance_of_rise(fewer)[0]


def test_false_discovery_by_hand() -> None:
    # p * (number of terms) / rank, made monotone from the largest down.
    q_values = false_discovery(np.array([0.01, 0.04, 0.03, 0.5]))
    assert q_values == pytest.approx([0.04, 0.16 / 3, 0.16 / 3, 0.5])
    assert len(false_discovery(np.array([]))) == 0
