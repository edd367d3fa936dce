"""Fitting a chain to labelled texts: the most likely weights, kept small (L-BFGS)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize

from nlp.chain import Chain, Floats, Ints, beliefs_of

LEAST_OFTEN = 2  # a feature that stands in the training texts less often has no weight
SIDE_BY_SIDE = 128  # texts of like length that are worked on together


@dataclass(frozen=True, slots=True)
class Labelled:
    """Texts one after the other: features and label of each token, length and weight of each text."""

    features: NDArray[np.int32]  # (tokens, templates): rows of the table of weights
    labels: Ints  # (tokens,)
    lengths: tuple[int, ...]
    weights: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Settings:
    """How a chain is fitted."""

    bits: int  # the table of weights has 2**bits rows
    steps: int
    stiffness: float  # the penalty on a weight's square, halved
    moves: Floats  # added to the score of each step from label to label: 0, or NEVER


def fit(texts: Labelled, settings: Settings, step: Callable[[], None] = lambda: None) -> Chain:
    """The chain under which the labels are likeliest. `step` is called after each step."""
    labels = len(settings.moves)
    objective = _Objective(texts, settings)
    result = minimize(
        objective, np.zeros(objective.size), jac=True, method="L-BFGS-B", callback=lambda _: step(),
        options={"maxiter": settings.steps, "maxcor": 6},
    )  # fmt: skip
    own, moves, first, last = objective.parts(result.x)
    weights = np.zeros((1 << settings.bits, labels), np.float32)
    weights[objective.used] = own
    return Chain(weights, moves + settings.moves, first, last)


class _Objective:
    """The loss of given weights and its gradient."""

    def __init__(self, texts: Labelled, settings: Settings) -> None:
        self._settings = settings
        self._labels = len(settings.moves)
        self.used, self._matrix = _counted(texts.features, settings.bits)
        self._back = self._matrix.T.tocsr()
        self.size = self._labels * (len(self.used) + self._labels + 2)
        self._groups = _groups(texts)
        self._each = np.repeat(np.asarray(texts.weights), texts.lengths)[:, None]
        self._wanted = np.zeros((len(texts.labels), self._labels))
        self._wanted[np.arange(len(texts.labels)), texts.labels] = self._each[:, 0]
        self._firsts, self._lasts = _borders(texts.lengths)
        self._moves = np.zeros((self._labels, self._labels))
        inner = np.setdiff1d(np.arange(len(texts.labels)), self._firsts)
        np.add.at(self._moves, (texts.labels[inner - 1], texts.labels[inner]), self._each[inner, 0])

    def parts(self, flat: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """(weights of the features in use, moves, first, last)."""
        labels = self._labels
        own, moves, ends = np.split(flat, [len(self.used) * labels, (len(self.used) + labels) * labels])
        first, last = ends.reshape(2, labels)
        return own.reshape(-1, labels), moves.reshape(labels, labels), first, last

    def __call__(self, flat: Floats) -> tuple[float, Floats]:
        own, moves, first, last = self.parts(flat)
        chain = Chain(np.zeros((0, self._labels), np.float32), moves + self._settings.moves, first, last)
        scores: Floats = self._matrix @ own
        likely, expected, log_total = np.empty_like(scores), np.zeros_like(moves), 0.0
        for tokens, lengths, weight in self._groups:
            beliefs = beliefs_of(scores[tokens], lengths, chain)
            likely[tokens] = beliefs.forward * beliefs.backward * weight
            expected += beliefs.moves * weight
            log_total += beliefs.log_total * weight
        wanted, surplus = self._wanted, likely - self._wanted
        given = (
            (scores * wanted).sum() + (moves * self._moves).sum()
            + (first * wanted[self._firsts].sum(0)).sum() + (last * wanted[self._lasts].sum(0)).sum()
        )  # fmt: skip
        gradient = [self._back @ surplus, expected - self._moves]
        gradient += [surplus[self._firsts].sum(0), surplus[self._lasts].sum(0)]
        flat_gradient = np.concatenate([each.ravel() for each in gradient]) + self._settings.stiffness * flat
        loss = log_total - given + self._settings.stiffness / 2 * (flat**2).sum()
        return float(loss), flat_gradient


def _counted(features: NDArray[np.int32], bits: int) -> tuple[Ints, sparse.csr_matrix]:
    """The rows of the table that are in use, and which of them each token has."""
    often = np.bincount(features.ravel(), minlength=1 << bits)
    used = np.flatnonzero(often >= LEAST_OFTEN)
    place = np.full(1 << bits, -1, np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    there = place[features]
    kept = there >= 0
    ends = np.concatenate([[0], np.cumsum(kept.sum(1))])
    columns = there[kept]
    matrix = sparse.csr_matrix(
        (np.ones(len(columns), np.float64), columns, ends), shape=(len(features), len(used))
    )
    return used, matrix


def _groups(texts: Labelled) -> list[tuple[Ints, list[int], float]]:
    """(tokens, lengths, weight) of texts of one weight and like lengths."""
    begins = np.concatenate([[0], np.cumsum(texts.lengths)])
    order = sorted(range(len(texts.lengths)), key=lambda text: (texts.weights[text], texts.lengths[text]))
    groups: list[list[int]] = []
    for text in order:
        full = not groups or len(groups[-1]) == SIDE_BY_SIDE
        if full or texts.weights[groups[-1][0]] != texts.weights[text]:
            groups.append([])
        groups[-1].append(text)
    return [
        (
            np.concatenate([np.arange(begins[text], begins[text + 1]) for text in group]),
            [texts.lengths[text] for text in group],
            texts.weights[group[0]],
        )
        for group in groups
    ]


def _borders(lengths: Sequence[int]) -> tuple[Ints, Ints]:
    ends = np.cumsum(lengths)
    return ends - np.asarray(lengths), ends - 1
