"""Whether scores mean what they say: of the terms given 0.8, how many were marked?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nlp.extract import ExtractedTerm
from nlp.normalize import term_key

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """The terms with a score in [low, high), or up to 1 in the last: how many, what was said, what was so."""

    low: float
    high: float
    count: int
    mean_score: float
    share_marked: float


def reliability(papers: Iterable[tuple[Sequence[ExtractedTerm], Iterable[str]]]) -> tuple[Bin, ...]:
    """Ten bins over papers' extracted terms and the strings that a reader marked in each; empty ones are
    zeros.

    Readers mark abstracts, so terms that stand in the title alone are left out.
    """
    scores: list[list[float]] = [[] for _ in range(BINS)]
    marked: list[int] = [0] * BINS
    for terms, strings in papers:
        keys = set(map(term_key, strings))
        for term in terms:
            if term.spans:
                number = min(int(term.score * BINS), BINS - 1)
                scores[number].append(term.score)
                marked[number] += term.key in keys
    rows = enumerate(zip(scores, marked, strict=True))
    return tuple(_bin(number, row, hits) for number, (row, hits) in rows)


def calibration_error(bins: Sequence[Bin]) -> float:
    """The mean distance between what was said and what was so, each bin weighed by its terms; 0 to 1."""
    total = sum(each.count for each in bins)
    distance = sum(each.count * abs(each.mean_score - each.share_marked) for each in bins)
    return distance / total if total else 0.0


def reliability_table(bins: Sequence[Bin]) -> str:
    """The bins as lines of text."""
    lines = ["score       terms   said    was"]
    lines += [
        f"{each.low:.1f} to {each.high:.1f} {each.count:6,d} {each.mean_score:6.2f} {each.share_marked:6.2f}"
        for each in bins
    ]
    return "\n".join([*lines, f"mean distance {calibration_error(bins):.3f}"])


def _bin(number: int, scores: Sequence[float], hits: int) -> Bin:
    count = len(scores)
    mean, share = (sum(scores) / count, hits / count) if count else (0.0, 0.0)
    return Bin(number / BINS, (number + 1) / BINS, count, mean, share)
