"""Stretches of a text that mean something, and finding them again in a text that has changed. Pure.

Offsets are code points of the reading text, [start, end). Three formats hold them: `web_annotations`,
`annotation_lines` and `annotation_docs`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from nlp.records import Mention
from nlp.typeset import text_hash

CONTEXT_LENGTH = 32  # code points before and after a quote that are kept with it


class Verdict(StrEnum):
    """What is said of a stretch: that a term was found in it, that it should be one, or that it is none."""

    MENTION = "mention"
    TERM = "term"
    NOT_A_TERM = "not_a_term"


class Span(NamedTuple):
    """A stretch with its label, in the order in which the files of annotated abstracts have them."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class AnnotatedText:
    """An abstract with all that was marked in it; ``spans`` may overlap and stand in any order."""

    identifier: str
    title: str
    abstract: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """A stretch by what stands in it, before it and after it; the latter two may be "" for unknown."""

    exact: str
    prefix: str = ""
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Annotation:
    """One thing said of one stretch of a paper's reading text.

    ``id`` is an IRI; ``paper`` a paper's identifier, ``hash`` that of the text in which ``start`` and ``end``
    count ("" for unknown: then the quote alone says where). ``label`` and ``key`` are the term's. ``lexicon``
    and ``highlighter`` are the versions that found a mention, "" and None for what a reader says; ``by`` and
    ``at`` are who said it and when, "" and None where nobody did.
    """

    id: str
    paper: str
    hash: str
    start: int
    end: int
    quote: Quote
    label: str
    key: str
    verdict: Verdict = Verdict.MENTION
    lexicon: str = ""
    highlighter: int | None = None
    by: str = ""
    at: datetime | None = None


def quote_at(text: str, start: int, end: int) -> Quote:
    """What stands at [start, end) of the text, with its surroundings."""
    before = text[max(0, start - CONTEXT_LENGTH) : start]
    return Quote(text[start:end], before, text[end : end + CONTEXT_LENGTH])


def annotated(text: AnnotatedText) -> tuple[Annotation, ...]:
    """The spans of a text one by one, each with its label as key; their ids are still ""."""
    hashed = text_hash(text.abstract)
    return tuple(
        Annotation(
            "", text.identifier, hashed, span.start, span.end,
            quote_at(text.abstract, span.start, span.end), span.label, span.label,
        )
        for span in text.spans
    )  # fmt: skip


def mention_annotation(
    paper: str, text: str, mention: Mention, label: str, lexicon: str, highlighter: int
) -> Annotation:
    """A mention in the reading text of a paper; its id is still ""."""
    quote = quote_at(text, mention.start, mention.end)
    return Annotation(
        "", paper, text_hash(text), mention.start, mention.end, quote, label, mention.term,
        lexicon=lexicon, highlighter=highlighter,
    )  # fmt: skip


def anchored(annotation: Annotation, text: str) -> Annotation | str:
    """The annotation where it stands in this text, which may be another than it was made on.

    In words why not, when it cannot be found or could be in several places.
    """
    hashed = text_hash(text)
    if annotation.hash == hashed:
        if text[annotation.start : annotation.end] != annotation.quote.exact:
            return f"at {annotation.start} to {annotation.end} stands something else than the quote"
        return annotation
    start = find_quote(text, annotation.quote)
    if isinstance(start, str):
        return f"the text has changed, and {start}"
    end = start + len(annotation.quote.exact)
    return replace(annotation, hash=hashed, start=start, end=end, quote=quote_at(text, start, end))


def find_quote(text: str, quote: Quote) -> int | str:
    """Where the quote begins in the text, or in words why that cannot be said.

    Both its surroundings decide; where no place has both, one of them does; a quote without any must be the
    only one.
    """
    if not quote.exact:
        return "there is no quote"
    places = [found.start() for found in re.finditer(f"(?={re.escape(quote.exact)})", text)]
    if not places:
        return "the quote does not stand in it"
    fits = {at: _fitting(text, at, quote) for at in places}
    known = sum(map(bool, (quote.prefix, quote.suffix)))
    for needed in range(known, 0 if known else -1, -1):
        best = [at for at, count in fits.items() if count >= needed]
        if len(best) == 1:
            return best[0]
        if best:
            return f"the quote stands in {len(best)} places that fit"
    return "the quote stands among other words there"


def _fitting(text: str, at: int, quote: Quote) -> int:
    """How many of the quote's surroundings, 0 to 2, stand around this place."""
    before = bool(quote.prefix) and text.endswith(quote.prefix, 0, at)
    after = bool(quote.suffix) and text.startswith(quote.suffix, at + len(quote.exact))
    return before + after
