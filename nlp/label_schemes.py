"""Spans as one label a token, and back: outside, begin, inside, last, or a span of one token alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlp.chain import NEVER, Beliefs, Chain, Floats

OUTSIDE, BEGIN, INSIDE, LAST, ALONE = range(5)
LABELS = 5
LONGEST = 9  # tokens of a span that is looked for

_FOLLOWS = {
    OUTSIDE: (OUTSIDE, BEGIN, ALONE),
    BEGIN: (INSIDE, LAST),
    INSIDE: (INSIDE, LAST),
    LAST: (OUTSIDE, BEGIN, ALONE),
    ALONE: (OUTSIDE, BEGIN, ALONE),
}


class TokenSpan(NamedTuple):
    """Tokens [start, end) and how likely they are a span exactly so, 0 to 1."""

    start: int
    end: int
    probability: float


def impossible_moves() -> Floats:
    """NEVER for each step between labels that no labelling has, 0 for all others."""
    moves = np.full((LABELS, LABELS), NEVER)
    for label, following in _FOLLOWS.items():
        moves[label, list(following)] = 0.0
    return moves


def labels_of(spans: Iterable[tuple[int, int]], tokens: int) -> NDArray[np.int64]:
    """The label of each token; the spans [start, end) do not overlap."""
    labels = np.full(tokens, OUTSIDE, np.int64)
    for start, end in spans:
        if end - start == 1:
            labels[start] = ALONE
        else:
            labels[start:end] = INSIDE
            labels[start], labels[end - 1] = BEGIN, LAST
    return labels


def spans_in(beliefs: Beliefs, lengths: Sequence[int], chain: Chain, least: float) -> list[list[TokenSpan]]:
    """For each text every span of at least this probability, in order of start and end; they may overlap."""
    tokens = len(beliefs.forward)
    ends = np.repeat(np.cumsum(lengths), lengths)
    begins = ends - np.repeat(lengths, lengths)
    text = np.repeat(np.arange(len(lengths)), lengths)
    found: list[list[TokenSpan]] = [[] for _ in lengths]
    moves = np.exp(chain.moves)
    alone = beliefs.forward[:, ALONE] * beliefs.backward[:, ALONE]
    so_far = beliefs.forward[:, BEGIN]  # of a span that began `length - 1` tokens ago and goes on
    before = BEGIN
    for length in range(1, min(LONGEST, tokens) + 1):
        if length == 1:
            likely = alone
        else:
            steps = beliefs.steps[length - 1 :]
            closing = moves[before, LAST] * steps[:, LAST] * beliefs.backward[length - 1 :, LAST]
            likely = so_far[: tokens - length + 1] * closing
            onward = moves[before, INSIDE] * steps[:, INSIDE]
            so_far = so_far[: tokens - length + 1] * onward
            before = INSIDE
        inside = np.arange(len(likely)) + length <= ends[: len(likely)]
        for start in np.flatnonzero((likely >= least) & inside).tolist():
            offset = start - int(begins[start])
            found[text[start]].append(TokenSpan(offset, offset + length, min(1.0, float(likely[start]))))
    return [sorted(each) for each in found]


def without_overlaps(spans: Iterable[TokenSpan]) -> list[TokenSpan]:
    """The likeliest spans of which no two overlap, in order."""
    kept: list[TokenSpan] = []
    for span in sorted(spans, key=lambda span: (-span.probability, span.start, span.end)):
        if all(span.end <= other.start or other.end <= span.start for other in kept):
            kept.append(span)
    return sorted(kept)
