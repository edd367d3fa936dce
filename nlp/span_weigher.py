"""From evidence to a probability: one layer of hidden units, and the evidence itself straight through."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Weigher(NamedTuple):
    """Several small networks side by side, whose answers are averaged; evidence is scaled first."""

    mean: Floats  # (evidence,)
    spread: Floats  # (evidence,)
    inward: Floats  # (networks, evidence, hidden)
    bias: Floats  # (networks, hidden)
    outward: Floats  # (networks, hidden)
    straight: Floats  # (networks, evidence)
    level: Floats  # (networks,)

    def probabilities(self, evidence: Floats) -> Floats:
        """For each row of evidence, 0 to 1."""
        scaled = (evidence - self.mean) / self.spread
        total = np.zeros(len(evidence))
        for inward, bias, outward, straight, level in zip(*self[2:], strict=True):
            score = np.tanh(scaled @ inward + bias) @ outward + scaled @ straight + level
            total += 1 / (1 + np.exp(-score))
        answer: Floats = total / len(self.level)
        return answer


def write_weigher(path: Path, weigher: Weigher) -> None:
    """The same weights give the same bytes."""
    with path.open("wb") as file:
        parts = {name: part.astype(np.float32) for name, part in weigher._asdict().items()}
        np.savez_compressed(file, **parts)


def read_weigher(path: Path) -> Weigher:
    """Raises FileNotFoundError, and ValueError for a file that holds no weigher."""
    try:
        with np.load(path, allow_pickle=False) as data:
            return Weigher(*(data[name].astype(np.float64) for name in Weigher._fields))
    except (KeyError, EOFError) as error:
        raise ValueError(f"{path}: holds no weights of evidence: {error}") from error
