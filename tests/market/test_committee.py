"""The committee's rule: pure, and every decision with the figures that decided."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.committee import THRESHOLDS, Candidate, Thresholds, Verdict, judge

GOOD = Candidate("flow map", "flow map", 41, 17, 2000, 20, score=0.9)


def test_what_is_in_says_by_which_figures() -> None:
    decision = judge(GOOD)
    assert decision.verdict is Verdict.LIST
    assert decision.reason == "41 papers on 17 days; asked for 3 on 2"


@pytest.mark.parametrize(
    ("changes", "verdict", "rule", "reason"),
    [
        ({"paper_count": 2}, "wait", "papers", "2 papers on 17 days; asked for 3 on 2"),
        ({"day_count": 1}, "wait", "papers", "41 papers on 1 day; asked for 3 on 2"),
        ({"is_generic": True}, "refuse", "generic", "a word that every field uses names nothing to follow"),
        ({"paper_count": 800}, "refuse", "share", "800 of 2,000 papers, 40%; a term is in at most 25%"),
        ({"coined_count": 40}, "wait", "coined", "40 papers coined it, 1 beside; asked for 3 beside"),
        ({"score": 0.42}, "refuse", "score", "score 0.42; asked for 0.45"),
        (
            {"marked_share": 0.2}, "refuse", "share of mentions found",
            "share of mentions found 0.20; asked for 0.35",
        ),
        ({"c_value": 0.5}, "refuse", "C-value", "C-value 0.50; asked for 1.00"),
        ({"weirdness": 1.2}, "refuse", "weirdness", "weirdness 1.20; asked for 2.00"),
        ({"coined_count": 38}, "list", "papers", "41 papers on 17 days; asked for 3 on 2"),
    ],
)
def test_the_first_rule_against_it_decides(
    changes: dict[str, object], verdict: str, rule: str, reason: str
) -> None:
    decision = judge(replace(GOOD, **changes))  # type: ignore[arg-type]
    assert (decision.verdict, decision.rule, decision.reason) == (verdict, rule, reason)


def test_thresholds_are_named_in_one_place() -> None:
    strict = replace(THRESHOLDS, papers=50)
    assert judge(GOOD, strict).reason == "41 papers on 17 days; asked for 50 on 2"
    assert Thresholds() == THRESHOLDS


@given(
    papers=st.integers(1, 400), days=st.integers(1, 60), coined=st.integers(0, 400), more=st.integers(0, 100)
)
def test_more_papers_by_others_never_turn_it_away_but_by_share(
    papers: int, days: int, coined: int, more: int
) -> None:
    """What is listed stays so with more papers on as many days, while they are not most of the board's."""
    coining = min(coined, papers)
    one = Candidate("k", "k", papers, min(days, papers), 100_000, 60, score=1.0, coined_count=coining)
    if judge(one).verdict is Verdict.LIST:
        assert judge(replace(one, paper_count=papers + more)).verdict is Verdict.LIST
