"""A linear chain: each token gets one label, by its own features and by the label before it.

This is the conditional random field of J. Lafferty, A. McCallum and F. Pereira (ICML 2001), over many texts
at once: they stand one after the other in one array, and `lengths` says how many tokens each has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEVER = -30.0  # the score of a step from one label to the next that cannot be


@dataclass(frozen=True, slots=True)
class Chain:
    """Weights of one labelling: a row for each feature, a column for each label; scores are log-linear."""

    weights: NDArray[np.float32]  # (features, labels)
    moves: Floats  # (labels, labels): from the row's label to the column's
    first: Floats  # (labels,): a text begins with this label
    last: Floats  # (labels,): a text ends with it

    @property
    def bits(self) -> int:
        """The table of weights has two to this power of rows."""
        return len(self.weights).bit_length() - 1


class Beliefs(NamedTuple):
    """What the chain holds likely, token by token; the product of the first two is a label's probability."""

    forward: Floats  # (tokens, labels): of each label, given the tokens up to here
    backward: Floats  # (tokens, labels)
    steps: Floats  # (tokens, labels): a token's own scores, scaled so that each forward row sums to 1
    moves: Floats  # (labels, labels): how many of each step are expected, summed over all texts
    log_total: float  # the logarithm of the sum over all labellings


def scores_of(features: NDArray[np.int32], chain: Chain) -> Floats:
    """The score of every label for every token, whose features are rows of the weights; (tokens, labels)."""
    scores = np.zeros((len(features), chain.weights.shape[1]), np.float32)
    for column in features.T:
        scores += chain.weights[column]
    return scores.astype(np.float64)


def best_labels(scores: Floats, lengths: Sequence[int], chain: Chain) -> Ints:
    """The best labelling of each text as a whole (Viterbi); one label for each token."""
    if not len(scores):
        return np.zeros(0, np.int64)
    index, inside = _padded(lengths)
    texts, longest = index.shape
    labels = scores.shape[1]
    stay = np.arange(labels)
    back = np.zeros((longest, texts, labels), np.int64)
    best = scores[index[:, 0]] + chain.first
    for at in range(1, longest):
        ways = best[:, :, None] + chain.moves
        choice = ways.argmax(1)
        there = np.take_along_axis(ways, choice[:, None], 1)[:, 0] + scores[index[:, at]]
        is_in = inside[:, at, None]
        back[at] = np.where(is_in, choice, stay)
        best = np.where(is_in, there, best)
    label = (best + chain.last).argmax(1)
    path = np.zeros((texts, longest), np.int64)
    for at in range(longest - 1, -1, -1):
        path[:, at] = label
        label = back[at][np.arange(texts), label]
    return path[inside]


def beliefs_of(scores: Floats, lengths: Sequence[int], chain: Chain) -> Beliefs:
    """The probabilities of all labellings together (forward and backward); each length is at least 1."""
    index, inside = _padded(lengths)
    texts, longest = index.shape
    labels = scores.shape[1]
    highest = scores.max(1)
    own = np.exp(scores - highest[:, None])[index]
    moves = np.exp(chain.moves)
    forward, scale = np.empty((longest, texts, labels)), np.ones((longest, texts))
    row = own[:, 0] * np.exp(chain.first)
    scale[0] = row.sum(1)
    forward[0] = row / scale[0][:, None]
    for at in range(1, longest):
        is_in = inside[:, at]
        row = (forward[at - 1] @ moves) * own[:, at]
        scale[at] = np.where(is_in, row.sum(1), 1.0)
        forward[at] = np.where(is_in[:, None], row / scale[at][:, None], forward[at - 1])
    ends = np.exp(chain.last)
    total = forward[-1] @ ends
    backward = np.empty_like(forward)
    backward[-1] = ends / total[:, None]
    expected = np.zeros((labels, labels))
    for at in range(longest - 1, 0, -1):
        is_in = inside[:, at, None]
        message = np.where(is_in, own[:, at] * backward[at] / scale[at][:, None], 0.0)
        expected += forward[at - 1].T @ message
        backward[at - 1] = np.where(is_in, message @ moves.T, backward[at])
    log_total = float(np.log(scale).sum() + np.log(total).sum() + highest.sum())
    steps = (own / scale.T[:, :, None])[inside]
    turned = (forward.transpose(1, 0, 2)[inside], backward.transpose(1, 0, 2)[inside])
    return Beliefs(*turned, steps, expected * moves, log_total)


def _padded(lengths: Sequence[int]) -> tuple[Ints, NDArray[np.bool_]]:
    """For each text the numbers of its tokens, filled up to the longest, and which of them are its own."""
    counts = np.asarray(lengths, np.int64)
    begins = np.concatenate([[0], np.cumsum(counts)[:-1]])
    places = np.arange(counts.max())[None, :]
    inside = places < counts[:, None]
    index: Ints = np.where(inside, begins[:, None] + places, 0)
    return index, inside
