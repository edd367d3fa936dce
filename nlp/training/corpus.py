"""What a corpus says of phrases: where they stand, and in what share of these places they seem terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc

from nlp.chain import Chain
from nlp.phrases import LONGEST, Floats, Hashes, PhraseTable, phrase_table, phrases_at
from nlp.tagger import BATCH, in_batches
from nlp.term_finder import possible_spans, read
from nlp.words import STEM, WordTable

LEAST_LIKELY = 0.05  # a place that is less likely a term counts as none
LEAST_SUM = 0.3  # phrases with less than this, summed over all places, are not kept

Sums = tuple[Hashes, Floats]  # phrases, sorted, and the sum of their places' probabilities


def sums_of(docs: Iterable[Doc], words: WordTable, chain: Chain, reach: Callable[[int], None]) -> Sums:
    """How many terms each phrase is expected to be in these texts; they have their parts of speech."""
    phrases: list[np.uint64] = []
    likely: list[float] = []
    done = 0
    for batch in in_batches(docs, BATCH):
        done += len(batch)
        filled = [doc for doc in batch if len(doc)]
        if filled:
            _add(filled, words, chain, phrases, likely)
        reach(done)
    keys, place = np.unique(np.array(phrases, np.uint64), return_inverse=True)
    return keys, np.bincount(place, np.array(likely), len(keys)).astype(np.float64)


def _add(
    docs: Sequence[Doc], words: WordTable, chain: Chain, phrases: list[np.uint64], likely: list[float]
) -> None:
    text = read(docs, words)
    ends = np.cumsum(text.lengths).tolist()
    for spans, length, end in zip(possible_spans(text, chain), text.lengths, ends, strict=True):
        here = phrases_at(text.columns[end - length : end, STEM])
        for span in spans:
            if span.probability >= LEAST_LIKELY and span.end - span.start <= LONGEST:
                phrases.append(here[span.end - span.start - 1, span.start])
                likely.append(span.probability)


def counts_of(docs: Iterable[Doc], words: WordTable, phrases: Hashes) -> NDArray[np.int64]:
    """How often each of these phrases, which are sorted, stands in the texts."""
    counts = np.zeros(len(phrases), np.int64)
    for batch in in_batches((doc for doc in docs if len(doc)), BATCH):
        text = read(batch, words)
        ends = np.cumsum(text.lengths).tolist()
        for length, end in zip(text.lengths, ends, strict=True):
            here = phrases_at(text.columns[end - length : end, STEM]).ravel()
            place = np.minimum(np.searchsorted(phrases, here), len(phrases) - 1)
            np.add.at(counts, place[phrases[place] == here], 1)
    return counts


def tables(
    sums: Sequence[Sums], docs: Iterable[Doc], words: WordTable
) -> tuple[list[PhraseTable], PhraseTable]:
    """A table from each set of sums, and one from their mean."""
    phrases = np.unique(np.concatenate([keys for keys, _ in sums]))
    if not len(phrases):
        empty = phrase_table(phrases, np.zeros(0), np.zeros(0))
        return [empty] * len(sums), empty
    counts = counts_of(docs, words, phrases)
    spread = np.stack([_spread(phrases, *each) for each in sums])
    return [_table(phrases, each, counts) for each in spread], _table(phrases, spread.mean(0), counts)


def _spread(phrases: Hashes, keys: Hashes, likely: Floats) -> Floats:
    wide = np.zeros(len(phrases))
    wide[np.searchsorted(phrases, keys)] = likely
    return wide


def _table(phrases: Hashes, likely: Floats, counts: NDArray[np.int64]) -> PhraseTable:
    kept = likely >= LEAST_SUM
    # One place more than there are: what stands there once is not yet sure.
    shares = np.minimum(likely / (counts + 1.0), 1.0)
    return phrase_table(phrases[kept], shares[kept], counts[kept].astype(np.float64))
