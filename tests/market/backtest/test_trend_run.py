"""Trend runs on a panel with a planted rise: it is found, and where nothing rises nothing is shown."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from market.backtest.labels import AGO_DAYS, AHEAD_DAYS, BASE_DAYS, HISTORY_DAYS, labels
from market.backtest.measures import ranking
from market.backtest.panel import Sums, TooFewPapers
from market.backtest.scorers import OURS, SCORERS, sight_of
from market.backtest.shuffles import DEALS
from market.backtest.trend_run import run_trends
from market.backtest.verdicts import trend_verdicts
from market.scores import LOW, ratio_quantile
from tests.market.backtest.panels import RISING, panel, panel_with_a_rise

RISE_AT = 70


def test_labels_by_hand() -> None:
    # One paper with each term a day, of ten; the next 28 days decide.
    days = HISTORY_DAYS + AHEAD_DAYS
    papers = np.ones((4, days), dtype=np.int64)
    day = HISTORY_DAYS - 1
    papers[0, day + 1 :] = 2  # a rise to come: both labels
    papers[1, day - AGO_DAYS + 1 :] = 2  # rose a month ago and stays: against the last 56 days 2 / 1.54
    papers[3, :] = 0
    papers[3, day + 1 : day + 10] = 1  # nine papers from nothing are too few
    found = labels(Sums(papers, np.full(days, 10)), day)
    assert found["A"].tolist() == [True, False, False, False]
    assert found["B"].tolist() == [True, True, False, False]


def test_labels_go_by_share_and_not_by_count() -> None:
    days = HISTORY_DAYS + AHEAD_DAYS
    papers = np.ones((1, days), dtype=np.int64)
    listed = np.full(days, 10)
    papers[:, HISTORY_DAYS:] *= 3
    listed[HISTORY_DAYS:] *= 3
    found = labels(Sums(papers, listed), HISTORY_DAYS - 1)
    assert not found["A"].any()
    assert not found["B"].any()


def test_a_planted_rise_is_found_by_every_score_but_chance() -> None:
    some = panel_with_a_rise(rise_at=RISE_AT)
    sight = sight_of(some.papers, some.listed, RISE_AT + 29, 30)
    draw = np.random.default_rng(1)
    for name, scorer in SCORERS.items():
        if name != "random":
            assert ranking(scorer(sight, draw))[0] == RISING, name


def test_scores_by_hand() -> None:
    papers = np.concatenate([np.full((1, BASE_DAYS), 2), np.full((1, 7), 6)], axis=1)
    papers[0, 1] = 4
    listed = np.full(BASE_DAYS + 7, 100)
    listed[0], papers[0, 0] = 0, 0  # a holiday is no day
    sight = sight_of(papers, listed, BASE_DAYS + 6, 7)
    scores = {name: float(scorer(sight, np.random.default_rng(1))[0]) for name, scorer in SCORERS.items()}
    base = 112 / 5500
    assert (sight.counts.papers[0], sight.counts.base_papers[0]) == (42, 112)
    assert scores["raw ratio"] == pytest.approx(0.06 / base)
    assert scores["difference"] == pytest.approx(0.06 - base)
    spread = np.std([2] * 54 + [4])
    assert scores["z of daily counts"] == pytest.approx((6 - 112 / 55) / (spread / np.sqrt(7)))
    assert scores[OURS] == ratio_quantile(sight.counts, LOW)[0]
    assert scores["log-odds, Dirichlet"] > stats.norm.ppf(0.999)


@pytest.mark.parametrize("way", DEALS)
def test_dealing_keeps_what_there_is_and_its_exposure(way: str) -> None:
    some = panel_with_a_rise()
    dealt = DEALS[way](some, np.random.default_rng(3))
    assert dealt.papers.sum(axis=1).tolist() == some.papers.sum(axis=1).tolist()
    assert (dealt.papers <= dealt.listed).all()
    assert ((dealt.listed > 0) == (some.listed > 0)).all()
    assert sorted(dealt.listed) == sorted(some.listed)
    assert not np.array_equal(dealt.papers, some.papers)
    # The rise is dealt all over: the first half has about half of it.
    assert 0.4 < dealt.papers[RISING, :75].sum() / dealt.papers[RISING].sum() < 0.6
    assert some.papers[RISING, :75].sum() / some.papers[RISING].sum() < 0.35


def test_a_run_finds_the_rise_and_shows_nothing_by_chance() -> None:
    run = run_trends(panel_with_a_rise(rise_at=RISE_AT), np.random.default_rng(1))
    for window in run.windows:
        rows = {row.name: row for row in window.rows}
        assert set(rows) == set(SCORERS)
        assert rows[OURS].average["A"] == 1
        assert rows[OURS].average["B"] > 5 * rows["random"].average["B"]
        assert rows[OURS].change < 0.5 < rows["random"].change
        assert all(shown < 0.5 for shown in window.shown_by_chance.values())
        assert np.isnan(rows["random"].false_alarms["days"])
    # It rose on day 70: longer than the shorter window, and within the longer one on most days.
    assert next(row for row in run.windows[1].rows if row.name == OURS).average["B"] == 1
    assert run.windows[1].shown == 1
    assert run.day_count == 27  # weekdays from day 85 to 121 of 150


def test_the_same_panel_gives_the_same_run() -> None:
    some = panel_with_a_rise(days=120)
    runs = [run_trends(some, np.random.default_rng(5)) for _ in range(2)]
    assert str(runs[0]) == str(runs[1])


def test_what_is_asked_of_a_score_is_held_against_it() -> None:
    verdicts = list(trend_verdicts(run_trends(panel_with_a_rise(), np.random.default_rng(1))))
    assert len(verdicts) == 9
    assert all(verdict.figure.startswith("rising, ") for verdict in verdicts)


def test_too_few_days_are_said() -> None:
    short = panel(np.ones((2, 100), dtype=np.int64), np.full(100, 9))
    with pytest.raises(TooFewPapers, match="100 days are too few: it takes 86 and 28 after them"):
        run_trends(short, np.random.default_rng(1))
