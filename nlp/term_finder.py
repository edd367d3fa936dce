"""The learned half of the pipeline as spaCy components: parts of speech, and spans that may be terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import ORTH
from spacy.attrs import POS as POS_ATTRIBUTE
from spacy.language import Language
from spacy.parts_of_speech import IDS
from spacy.tokens import Doc, Span, SpanGroup
from spacy.util import minibatch

from nlp.chain import Chain, beliefs_of, best_labels, scores_of
from nlp.chain_files import read_chain, write_chain
from nlp.features import POS_TEMPLATES, SPAN_TEMPLATES, features_of
from nlp.label_schemes import TokenSpan, spans_in, without_overlaps
from nlp.words import WordTable, hashed

TAGGER = "peer_revenue_tagger"
FINDER = "peer_revenue_term_finder"
CANDIDATES = "candidate_terms"
BATCH = 64  # texts that are labelled side by side
LEAST = 0.4  # probability of a span that is given
POSSIBLE = "possible_terms"
LEAST_POSSIBLE = 0.03  # of one that is worth a look

UPOS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT",
    "SCONJ", "SPACE", "SYM", "VERB", "X",
)  # fmt: skip
_UPOS_IDS = np.array([IDS[name] for name in UPOS], np.uint64)
# By spaCy's number of a part of speech its column's value; its numbers are not promised to stay.
_POS_HASHES = np.zeros(max(IDS.values()) + 1, np.uint64)
_POS_HASHES[_UPOS_IDS.astype(np.int64)] = [hashed(f"pos|{name}") for name in UPOS]


class Tagger:
    """Sets ``token.pos_``."""

    def __init__(self, name: str = TAGGER) -> None:
        self.name = name
        self._words: WordTable | None = None
        self._chain: Chain | None = None

    @property
    def words(self) -> WordTable:
        """The words that the pipeline knows; raises ValueError before there are any."""
        if self._words is None:
            raise ValueError(f"component {self.name!r} has no words yet: train it or load it")
        return self._words

    def use(self, words: WordTable, chain: Chain) -> None:
        """The words and the weights to be used from now on."""
        self._words, self._chain = words, chain

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Doc], *, batch_size: int = BATCH) -> Iterator[Doc]:
        for batch in minibatch(docs, min(batch_size, BATCH)):
            batch = list(batch)
            self._tag([doc for doc in batch if len(doc)])
            yield from batch

    def _tag(self, docs: Sequence[Doc]) -> None:
        if not docs:
            return
        words = self.words
        assert self._chain is not None
        rows = pos_features(docs, words, bits_of(self._chain))
        labels = best_labels(scores_of(rows, self._chain), [len(doc) for doc in docs], self._chain)
        begin = 0
        for doc in docs:
            doc.from_array([POS_ATTRIBUTE], _UPOS_IDS[labels[begin : begin + len(doc)], None])
            begin += len(doc)

    def to_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> None:
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        assert self._chain is not None
        lines = "".join(f"{word}\n" for word in self.words.words)
        (folder / "words.txt").write_text(lines, "utf-8", newline="\n")
        np.save(folder / "groups.npy", self.words.groups)
        write_chain(folder / "chain.npz", self._chain)

    def from_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> Tagger:
        folder = Path(path)
        words = (folder / "words.txt").read_text("utf-8").split("\n")[:-1]
        self.use(WordTable(words, np.load(folder / "groups.npy")), read_chain(folder / "chain.npz"))
        return self


class TermFinder:
    """Sets ``doc.spans["candidate_terms"]``: spans that may be terms, and in its attrs the "scores".

    ``doc.user_data["possible_terms"]`` has every TokenSpan that is not out of the question; they may overlap.
    """

    def __init__(self, language: Language, name: str = FINDER) -> None:
        self.name = name
        self._language = language
        self._chain: Chain | None = None

    def use(self, chain: Chain) -> None:
        """The weights to be used from now on."""
        self._chain = chain

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Doc], *, batch_size: int = BATCH) -> Iterator[Doc]:
        tagger = self._language.get_pipe(TAGGER)
        assert isinstance(tagger, Tagger)
        for batch in minibatch(docs, min(batch_size, BATCH)):
            batch = list(batch)
            self._find(batch, tagger.words)
            yield from batch

    def _find(self, docs: Sequence[Doc], words: WordTable) -> None:
        if self._chain is None:
            raise ValueError(f"component {self.name!r} has no weights yet: train it or load it")
        for doc in docs:
            set_candidates(doc, [])
        docs = [doc for doc in docs if len(doc)]
        if not docs:
            return
        rows = span_features(docs, words, bits_of(self._chain))
        lengths = [len(doc) for doc in docs]
        beliefs = beliefs_of(scores_of(rows, self._chain), lengths, self._chain)
        for doc, spans in zip(docs, spans_in(beliefs, lengths, self._chain, LEAST_POSSIBLE), strict=True):
            doc.user_data[POSSIBLE] = spans
            set_candidates(doc, without_overlaps(span for span in spans if span.probability >= LEAST))

    def to_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> None:
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        assert self._chain is not None
        write_chain(folder / "chain.npz", self._chain)

    def from_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> TermFinder:
        self.use(read_chain(Path(path) / "chain.npz"))
        return self


def pos_features(docs: Sequence[Doc], words: WordTable, bits: int) -> NDArray[np.int32]:
    """What the parts of speech are told by, for the tokens of one Doc after the other's; at least one Doc."""
    return features_of(_columns(docs, words), [len(doc) for doc in docs], POS_TEMPLATES, bits)


def span_features(docs: Sequence[Doc], words: WordTable, bits: int) -> NDArray[np.int32]:
    """The same for spans; the Docs have their parts of speech."""
    pos = _POS_HASHES[_attribute(docs, POS_ATTRIBUTE).astype(np.int64)]
    columns = np.column_stack([_columns(docs, words), pos])
    return features_of(columns, [len(doc) for doc in docs], SPAN_TEMPLATES, bits)


def _columns(docs: Sequence[Doc], words: WordTable) -> NDArray[np.uint64]:
    """The words' own columns for each token."""
    return words.rows(_attribute(docs, ORTH).tolist(), docs[0].vocab.strings.__getitem__)


def _attribute(docs: Sequence[Doc], attribute: int) -> NDArray[np.uint64]:
    return np.concatenate([doc.to_array(attribute) for doc in docs])


def bits_of(chain: Chain) -> int:
    """A table of weights has two to this power of rows."""
    return len(chain.weights).bit_length() - 1


def set_candidates(doc: Doc, spans: Sequence[TokenSpan], labels: Sequence[str] | None = None) -> None:
    """Puts the spans and their scores into the Doc."""
    labels = labels or ["TERM"] * len(spans)
    made = [Span(doc, span.start, span.end, label=label) for span, label in zip(spans, labels, strict=True)]
    scores = [span.probability for span in spans]
    doc.spans[CANDIDATES] = SpanGroup(doc, name=CANDIDATES, spans=made, attrs={"scores": scores})


@Language.factory(TAGGER, assigns=["token.pos"])
def make_tagger(nlp: Language, name: str) -> Callable[[Doc], Doc]:
    """What spaCy calls to build the component; its first argument must have this name."""
    return Tagger(name)


@Language.factory(FINDER, assigns=["doc.spans"], requires=["token.pos"])
def make_term_finder(nlp: Language, name: str) -> Callable[[Doc], Doc]:
    """What spaCy calls to build the component; its first argument must have this name."""
    return TermFinder(nlp, name)
