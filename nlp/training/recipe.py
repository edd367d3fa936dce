"""The whole of training, in order; the same material, seed and versions give the same weights."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from nlp.label_schemes import TokenSpan
from nlp.phrases import Floats, PhraseTable
from nlp.tagger import tagger_of
from nlp.term_finder import FinderParts, evidence_of, finder_of, possible_spans, read
from nlp.training import corpus as corpus_steps
from nlp.training.annotated import Annotated
from nlp.training.reading import Cut, cut, untrained
from nlp.training.steps import learn_kinds, learn_pos, learn_spans, learn_words
from nlp.training.weighing import fit_weigher
from nlp.typeset import typeset
from nlp.words import WordTable


class Step(Protocol):
    """One that is running: how far it is, and what is to be said of it in the end."""

    outcome: str

    def reach(self, done: int, total: int | None = None) -> None: ...


Teach = Callable[[Iterable[Doc]], Iterator[list[str]]]  # the parts of speech of each token, as of UPOS


class Progress(Protocol):
    """Who is told of the steps."""

    def step(self, title: str, total: int | None = None) -> AbstractContextManager[Step]: ...


@dataclass(frozen=True, slots=True)
class Recipe:
    """How long each part is trained, and on how much."""

    seed: int = 0
    tagged: int = 1200  # texts of the corpus that parts of speech are learnt from
    folds: int = 4  # parts of the annotated texts, each of which is judged by a chain that has not seen it
    pos_steps: int = 50
    span_steps: int = 70
    kind_steps: int = 60


def train(
    annotated: Sequence[Annotated],
    corpus: Sequence[tuple[str, str]],
    teach: Teach,
    recipe: Recipe,
    progress: Progress,
) -> Language:
    """A pipeline trained from annotated abstracts and (identifier, abstract) of others, in any order.

    Abstracts that are annotated, or that are to be held out, must not be in the corpus.
    """
    language = untrained()
    ordered = sorted(corpus, key=lambda pair: hashlib.sha256(pair[0].encode()).digest())
    with progress.step("Reading the corpus", len(ordered)) as step:
        docs = []
        for number, (_, source) in enumerate(ordered, start=1):
            docs.append(language.make_doc(typeset(source).text))
            step.reach(number)
        step.outcome = f"{len(docs):,} abstracts, {sum(map(len, docs)):,} tokens"
    with progress.step("Grouping words") as step:
        words = learn_words(docs, recipe.seed)
        step.outcome = f"{len(words.words):,} words"
    _train_tagger(language, words, docs[: recipe.tagged], teach, recipe, progress)
    docs = list(tagger_of(language).pipe(docs))
    finder_of(language).use(train_finder(language, annotated, docs, recipe, progress))
    return _fresh(language)


def _train_tagger(
    language: Language,
    words: WordTable,
    docs: Sequence[Doc],
    teach: Teach,
    recipe: Recipe,
    progress: Progress,
) -> None:
    with progress.step("Parts of speech by the teacher", len(docs)) as step:
        tags = []
        for each in teach(docs):
            tags.append(each)
            step.reach(len(tags))
        step.outcome = f"{len(tags):,} abstracts"
    with progress.step("Learning parts of speech", recipe.pos_steps) as step:
        chain = learn_pos(words, docs, tags, recipe.pos_steps, _Counter(step))
        step.outcome = f"{recipe.pos_steps} steps"
    tagger_of(language).use(words, chain)


def train_finder(
    language: Language,
    annotated: Sequence[Annotated],
    corpus: Sequence[Doc],
    recipe: Recipe,
    progress: Progress,
) -> FinderParts:
    """A term finder for the habits of these annotations.

    `language` has its tagger; the corpus has its parts of speech, and none of the annotated abstracts is in
    it. What the corpus says of phrases, and how much that weighs, is learnt from chains that have not seen
    the text in question: what a chain says of its own training texts is too good.
    """
    words = tagger_of(language).words
    texts = [each for each in cut(language, annotated) if len(each.doc)]
    for _ in tagger_of(language).pipe([each.doc for each in texts]):
        pass
    folds = [_fold(each.identifier, recipe.folds) for each in texts]
    possible: dict[int, list[TokenSpan]] = {}
    sums = []
    for fold in range(recipe.folds):
        seen = [each for each, its in zip(texts, folds, strict=True) if its != fold]
        with progress.step(f"Learning spans without part {fold + 1}", recipe.span_steps) as step:
            chain = learn_spans(words, seen, recipe.span_steps, _Counter(step))
            step.outcome = f"{len(seen)} abstracts"
        unseen = [number for number, its in enumerate(folds) if its == fold]
        if unseen:
            found = possible_spans(read([texts[number].doc for number in unseen], words), chain)
            possible.update(zip(unseen, found, strict=True))
        with progress.step("Looking for terms in the corpus", len(corpus)) as step:
            sums.append(corpus_steps.sums_of(corpus, words, chain, step.reach))
            step.outcome = f"{len(sums[-1][0]):,} phrases"
    with progress.step("Learning spans, kinds and what evidence weighs", recipe.span_steps) as step:
        apart, phrases = corpus_steps.tables(sums, corpus, words)
        weigher = fit_weigher(*_lesson(texts, folds, possible, apart, words), recipe.seed)
        chain = learn_spans(words, texts, recipe.span_steps, _Counter(step))
        kinds = learn_kinds(words, texts, phrases, recipe.kind_steps, lambda: None)
        step.outcome = f"{len(texts)} abstracts, {len(phrases.keys):,} phrases"
    return FinderParts(chain, phrases, weigher, kinds)


def _lesson(
    texts: Sequence[Cut],
    folds: Sequence[int],
    possible: dict[int, list[TokenSpan]],
    tables: Sequence[PhraseTable],
    words: WordTable,
) -> tuple[Floats, Floats]:
    """(evidence of every possible span of the annotated texts, whether it is one)."""
    rows, right = [], []
    for number, (text, fold) in enumerate(zip(texts, folds, strict=True)):
        spans = possible[number]
        if spans:
            rows.append(evidence_of([spans], read([text.doc], words), tables[fold]))
            marked = {span[:2] for span in text.spans}
            right += [float(span[:2] in marked) for span in spans]
    return np.concatenate(rows), np.array(right)


def _fold(identifier: str, folds: int) -> int:
    return int(hashlib.sha256(f"fold {identifier}".encode()).hexdigest(), 16) % folds


def _fresh(language: Language) -> Language:
    """The same pipeline without the strings of the texts that it has seen, which would be stored with it."""
    fresh = untrained()
    tagger_of(fresh).use(tagger_of(language).words, tagger_of(language).chain)
    finder_of(fresh).use(finder_of(language).parts)
    return fresh


class _Counter:
    """Tells a step how often it was called."""

    def __init__(self, step: Step) -> None:
        self._step = step
        self._count = 0

    def __call__(self) -> None:
        self._count += 1
        self._step.reach(self._count)
