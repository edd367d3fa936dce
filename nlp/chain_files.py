"""A chain's weights in a file: whole numbers from -127 to 127 and a scale for each label, packed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlp.chain import Chain

_STEPS = 127


def write_chain(path: Path, chain: Chain) -> None:
    """The file has no date in it: the same chain gives the same bytes."""
    whole, scale = _rounded(chain.weights)
    with path.open("wb") as file:
        np.savez_compressed(
            file, weights=whole, scale=scale, moves=chain.moves, first=chain.first, last=chain.last
        )


def read_chain(path: Path) -> Chain:
    """Raises FileNotFoundError, and ValueError for a file that holds no chain."""
    try:
        with np.load(path, allow_pickle=False) as data:
            weights = data["weights"].astype(np.float32) * data["scale"]
            return Chain(weights, data["moves"], data["first"], data["last"])
    except (KeyError, EOFError) as error:
        raise ValueError(f"{path}: holds no weights of a chain: {error}") from error


def as_written(chain: Chain) -> Chain:
    """The chain as it comes back from its file: what is measured is what is shipped."""
    whole, scale = _rounded(chain.weights)
    return Chain(whole.astype(np.float32) * scale, chain.moves, chain.first, chain.last)


def _rounded(weights: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    scale = np.maximum(np.abs(weights).max(0), 1e-6).astype(np.float32) / np.float32(_STEPS)
    return np.rint(weights / scale).astype(np.int8), scale
