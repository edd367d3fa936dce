"""Counting a corpus: whose papers, once, on which day; and the weeks that are whole."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.backtest.panel import Sums, TooFewPapers, count_papers, panel_of, weeks_of
from nlp.lexicon import load_lexicon
from nlp.records import RawPaper, Section

LEXICON = load_lexicon('[[term]]\nlabel = "diffusion model"\n[[term]]\nlabel = "federated learning"\n')
MONDAY = date(2026, 1, 5)


def paper(identifier: str, day: date | None, abstract: str, *categories: str) -> RawPaper:
    return RawPaper(
        identifier=identifier, source="arxiv", url=None, title="Diffusion models", authors=(),
        abstract=abstract, categories=categories or ("cs.LG",), section=Section.NEW, day=day, line=1,
    )  # fmt: skip


def test_a_paper_counts_once_on_its_first_day_by_its_abstract() -> None:
    papers = [
        paper("1", MONDAY + timedelta(days=2), "Diffusion models and a diffusion model."),
        paper("1", MONDAY, "Federated learning."),
        paper("1", MONDAY + timedelta(days=1), "Diffusion models."),
        paper("2", MONDAY + timedelta(days=2), "Federated learning with diffusion models."),
        paper("3", MONDAY, "Diffusion models.", "cs.CV"),
        paper("4", None, "Diffusion models."),
    ]
    seen: list[int] = []
    found = count_papers(papers, LEXICON, "cs.LG", seen.append)
    assert found.terms == ("diffusion model", "federated learning")
    assert found.first_day == MONDAY
    assert found.listed.tolist() == [1, 0, 1]
    assert found.papers.tolist() == [[0, 0, 1], [1, 0, 1]]
    assert seen == [1, 2, 3, 4, 5, 6]


def test_a_board_without_papers_is_said() -> None:
    with pytest.raises(TooFewPapers, match=r"category cs\.CL"):
        count_papers([paper("1", MONDAY, "Diffusion models.")], LEXICON, "cs.CL")
    with pytest.raises(TooFewPapers, match=r"no paper of cs\.LG carries a term"):
        count_papers([paper("1", MONDAY, "Nothing.")], LEXICON, "cs.LG")


@pytest.mark.parametrize(
    ("first", "last", "mondays"),
    [
        (MONDAY, MONDAY + timedelta(days=13), [5, 12]),
        (MONDAY - timedelta(days=4), MONDAY + timedelta(days=13), [5, 12]),  # the Thursday before
        (MONDAY, MONDAY + timedelta(days=11), [5, 12]),  # ends on a Friday
        (MONDAY, MONDAY + timedelta(days=10), [5]),  # ends on a Thursday
        (MONDAY + timedelta(days=1), MONDAY + timedelta(days=13), [12]),
        (MONDAY, MONDAY + timedelta(days=2), []),
    ],
)
def test_weeks_that_are_partly_covered_are_dropped(first: date, last: date, mondays: list[int]) -> None:
    days = [first + timedelta(days=at) for at in range((last - first).days + 1)]
    weeks = weeks_of(panel_of(("a", "b"), [(day, [0]) for day in days]))
    assert [day.day for day in weeks.first_days] == mondays
    assert all(day.weekday() == 0 for day in weeks.first_days)
    covered = [sum(0 <= (day - monday).days < 7 for day in days) for monday in weeks.first_days]
    assert weeks.listed.tolist() == covered
    assert weeks.papers.tolist() == [covered, [0] * len(covered)]


def test_a_week_of_holidays_lists_nothing_and_stays() -> None:
    days = [MONDAY, MONDAY + timedelta(days=14), MONDAY + timedelta(days=18)]
    assert weeks_of(panel_of(("a",), [(day, [0]) for day in days])).listed.tolist() == [1, 0, 2]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.data())
def test_sums_are_those_of_the_days(counts: list[int], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(counts) - 1))
    last = data.draw(st.integers(first, len(counts) - 1))
    papers = np.array([counts, counts[::-1]])
    sums = Sums(papers, np.array(counts) + 1)
    assert sums.papers(first, last).tolist() == papers[:, first : last + 1].sum(axis=1).tolist()
    assert sums.listed(first, last) == sum(counts[first : last + 1]) + last + 1 - first


