"""The report: the same for the same panel, as text and as JSON, and honest about what is left out."""

from __future__ import annotations

import json

from market.backtest.report import as_json, as_text, backtest
from tests.market.backtest.panels import panel_with_a_rise


def test_the_same_panel_gives_the_same_report() -> None:
    some = panel_with_a_rise(days=120)
    assert as_text(backtest(some, "cs.LG")) == as_text(backtest(some, "cs.LG"))


def test_text_and_json_say_the_same() -> None:
    report = backtest(panel_with_a_rise(), "cs.LG")
    text, plain = as_text(report), json.loads(json.dumps(as_json(report), allow_nan=False))
    assert text.startswith("cs.LG: 10,800 papers on 108 listing days, 2026-01-05 to 2026-06-03; 60 terms")
    assert max(len(line) for line in text.splitlines()) <= 110
    last_week = plain["forecasts"]["errors"]["as used"][0]
    assert last_week["name"] == "last week"
    assert f"{last_week['overall']:9.3f}" in text
    assert plain["trends"]["windows"][0]["rows"][-1]["false_alarms"] == {"days": None, "papers": None}
    assert len(plain["verdicts"]) == text.count("\n  yes  ") + text.count("\n  no   ")


def test_terms_that_come_late_are_no_fault() -> None:
    some = panel_with_a_rise(days=140)
    some.papers[:, :100] = 0
    report = backtest(some, "cs.LG")
    assert report.left_out == ()
    assert report.trends is not None
    assert "nan" not in as_text(report)
    assert "no term was in a paper before" in as_text(report)
    assert not any(each.figure.startswith("rising, 30 days") for each in report.verdicts)


def test_progress_counts_up() -> None:
    seen: list[int] = []
    backtest(panel_with_a_rise(days=120), "cs.LG", seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == len(set(seen)) > 4


def test_a_short_corpus_is_forecast_and_its_trends_are_left_out() -> None:
    short = backtest(panel_with_a_rise(days=100), "cs.LG")
    assert short.forecasts is not None
    assert short.trends is None
    assert "Left out, trends: " in as_text(short)
    shorter = backtest(panel_with_a_rise(days=30), "cs.LG")
    assert shorter.forecasts is shorter.trends is None
    assert as_text(shorter).count("Left out, ") == 2
