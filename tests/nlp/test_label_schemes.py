"""Spans as labels and back, and the probability of each span against every labelling written out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.chain import Chain, beliefs_of
from nlp.label_schemes import (
    ALONE,
    BEGIN,
    INSIDE,
    LABELS,
    LAST,
    OUTSIDE,
    TokenSpan,
    impossible_moves,
    labels_of,
    spans_in,
    without_overlaps,
)


def test_labels_of_spans() -> None:
    assert labels_of([(1, 2), (3, 5), (5, 9)], 10).tolist() == [
        OUTSIDE, ALONE, OUTSIDE, BEGIN, LAST, BEGIN, INSIDE, INSIDE, LAST, OUTSIDE,
    ]  # fmt: skip


def spans_of_path(path: tuple[int, ...]) -> set[tuple[int, int]] | None:
    """The spans of a labelling, or None where it is none."""
    found, start = set(), None
    for at, label in enumerate(path):
        if (label in (INSIDE, LAST)) != (start is not None):
            return None
        if label == BEGIN:
            start = at
        elif label in (LAST, ALONE):
            found.add((at if start is None else start, at + 1))
            start = None
    return None if start is not None else found


@given(st.integers(0, 10_000), st.lists(st.integers(1, 5), min_size=1, max_size=3))
def test_a_span_is_as_likely_as_the_labellings_that_have_it(seed: int, lengths: list[int]) -> None:
    generator = np.random.default_rng(seed)
    moves = generator.normal(size=(LABELS, LABELS)) + impossible_moves()
    never_first = np.array([0, 0, -30, -30, 0.0])
    never_last = np.array([0, -30, -30, 0, 0.0])
    chain = Chain(np.zeros((1, LABELS), np.float32), moves, never_first, never_last)
    scores = generator.normal(0, 2, size=(sum(lengths), LABELS))
    found = spans_in(beliefs_of(scores, lengths, chain), lengths, chain, 0.0)
    begin = 0
    for length, spans in zip(lengths, found, strict=True):
        expected: dict[tuple[int, int], float] = {}
        total = 0.0
        for path in itertools.product(range(LABELS), repeat=length):
            its = spans_of_path(path)
            if its is not None:
                steps = sum(moves[pair] for pair in itertools.pairwise(path))
                weight = float(np.exp(scores[np.arange(begin, begin + length), path].sum() + steps))
                total += weight
                for span in its:
                    expected[span] = expected.get(span, 0.0) + weight
        begin += length
        got = {span[:2]: span.probability for span in spans}
        assert got.keys() == expected.keys()
        for span, weight in expected.items():
            assert got[span] == pytest.approx(weight / total, abs=1e-6)


def test_the_likelier_of_two_that_overlap_is_kept() -> None:
    spans = [TokenSpan(0, 2, 0.5), TokenSpan(1, 3, 0.9), TokenSpan(3, 4, 0.1), TokenSpan(2, 5, 0.8)]
    assert without_overlaps(spans) == [TokenSpan(1, 3, 0.9), TokenSpan(3, 4, 0.1)]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 5), st.floats(0, 1)), max_size=30))
def test_what_is_kept_never_overlaps_and_what_is_not_does(drawn: list[tuple[int, int, float]]) -> None:
    spans = [TokenSpan(start, start + length, likely) for start, length, likely in drawn]
    kept = without_overlaps(spans)
    assert all(one.end <= other.start for one, other in itertools.pairwise(kept))
    for span in spans:
        rivals = [each for each in kept if each.start < span.end and span.start < each.end]
        assert rivals
        assert max(each.probability for each in rivals) >= span.probability
