"""What a corpus says of a phrase: how often it stands there, and in what share of these places it seems a
term.

Phrases are known by a hash of their words, plurals taken for singulars, so that tens of thousands fit in
little room; of 100,000 that the table does not know, it may take one or two for others that it knows.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Floats = NDArray[np.float64]

LONGEST = 8  # words of a phrase that is known

_PRIME = np.uint64(0x9E3779B97F4A7C15)
_STEP = np.uint64(31)
_FOLD = np.uint64(31)
_SHARES = 250  # a share is kept in so many steps
_COUNTS = 20  # a count's logarithm is kept in steps of a twentieth


class PhraseTable(NamedTuple):
    """Known phrases, sorted by their hash."""

    keys: NDArray[np.uint32]
    shares: NDArray[np.uint8]
    counts: NDArray[np.uint8]

    def look_up(self, phrases: Hashes) -> tuple[Floats, Floats]:
        """(share of a phrase's places in which it seems a term, log of 1 + how many places); 0 if unknown."""
        if not len(self.keys):
            return np.zeros(len(phrases)), np.zeros(len(phrases))
        wanted = _short(phrases)
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        known = (self.keys[place] == wanted) & (phrases != 0)
        shares = np.where(known, self.shares[place] / _SHARES, 0.0)
        return shares, np.where(known, self.counts[place] / _COUNTS, 0.0)


def phrase_table(phrases: Hashes, shares: Floats, counts: Floats) -> PhraseTable:
    """The table of these phrases, with shares from 0 to 1."""
    keys, first = np.unique(_short(phrases), return_index=True)
    kept = np.minimum(np.rint(np.log1p(counts[first]) * _COUNTS), 255)
    return PhraseTable(keys, np.rint(shares[first] * _SHARES).astype(np.uint8), kept.astype(np.uint8))


def _short(phrases: Hashes) -> NDArray[np.uint32]:
    return (phrases >> np.uint64(32)).astype(np.uint32)


def phrases_at(words: Hashes) -> Hashes:
    """The hash of the phrase of each length that begins at each word of a text; (LONGEST, words).

    0 stands where the text ends before the phrase would.
    """
    phrases = np.zeros((LONGEST, len(words)), np.uint64)
    so_far = np.ones(len(words), np.uint64)
    for length in range(1, min(LONGEST, len(words)) + 1):
        so_far = (so_far[: len(words) - length + 1] * _STEP + words[length - 1 :]) * _PRIME
        so_far ^= so_far >> _FOLD
        phrases[length - 1, : len(so_far)] = so_far
    return phrases


def phrases_of(words: Hashes, start: NDArray[np.int64], end: NDArray[np.int64]) -> Hashes:
    """The hash of each phrase [start, end) in a text; 0 for one that is longer than LONGEST."""
    phrases = phrases_at(words)
    length = end - start
    return np.where(length <= LONGEST, phrases[np.minimum(length, LONGEST) - 1, start], np.uint64(0))


def write_phrases(path: Path, table: PhraseTable) -> None:
    """The same table gives the same bytes."""
    with path.open("wb") as file:
        np.savez_compressed(file, **table._asdict())


def read_phrases(path: Path) -> PhraseTable:
    """Raises FileNotFoundError, and ValueError for a file that holds no table of phrases."""
    try:
        with np.load(path, allow_pickle=False) as data:
            return PhraseTable(data["keys"], data["shares"], data["counts"])
    except (KeyError, EOFError) as error:
        raise ValueError(f"{path}: holds no table of phrases: {error}") from error
