"""The steps of training, each from texts to one part of the pipeline; `recipe` says in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from nlp.chain import Chain
from nlp.chain_files import as_written
from nlp.label_schemes import impossible_moves, labels_of
from nlp.term_finder import FINDER, TAGGER, UPOS, Tagger, TermFinder, pos_features, span_features
from nlp.tokens import cut_for_terms
from nlp.training.annotated import Annotated, InReading, in_reading
from nlp.training.chains import Labelled, Settings, fit
from nlp.training.groups import word_groups
from nlp.words import WordTable

Step = Callable[[], None]

POS_BITS, SPAN_BITS = 17, 19
POS_STEPS, SPAN_STEPS = 50, 70
POS_STIFFNESS, SPAN_STIFFNESS = 0.5, 1.0
TokenSpans = list[tuple[int, int, str]]  # (first token, one after the last, type)


def untrained() -> Language:
    """The pipeline before it has learnt anything: it can only cut texts into tokens."""
    language = spacy.blank("en")
    cut_for_terms(language)
    language.add_pipe(TAGGER)
    language.add_pipe(FINDER)
    return language


def tagger_of(language: Language) -> Tagger:
    """The tagger in a pipeline."""
    tagger = language.get_pipe(TAGGER)
    assert isinstance(tagger, Tagger)
    return tagger


def finder_of(language: Language) -> TermFinder:
    """The term finder in a pipeline."""
    finder = language.get_pipe(FINDER)
    assert isinstance(finder, TermFinder)
    return finder


def learn_words(docs: Iterable[Doc], seed: int) -> WordTable:
    """The groups of words that are used alike in these texts."""
    return WordTable(*word_groups([[token.lower_ for token in doc] for doc in docs], seed))


def learn_pos(words: WordTable, docs: Sequence[Doc], tags: Sequence[Sequence[str]], step: Step) -> Chain:
    """The chain of parts of speech from tagged texts."""
    numbers = {name: number for number, name in enumerate(UPOS)}
    features = pos_features(docs, words, POS_BITS)
    labels = np.array([numbers[tag] for each in tags for tag in each])
    lengths = tuple(len(doc) for doc in docs)
    moves = np.zeros((len(UPOS), len(UPOS)))
    settings = Settings(POS_BITS, POS_STEPS, POS_STIFFNESS, moves)
    return as_written(fit(Labelled(features, labels, lengths, (1.0,) * len(docs)), settings, step))


def learn_spans(
    words: WordTable, docs: Sequence[Doc], spans: Sequence[TokenSpans], weights: Sequence[float], step: Step
) -> Chain:
    """The chain of spans from annotated texts that have their parts of speech."""
    features = span_features(docs, words, SPAN_BITS)
    rows = zip(docs, spans, strict=True)
    labels = np.concatenate([labels_of([span[:2] for span in row], len(doc)) for doc, row in rows])
    lengths = tuple(len(doc) for doc in docs)
    settings = Settings(SPAN_BITS, SPAN_STEPS, SPAN_STIFFNESS, impossible_moves())
    return as_written(fit(Labelled(features, labels, lengths, tuple(weights)), settings, step))


def read_and_cut(language: Language, abstracts: Iterable[Annotated]) -> list[tuple[Doc, TokenSpans, InReading]]:
    """Each abstract as a Doc, its spans as tokens (those that no tokens make are left out), and as they were."""
    cut = []
    for abstract in abstracts:
        placed = in_reading(abstract)
        doc = language.make_doc(placed.reading.text)
        found = [(doc.char_span(start, end), kind) for start, end, kind in placed.spans]
        cut.append((doc, [(span.start, span.end, kind) for span, kind in found if span is not None], placed))
    return cut
