"""The steps of training, each from texts to one part of the pipeline; `recipe` says in which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from spacy.tokens import Doc

from nlp.chain import Chain
from nlp.chain_files import as_written
from nlp.label_schemes import impossible_moves, labels_of
from nlp.phrases import PhraseTable
from nlp.span_kinds import KINDS, kind_features
from nlp.term_finder import read, span_batch
from nlp.token_columns import UPOS, pos_features, span_features
from nlp.training.chains import Labelled, Settings, fit
from nlp.training.groups import word_groups
from nlp.training.reading import Cut
from nlp.words import WordTable

Step = Callable[[], None]

POS_BITS, SPAN_BITS, KIND_BITS = 17, 19, 16
POS_STIFFNESS, SPAN_STIFFNESS, KIND_STIFFNESS = 0.5, 1.0, 1.0


def learn_words(docs: Sequence[Doc], seed: int) -> WordTable:
    """The groups of words that are used alike in these texts."""
    return WordTable(*word_groups([[token.lower_ for token in doc] for doc in docs], seed))


def learn_pos(
    words: WordTable, docs: Sequence[Doc], tags: Sequence[Sequence[str]], steps: int, step: Step
) -> Chain:
    """The chain of parts of speech, from tagged texts."""
    numbers = {name: number for number, name in enumerate(UPOS)}
    labels = np.array([numbers[tag] for each in tags for tag in each])
    settings = Settings(POS_BITS, steps, POS_STIFFNESS, np.zeros((len(UPOS), len(UPOS))))
    lengths = tuple(len(doc) for doc in docs)
    texts = Labelled(pos_features(docs, words, POS_BITS), labels, lengths, (1.0,) * len(docs))
    return as_written(fit(texts, settings, step))


def learn_spans(words: WordTable, cut: Sequence[Cut], steps: int, step: Step) -> Chain:
    """The chain of spans, from annotated texts that have their parts of speech."""
    text = read([each.doc for each in cut], words)
    labels = np.concatenate([labels_of([span[:2] for span in each.spans], len(each.doc)) for each in cut])
    features = span_features(text.columns, text.lengths, SPAN_BITS)
    settings = Settings(SPAN_BITS, steps, SPAN_STIFFNESS, impossible_moves())
    return as_written(fit(Labelled(features, labels, tuple(text.lengths), (1.0,) * len(cut)), settings, step))


def learn_kinds(
    words: WordTable, cut: Sequence[Cut], phrases: PhraseTable, steps: int, step: Step
) -> Chain:
    """What kind a span is of, from the same texts; each span is a text of one token."""
    text = read([each.doc for each in cut], words)
    batch = span_batch([[span[:2] for span in each.spans] for each in cut], text, phrases)
    labels = np.array([KINDS.index(span[2]) for each in cut for span in each.spans])
    settings = Settings(KIND_BITS, steps, KIND_STIFFNESS, np.zeros((len(KINDS), len(KINDS))))
    ones = (1,) * len(labels)
    texts = Labelled(kind_features(batch, KIND_BITS), labels, ones, (1.0,) * len(labels))
    return as_written(fit(texts, settings, step))
