"""Papers with each term on each day, counted from a corpus with the product's own highlighter."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from market.expected import Numbers
from nlp.highlight import find_mentions
from nlp.lexicon import Lexicon, compile_matcher
from nlp.records import RawPaper, Section
from nlp.typeset import typeset

Whole = NDArray[np.int64]
FRIDAY = 4  # a week in which listings went on until then is a whole one


class TooFewPapers(Exception):
    """A corpus is too short for what was asked of it; `str()` says what it takes."""


@dataclass(frozen=True, slots=True)
class Panel:
    """``papers[term, day]`` of the ``listed[day]`` papers of each calendar day from ``first_day`` on.

    The first and the last day list papers; days between them that list none have no exposure.
    """

    terms: tuple[str, ...]
    first_day: date
    papers: Whole
    listed: Whole

    def day(self, at: int) -> date:
        """The date of a column."""
        return self.first_day + timedelta(days=at)


@dataclass(frozen=True, slots=True)
class Weeks:
    """Papers with each term, ``papers[term, week]``, and papers listed in each whole ISO week, oldest first;
    ``first_days`` are its Mondays."""

    first_days: tuple[date, ...]
    papers: Numbers
    listed: Whole


def count_papers(
    papers: Iterable[RawPaper], lexicon: Lexicon, board: str, progress: Callable[[int], None] | None = None
) -> Panel:
    """The panel of the board's papers, each once, on the first of its days, by the terms in its abstract.

    A paper is of the board when its categories contain the board's code. Raises `TooFewPapers`
    without any, and where none carries a term.
    """
    matcher = compile_matcher(lexicon)
    columns = {term.key: at for at, term in enumerate(lexicon.terms)}
    found: dict[str, tuple[date, set[int]]] = {}
    for number, paper in enumerate(papers, 1):
        is_of_board = board in paper.categories and paper.section is not Section.REPLACED
        if is_of_board and paper.day is not None:
            before = found.get(paper.identifier)
            if before is None or paper.day < before[0]:
                mentions = find_mentions(typeset(paper.abstract), matcher)
                found[paper.identifier] = paper.day, {columns[mention.term] for mention in mentions}
        if progress is not None:
            progress(number)
    if not found:
        raise TooFewPapers(f"no paper has a day and the category {board}")
    panel = panel_of(tuple(columns), found.values())
    if not panel.papers.any():
        raise TooFewPapers(f"no paper of {board} carries a term of the lexicon")
    return panel


def panel_of(terms: tuple[str, ...], papers: Iterable[tuple[date, Iterable[int]]]) -> Panel:
    """The panel of papers, each with its day and the places in ``terms`` of those that it carries."""
    rows = list(papers)
    first, last = min(day for day, _ in rows), max(day for day, _ in rows)
    length = (last - first).days + 1
    counts = np.zeros((len(terms), length), dtype=np.int64)
    listed = np.zeros(length, dtype=np.int64)
    for day, carried in rows:
        at = (day - first).days
        listed[at] += 1
        counts[list(carried), at] += 1
    return Panel(terms, first, counts, listed)


def weeks_of(panel: Panel) -> Weeks:
    """The ISO weeks that the panel covers from their Monday to their Friday at least."""
    length = len(panel.listed)
    start = -panel.first_day.weekday() % 7
    starts = [at for at in range(start, length, 7) if at + FRIDAY < length]
    # Saturday and Sunday of the last week may lie behind the panel's end; they list nothing there.
    papers = [panel.papers[:, at : at + 7].sum(axis=1) for at in starts]
    return Weeks(
        tuple(panel.day(at) for at in starts),
        np.array(papers, dtype=np.float64).reshape(len(starts), len(panel.terms)).T,
        np.array([panel.listed[at : at + 7].sum() for at in starts], dtype=np.int64),
    )


class Sums:
    """Sums over any days of a panel, by their columns, both ends included."""

    def __init__(self, papers: Whole, listed: Whole) -> None:
        self._papers = np.concatenate([np.zeros((len(papers), 1), dtype=np.int64), papers.cumsum(axis=1)], 1)
        self._listed = np.concatenate([[0], listed.cumsum()])

    def papers(self, first: int, last: int) -> Numbers:
        """Papers with each term on these days."""
        return np.asarray(self._papers[:, last + 1] - self._papers[:, first], dtype=np.float64)

    def listed(self, first: int, last: int) -> int:
        """Papers listed on these days."""
        return int(self._listed[last + 1] - self._listed[first])
