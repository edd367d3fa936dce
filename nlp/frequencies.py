"""What a corpus tells of words and phrases: in how many of its texts they stand, and as what.

A compact table: each key is kept as a hash of 32 bits, each share as one of 255 steps. Two keys with one hash
are taken for the same; of the keys that are not in the table some 3 in 100,000 are taken for one that is.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SHARES = 3
_STEPS = 255
_MOST = 65_535


class Count(NamedTuple):
    """Of a phrase or a word: texts that have it, and three shares from 0 to 1 of its occurrences.

    For a phrase: those that are a term's span, those that no neighbour belongs to, texts with it in their
    title. For a word: those within a term, those that begin one, those that end one.
    """

    texts: int
    shares: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Frequencies:
    """The table: ``hashes`` in order, and a row of the others for each."""

    text_count: int
    hashes: NDArray[np.uint32]
    texts: NDArray[np.uint16]
    shares: NDArray[np.uint8]  # (keys, 3)

    def of_phrases(self, keys: Sequence[str]) -> tuple[Floats, Floats]:
        """(texts, shares) of each term key; zeros for one that is not in the table."""
        return self._rows([_hash(key) for key in keys])

    def of_words(self, words: Sequence[str]) -> tuple[Floats, Floats]:
        """The same of single words."""
        return self._rows([_word_hash(word) for word in words])

    def _rows(self, hashes: Sequence[int]) -> tuple[Floats, Floats]:
        wanted = np.array(hashes, np.uint32)
        if not len(self.hashes):
            return np.zeros(len(wanted)), np.zeros((len(wanted), SHARES))
        place = np.minimum(np.searchsorted(self.hashes, wanted), len(self.hashes) - 1)
        known = self.hashes[place] == wanted
        return self.texts[place] * known, self.shares[place] * known[:, None] / _STEPS


def frequencies_of(text_count: int, phrases: Mapping[str, Count], words: Mapping[str, Count]) -> Frequencies:
    """The table of these counts; of two keys with one hash the first is kept."""
    rows: dict[int, Count] = {}
    for key, count in phrases.items():
        rows.setdefault(_hash(key), count)
    for word, count in words.items():
        rows.setdefault(_word_hash(word), count)
    order = sorted(rows)
    shares = np.array([rows[each].shares for each in order]).reshape(-1, SHARES)
    return Frequencies(
        text_count,
        np.array(order, np.uint32),
        np.array([min(rows[each].texts, _MOST) for each in order], np.uint16),
        np.rint(shares * _STEPS).astype(np.uint8),
    )


def write_frequencies(path: Path, table: Frequencies) -> None:
    """The same table gives the same bytes."""
    with path.open("wb") as file:
        np.savez_compressed(
            file, count=np.array(table.text_count), steps=np.diff(table.hashes, prepend=np.uint32(0)),
            texts=table.texts, shares=np.ascontiguousarray(table.shares.T),
        )  # fmt: skip


def read_frequencies(path: Path) -> Frequencies:
    """Raises FileNotFoundError, and ValueError for a file that holds no such table."""
    try:
        with np.load(path, allow_pickle=False) as data:
            hashes = np.cumsum(data["steps"], dtype=np.uint32)
            shares = np.ascontiguousarray(data["shares"].T)
            return Frequencies(int(data["count"]), hashes, data["texts"], shares)
    except (KeyError, EOFError) as error:
        raise ValueError(f"{path}: holds no frequencies: {error}") from error


def _hash(key: str) -> int:
    return zlib.crc32(key.encode("utf-8", "surrogatepass"))


def _word_hash(word: str) -> int:
    return zlib.crc32(b"word|" + word.encode("utf-8", "surrogatepass"))
