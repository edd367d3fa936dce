"""Annotated abstracts as Docs, cut into tokens; and the pipeline before it has learnt anything."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from nlp.tagger import TAGGER
from nlp.term_finder import FINDER
from nlp.tokens import cut_for_terms
from nlp.training.annotated import Annotated, in_reading


@dataclass(frozen=True, slots=True)
class Cut:
    """An abstract as it is read. Spans are (first token, one after the last, kind), in order, apart."""

    identifier: str
    doc: Doc
    spans: tuple[tuple[int, int, str], ...]
    lost: int  # spans that no tokens make, or that stand in a formula or an address


def untrained() -> Language:
    """The pipeline before it has learnt anything: it can only cut texts into tokens."""
    language = spacy.blank("en")
    cut_for_terms(language)
    language.add_pipe(TAGGER)
    language.add_pipe(FINDER)
    return language


def cut(language: Language, abstracts: Iterable[Annotated]) -> list[Cut]:
    """Each abstract, its tokens and its spans; nothing is tagged."""
    return [_cut(language, abstract) for abstract in abstracts]


def _cut(language: Language, abstract: Annotated) -> Cut:
    placed = in_reading(abstract)
    doc = language.make_doc(placed.reading.text)
    found = [(doc.char_span(start, end), kind) for start, end, kind in placed.spans]
    spans = tuple((span.start, span.end, kind) for span, kind in found if span is not None)
    return Cut(abstract.identifier, doc, spans, len(abstract.spans) - len(spans))
