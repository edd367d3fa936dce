"""Whether a span is a term, a name that others use too, or one that the paper gives to what is its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlp.chain import Chain, Floats, scores_of
from nlp.features import POS, Template, features_of
from nlp.words import CASING, END3, MIDDLE, NARROW, SHAPE, STEM, WORD, hashed

KINDS = ("TERM", "NAME", "COINED")
LOOKS_BACK = 8  # tokens before a span in which a word that introduces something is looked for

_INTRODUCES = (
    "propose", "proposes", "introduce", "introduces", "introducing", "present", "presents", "develop",
    "develops", "design", "call", "called", "named", "dubbed", "termed", "namely", "our", "release",
)  # fmt: skip
_INTRODUCING = np.array([hashed(f"{WORD}|{word}") for word in _INTRODUCES], np.uint64)
# What is read of the tokens beside a span and at its ends: (distance from the start or the end, columns).
_FROM_START = ((-2, (WORD, MIDDLE)), (-1, (WORD, MIDDLE)), (0, (WORD, SHAPE, MIDDLE, POS, CASING)))
_FROM_END = ((-1, (WORD, SHAPE, END3, MIDDLE, NARROW, POS, CASING)), (0, (WORD, MIDDLE)), (1, (WORD,)))
_OUTSIDE = np.uint64(3)
# Some of the properties by their place among all, in the order in which `kind_features` puts them together
_BEFORE, _SHAPE, _CASING, _LAST_SHAPE, _AFTER = 2, 5, 8, 10, 16
_INTRODUCED, _ANYWHERE, _OFTEN, _LENGTH, _SCALE = range(19, 24)
_PROPERTIES = 25
_PAIRS = (
    (_CASING, _INTRODUCED), (_CASING, _ANYWHERE), (_CASING, _SCALE), (_CASING, _LENGTH),
    (_LAST_SHAPE, _INTRODUCED), (_LAST_SHAPE, _ANYWHERE), (_LAST_SHAPE, _SCALE), (_LAST_SHAPE, _OFTEN),
    (_LAST_SHAPE, _AFTER), (_LAST_SHAPE, _BEFORE), (_LAST_SHAPE, _SHAPE),
    (_ANYWHERE, _SCALE), (_AFTER, _ANYWHERE),
)  # fmt: skip
KIND_TEMPLATES: tuple[Template, ...] = (
    *(((each, 0),) for each in range(_PROPERTIES)),
    *(((one, 0), (other, 0)) for one, other in _PAIRS),
)


@dataclass(frozen=True, slots=True)
class Batch:
    """Spans of many texts; starts and ends are tokens of one array, in which texts follow each other."""

    columns: NDArray[np.uint64]  # (tokens, properties), the last one the part of speech
    text: NDArray[np.int64]  # of each token the number of its text
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    share: Floats  # of the phrase, in the corpus
    count: Floats


def kind_features(batch: Batch, bits: int) -> NDArray[np.int32]:
    """What the kind of each span is told by; (spans, templates)."""
    same = same_phrases(batch)
    introduced = _is_introduced(batch)
    anywhere = np.zeros(same.max(initial=-1) + 1, bool)
    np.logical_or.at(anywhere, same, introduced)
    often = np.minimum(np.bincount(same)[same], 4)
    scale = np.rint(2 * batch.count) + 20 * np.rint(4 * batch.share)
    properties = [
        *_around(batch),
        _flags(introduced),
        _flags(anywhere[same]),
        _flags(often),
        _flags(np.minimum(batch.end - batch.start, 5)),
        _flags(scale),
        _phrase(batch),
    ]
    columns = np.column_stack(properties)
    return features_of(columns, [len(columns)], KIND_TEMPLATES, bits)


def kinds_of(features: NDArray[np.int32], same: NDArray[np.int64], chain: Chain) -> list[str]:
    """The kind of each span: all places of one phrase in a text decide together."""
    scores = scores_of(features, chain)
    together = np.zeros((int(same.max(initial=-1)) + 1, len(KINDS)))
    np.add.at(together, same, scores)
    return [KINDS[number] for number in together[same].argmax(1).tolist()]


def same_phrases(batch: Batch) -> NDArray[np.int64]:
    """Spans with the same words in the same text have the same number."""
    keys = np.column_stack([batch.text[batch.start].astype(np.uint64), _phrase(batch)])
    _, same = np.unique(keys, axis=0, return_inverse=True)
    return same.ravel()


def _around(batch: Batch) -> list[NDArray[np.uint64]]:
    return [
        _at(batch, base + distance, column)
        for base, places in ((batch.start, _FROM_START), (batch.end, _FROM_END))
        for distance, columns in places
        for column in columns
    ]


def _at(batch: Batch, token: NDArray[np.int64], column: int) -> NDArray[np.uint64]:
    """The property of this token, if it is one of the same text."""
    inside = np.clip(token, 0, len(batch.text) - 1)
    is_one = (inside == token) & (batch.text[inside] == batch.text[batch.start])
    return np.where(is_one, batch.columns[inside, column], _OUTSIDE)


def _is_introduced(batch: Batch) -> NDArray[np.bool_]:
    """Whether a word that introduces something stands shortly before."""
    introduces = np.isin(batch.columns[:, WORD], _INTRODUCING)
    so_far = np.concatenate([[0], np.cumsum(introduces)])
    begins = np.searchsorted(batch.text, batch.text[batch.start])
    return so_far[batch.start] > so_far[np.maximum(begins, batch.start - LOOKS_BACK)]


def _phrase(batch: Batch) -> NDArray[np.uint64]:
    """A number for the words of each span."""
    words = np.concatenate([[np.uint64(0)], np.cumsum(batch.columns[:, STEM] * batch.columns[:, STEM])])
    length = (batch.end - batch.start).astype(np.uint64)
    return np.asarray(words[batch.end] - words[batch.start] + length)


def _flags(values: NDArray[np.generic]) -> NDArray[np.uint64]:
    return np.asarray(values).astype(np.uint64)
