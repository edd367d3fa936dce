"""Groups of words that are used alike, found in a corpus: what stands beside a word tells what it is.

Positive pointwise mutual information with the neighbours at each distance, its leading singular vectors
(O. Levy, Y. Goldberg and I. Dagan, TACL 2015), and spherical k-means at three sizes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import svds

from nlp.chain import Floats, Ints

LEAST_OFTEN = 4  # times a word stands in the corpus
NEIGHBOURS = 5000  # most frequent words, that others are told by
DIMENSIONS = 100
SIZES = (50, 250, 1000)
APART = 5  # places between two texts that hold no word, and the farthest neighbour

_ROUNDS = 15
_BLOCK = 4000
_NEAR = (-2, -1, 1, 2)
_FLATTER = 0.75  # frequent neighbours count for less


def word_groups(texts: Sequence[Sequence[str]], seed: int) -> tuple[list[str], NDArray[np.int16]]:
    """(words, their groups at each size), most frequent first; texts are words in small letters."""
    often = Counter(word for text in texts for word in text)
    words = [word for word, count in often.most_common() if count >= LEAST_OFTEN and not word.isspace()]
    place = {word: number for number, word in enumerate(words)}
    gap = [-1] * APART
    ids = np.array([number for text in texts for number in (*(place.get(word, -1) for word in text), *gap)])
    generator = np.random.default_rng(seed)
    vectors = _vectors(ids, len(words), generator)
    groups = [_groups(vectors, min(size, len(words)), generator) for size in SIZES]
    return words, np.column_stack(groups).astype(np.int16)


def _vectors(ids: Ints, words: int, generator: np.random.Generator) -> Floats:
    near = [_informative(_beside(ids, distance, words)) for distance in _NEAR]
    far = sparse.csr_matrix((words, NEIGHBOURS))
    for distance in range(1, APART + 1):
        far = far + (_beside(ids, -distance, words) + _beside(ids, distance, words)) * (1 / distance)
    table = sparse.hstack([*near, _informative(far)]).tocsr()
    size = min(DIMENSIONS, min(table.shape) - 1)
    left, values, _ = svds(table, k=size, v0=generator.random(min(table.shape)))
    vectors = np.asarray(left * np.sqrt(values), np.float64)
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / (length + 1e-9))


def _beside(ids: Ints, distance: int, words: int) -> sparse.csr_matrix:
    """How often each neighbour stands so far from each word."""
    before, after = max(0, -distance), max(0, distance)
    here, there = ids[before : len(ids) - after], ids[after : len(ids) - before]
    both = (here >= 0) & (there >= 0) & (there < NEIGHBOURS)
    counts = np.ones(int(both.sum()))
    return sparse.csr_matrix((counts, (here[both], there[both])), shape=(words, NEIGHBOURS))


def _informative(counts: sparse.csr_matrix) -> sparse.csr_matrix:
    """Positive pointwise mutual information."""
    table = counts.tocoo()
    rows = np.asarray(table.sum(1)).ravel()
    columns = np.asarray(table.sum(0)).ravel() ** _FLATTER
    columns = columns / columns.sum()
    value = np.log(table.data / (rows[table.row] * columns[table.col]))
    kept = value > 0
    return sparse.csr_matrix((value[kept], (table.row[kept], table.col[kept])), shape=table.shape)


def _groups(vectors: Floats, size: int, generator: np.random.Generator) -> Ints:
    """The nearest of `size` centres, for each word."""
    # A rare word's place is uncertain, so that the centres begin at frequent ones.
    centres = vectors[generator.permutation(min(len(vectors), 8 * max(SIZES)))[:size]].copy()
    group = np.zeros(len(vectors), np.int64)
    for _ in range(_ROUNDS):
        blocks = [vectors[at : at + _BLOCK] @ centres.T for at in range(0, len(vectors), _BLOCK)]
        group = np.concatenate([block.argmax(1) for block in blocks])
        shape = (len(centres), len(group))
        members = sparse.csr_matrix((np.ones(len(group)), (group, np.arange(len(group)))), shape)
        sums: Floats = np.asarray(members @ vectors)
        length = np.linalg.norm(sums, axis=1, keepdims=True)
        centres = np.where(length > 0, sums / np.maximum(length, 1e-9), centres)
    return group
