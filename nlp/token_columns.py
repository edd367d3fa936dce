"""From spaCy's Docs to arrays: the columns that features are made of, for all tokens of a batch of texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import ORTH, POS
from spacy.parts_of_speech import IDS
from spacy.tokens import Doc

from nlp.features import POS_TEMPLATES, SPAN_TEMPLATES, features_of
from nlp.words import WordTable, hashed

UPOS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT",
    "SCONJ", "SPACE", "SYM", "VERB", "X",
)  # fmt: skip

_UPOS_IDS = np.array([IDS[name] for name in UPOS], np.uint64)
# By spaCy's number of a part of speech ours; spaCy's numbers are not promised to stay.
_POS_NUMBERS = np.full(max(IDS.values()) + 1, UPOS.index("X"), np.int64)
_POS_NUMBERS[_UPOS_IDS.astype(np.int64)] = np.arange(len(UPOS))
_POS_HASHES = np.array([hashed(f"pos|{name}") for name in UPOS], np.uint64)


def word_columns(docs: Sequence[Doc], words: WordTable) -> NDArray[np.uint64]:
    """The words' own columns for each token of one Doc after the other; there is at least one Doc."""
    return words.rows(_attribute(docs, ORTH).tolist(), docs[0].vocab.strings.__getitem__)


def pos_numbers(docs: Sequence[Doc]) -> NDArray[np.int64]:
    """The number in UPOS of each token's part of speech."""
    return _POS_NUMBERS[_attribute(docs, POS).astype(np.int64)]


def set_pos(doc: Doc, numbers: NDArray[np.int64]) -> None:
    """Gives each token the part of speech of this number in UPOS."""
    doc.from_array([POS], _UPOS_IDS[numbers][:, None])  # type: ignore[arg-type]  # numbers of 64 bits


def with_pos(columns: NDArray[np.uint64], numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The words' columns and after them that of their parts of speech."""
    return np.column_stack([columns, _POS_HASHES[numbers]])


def pos_features(docs: Sequence[Doc], words: WordTable, bits: int) -> NDArray[np.int32]:
    """What parts of speech are told by; (tokens, templates)."""
    return features_of(word_columns(docs, words), [len(doc) for doc in docs], POS_TEMPLATES, bits)


def span_features(columns: NDArray[np.uint64], lengths: Sequence[int], bits: int) -> NDArray[np.int32]:
    """What spans are told by, from columns with parts of speech; (tokens, templates)."""
    return features_of(columns, lengths, SPAN_TEMPLATES, bits)


def _attribute(docs: Sequence[Doc], attribute: int) -> NDArray[np.uint64]:
    return np.concatenate([doc.to_array(attribute) for doc in docs])
