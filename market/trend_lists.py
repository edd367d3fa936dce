"""From counts to lists: which terms a window shows as rising, falling, new, and in most papers. Pure.

A list holds what passes its gate and nothing else, so it may be empty; it is never filled up to a length.
The formulas are in `scores.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from market.scores import HIGH, LOW, MIDDLE, Counts, Numbers, chance_of_rise, false_discovery, ratio_quantile
from market.trend_rows import ONE_DAY, WINDOWS, Lists, TrendRow

METHOD = 1  # one more whenever a formula or a gate changes: rankings stored before are then not today's
LEAST_RATIO = 1.2  # of the cautious end of the ratio's interval
FALSE_DISCOVERY = 0.10
MOST_PAPERS_SHOWN = 20
DAY_TERMS_SHOWN = 50

Places = NDArray[np.intp]  # of terms in the counts
Names = Callable[[Sequence[int]], dict[int, tuple[str, str]]]  # slug and label of terms by their ids


@dataclass(frozen=True, slots=True)
class TermCounts:
    """Counts, and the id of the term of each."""

    term_ids: NDArray[np.int64]
    counts: Counts


def lists_of(window: int, found: TermCounts, names: Names) -> Lists:
    """The lists of a window of 7 or 30 days, or of one day. ``names`` is asked once, for the terms shown.

    Without papers before the window there is nothing to compare with, and nothing rises, falls or is new.
    """
    counts = found.counts
    rises, falls = (false_discovery(chance_of_rise(side)) for side in (counts, counts.mirrored()))
    places = _of_day(found) if window == ONE_DAY else _of_window(WINDOWS[window], found, rises, falls)
    shown = np.unique(np.concatenate(list(places.values())))
    labels = names(found.term_ids[shown].tolist())
    rows = {
        kind: _rows(found, at, falls if kind == "falling" else rises, labels) for kind, at in places.items()
    }
    falling = [replace(row, score=1 / row.high) for row in rows.get("falling", [])]
    checked = counts.papers if window == ONE_DAY else counts.papers + counts.base_papers
    return Lists(
        counts.listed, counts.base_listed, int(np.count_nonzero(checked)),
        rising=_by_score(rows.get("rising", [])), falling=_by_score(falling),
        new=_by_papers(rows.get("new", [])), most=_by_papers(rows["most"]),
    )  # fmt: skip


def with_ranks_before(lists: Lists, before: Lists) -> Lists:
    """The lists, each row with its rank in the same list of ``before``."""
    return replace(
        lists,
        rising=_compared(lists.rising, before.rising),
        falling=_compared(lists.falling, before.falling),
        new=_compared(lists.new, before.new),
        most=_compared(lists.most, before.most),
    )


def _of_window(least: int, found: TermCounts, rises: Numbers, falls: Numbers) -> dict[str, Places]:
    counts = found.counts
    papers, base_papers = counts.papers, counts.base_papers
    rising = np.flatnonzero((rises <= FALSE_DISCOVERY) & (papers >= least) & (base_papers > 0))
    falling = np.flatnonzero((falls <= FALSE_DISCOVERY) & (base_papers >= least))
    fresh = (papers >= least) & (base_papers == 0) & (counts.base_listed >= counts.listed)
    return {
        "rising": rising[_quantile(counts, rising, LOW) >= LEAST_RATIO],
        "falling": falling[1 / _quantile(counts, falling, HIGH) >= LEAST_RATIO],
        "new": np.flatnonzero(fresh),
        "most": _most(found, MOST_PAPERS_SHOWN),
    }


def _of_day(found: TermCounts) -> dict[str, Places]:
    return {"most": _most(found, DAY_TERMS_SHOWN)}


def _most(found: TermCounts, count: int) -> Places:
    order = np.lexsort((found.term_ids, -found.counts.papers))[:count]
    return order[found.counts.papers[order] > 0]


def _quantile(counts: Counts, places: Places, quantile: float) -> Numbers:
    some = Counts(counts.papers[places], counts.base_papers[places], counts.listed, counts.base_listed)
    return ratio_quantile(some, quantile)


def _rows(
    found: TermCounts, places: Places, q_values: Numbers, names: dict[int, tuple[str, str]]
) -> list[TrendRow]:
    counts = found.counts
    ratios = [_quantile(counts, places, quantile) for quantile in (LOW, MIDDLE, HIGH)]
    columns = [found.term_ids, counts.papers, counts.base_papers, q_values]
    return [
        TrendRow(
            *names[term_id], int(papers), counts.listed, int(base_papers), counts.base_listed,
            ratio=ratio, low=low, high=high, score=low, q_value=q_value,
            term_id=term_id, rank=0, rank_before=None,
        )
        for term_id, papers, base_papers, q_value, low, ratio, high in zip(
            *(column[places].tolist() for column in columns),
            *(column.tolist() for column in ratios),
            strict=True,
        )
    ]  # fmt: skip


def _by_score(rows: list[TrendRow]) -> tuple[TrendRow, ...]:
    """The surest first."""
    return _ranked(sorted(rows, key=lambda row: (-row.score, row.label, row.term_id)))


def _by_papers(rows: list[TrendRow]) -> tuple[TrendRow, ...]:
    return _ranked(sorted(rows, key=lambda row: (-row.papers, row.label, row.term_id)))


def _ranked(rows: list[TrendRow]) -> tuple[TrendRow, ...]:
    return tuple(replace(row, rank=rank) for rank, row in enumerate(rows, 1))


def _compared(rows: tuple[TrendRow, ...], before: tuple[TrendRow, ...]) -> tuple[TrendRow, ...]:
    ranks = {row.term_id: row.rank for row in before}
    return tuple(replace(row, rank_before=ranks.get(row.term_id)) for row in rows)
