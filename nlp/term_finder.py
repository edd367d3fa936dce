"""Spans that may be terms, each with its kind and how likely it is, as a spaCy component.

A chain says which spans are possible by the tokens around them; a weigher takes into account what else speaks
for each, above all what the corpus says of the phrase; the likeliest that do not overlap are given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup

from nlp.chain import Chain, beliefs_of, scores_of
from nlp.chain_files import read_chain, write_chain
from nlp.label_schemes import TokenSpan, spans_in, without_overlaps
from nlp.phrases import PhraseTable, phrases_of, read_phrases, write_phrases
from nlp.span_evidence import TextSides, evidence
from nlp.span_kinds import Batch, kind_features, kinds_of, same_phrases
from nlp.span_weigher import Floats, Weigher, read_weigher, write_weigher
from nlp.tagger import BATCH, in_batches, tagger_of
from nlp.token_columns import UPOS, pos_numbers, span_features, with_pos, word_columns
from nlp.words import CASING, STEM, WORD, WordTable, hashed

FINDER = "peer_revenue_term_finder"
CANDIDATES = "candidate_terms"
POSSIBLE = "possible_terms"
LEAST = 0.37  # probability of a span that is given
LEAST_POSSIBLE = 0.02  # by the chain alone, of one that is worth a look

_HYPHEN = hashed(f"{WORD}|-")
_EITHER = (False, True)
_CAPITAL = [hashed(f"{CASING}|{(True, mixed, digit)}") for mixed in _EITHER for digit in _EITHER]
_MIXED = [hashed(f"{CASING}|{(capital, True, digit)}") for capital in _EITHER for digit in _EITHER]


@dataclass(frozen=True, slots=True)
class FinderParts:
    """All that was learnt about spans."""

    chain: Chain
    phrases: PhraseTable
    weigher: Weigher
    kinds: Chain


class Read(NamedTuple):
    """A batch of texts as the finder reads it; each has at least one token."""

    columns: NDArray[np.uint64]  # (tokens, properties)
    pos: NDArray[np.int64]
    lengths: list[int]


class TermFinder:
    """Sets ``doc.spans["candidate_terms"]``: spans that may be terms, and in its attrs the "scores".

    ``doc.user_data["possible_terms"]`` has every TokenSpan that is not out of the question; they may overlap.
    """

    def __init__(self, language: Language, name: str = FINDER) -> None:
        self.name = name
        self._language = language
        self._parts: FinderParts | None = None

    @property
    def parts(self) -> FinderParts:
        """What it goes by; raises ValueError before there is anything."""
        if self._parts is None:
            raise ValueError(f"component {self.name!r} has no weights yet: train it or load it")
        return self._parts

    def use(self, parts: FinderParts) -> None:
        """What it goes by from now on."""
        self._parts = parts

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Doc], *, batch_size: int = BATCH) -> Iterator[Doc]:
        words = tagger_of(self._language).words
        for batch in in_batches(docs, min(batch_size, BATCH)):
            for doc in batch:
                _set_candidates(doc, [], [], [])
            self._find([doc for doc in batch if len(doc)], words)
            yield from batch

    def _find(self, docs: Sequence[Doc], words: WordTable) -> None:
        if not docs:
            return
        parts = self.parts
        text = read(docs, words)
        possible = weighed(possible_spans(text, parts.chain), text, parts)
        given = [without_overlaps(span for span in spans if span.probability >= LEAST) for spans in possible]
        kinds = iter(kinds_in(given, text, parts) if any(given) else [])
        for doc, spans, maybe in zip(docs, given, possible, strict=True):
            _set_candidates(doc, spans, [next(kinds) for _ in spans], maybe)

    def to_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> None:
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        write_chain(folder / "chain.npz", self.parts.chain)
        write_phrases(folder / "phrases.npz", self.parts.phrases)
        write_weigher(folder / "weigher.npz", self.parts.weigher)
        write_chain(folder / "kinds.npz", self.parts.kinds)

    def from_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> TermFinder:
        folder = Path(path)
        chain, phrases = read_chain(folder / "chain.npz"), read_phrases(folder / "phrases.npz")
        weigher, kinds = read_weigher(folder / "weigher.npz"), read_chain(folder / "kinds.npz")
        self.use(FinderParts(chain, phrases, weigher, kinds))
        return self


def read(docs: Sequence[Doc], words: WordTable) -> Read:
    """Docs that have their parts of speech."""
    pos = pos_numbers(docs)
    return Read(with_pos(word_columns(docs, words), pos), pos, [len(doc) for doc in docs])


def possible_spans(text: Read, chain: Chain) -> list[list[TokenSpan]]:
    """For each text the spans that the chain does not rule out."""
    features = span_features(text.columns, text.lengths, chain.bits)
    beliefs = beliefs_of(scores_of(features, chain), text.lengths, chain)
    return spans_in(beliefs, text.lengths, chain, LEAST_POSSIBLE)


def weighed(possible: Sequence[Sequence[TokenSpan]], text: Read, parts: FinderParts) -> list[list[TokenSpan]]:
    """The same spans with probabilities that take all evidence into account."""
    rows = evidence_of(possible, text, parts.phrases)
    likely = iter(parts.weigher.probabilities(rows).tolist() if len(rows) else [])
    return [[TokenSpan(span.start, span.end, next(likely)) for span in spans] for spans in possible]


def evidence_of(possible: Sequence[Sequence[TokenSpan]], text: Read, phrases: PhraseTable) -> Floats:
    """A row of evidence for each span of all texts."""
    sides = TextSides(
        text.columns[:, STEM],
        np.isin(text.columns[:, CASING], np.array(_CAPITAL, np.uint64)),
        np.isin(text.columns[:, CASING], np.array(_MIXED, np.uint64)),
        text.columns[:, WORD] == _HYPHEN,
        text.pos,
    )
    rows = [
        evidence(spans, sides.part(end - length, end), phrases, len(UPOS))
        for spans, length, end in zip(possible, text.lengths, np.cumsum(text.lengths).tolist(), strict=True)
        if spans
    ]
    return np.concatenate(rows) if rows else np.zeros((0, 0))


def span_batch(spans: Sequence[Sequence[tuple[int, int]]], text: Read, phrases: PhraseTable) -> Batch:
    """Spans of all texts, of which there is at least one, as what kinds are told by."""
    numbers = np.repeat(np.arange(len(text.lengths)), text.lengths)
    begins = np.cumsum(text.lengths) - text.lengths
    texts = zip(spans, begins.tolist(), strict=True)
    pairs = [(begin + start, begin + end) for each, begin in texts for start, end in each]
    start, end = np.array(pairs, np.int64).T
    share, count = phrases.look_up(phrases_of(text.columns[:, STEM], start, end))
    return Batch(text.columns, numbers, start, end, share, count)


def kinds_in(spans: Sequence[Sequence[TokenSpan]], text: Read, parts: FinderParts) -> list[str]:
    """The kind of each span of all texts, of which there is at least one."""
    batch = span_batch([[span[:2] for span in each] for each in spans], text, parts.phrases)
    return kinds_of(kind_features(batch, parts.kinds.bits), same_phrases(batch), parts.kinds)


def _set_candidates(
    doc: Doc, spans: Sequence[TokenSpan], kinds: Sequence[str], possible: Sequence[TokenSpan]
) -> None:
    made = [Span(doc, span.start, span.end, label=kind) for span, kind in zip(spans, kinds, strict=True)]
    scores = [span.probability for span in spans]
    doc.spans[CANDIDATES] = SpanGroup(doc, name=CANDIDATES, spans=made, attrs={"scores": scores})
    doc.user_data[POSSIBLE] = list(possible)


def finder_of(language: Language) -> TermFinder:
    """The term finder in a pipeline."""
    finder = language.get_pipe(FINDER)
    assert isinstance(finder, TermFinder)
    return finder


@Language.factory(FINDER, assigns=["doc.spans"], requires=["token.pos"])
def make_term_finder(nlp: Language, name: str) -> Callable[[Doc], Doc]:
    """What spaCy calls to build the component; its first argument must have this name."""
    return TermFinder(nlp, name)
