"""What many papers say of the terms found in them: how often, on which days, in which spellings.

Terms are found one paper at a time; whether one can be followed is seen only over many.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING

from nlp.abbreviations import abbreviation_pairs
from nlp.candidates import FoundSpan
from nlp.highlight import find_mentions
from nlp.matcher import Matcher
from nlp.normalize import term_key
from nlp.records import RawPaper, ReadingText
from nlp.surfaces import in_singular, is_short
from nlp.typeset import typeset

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

LEAST = 0.45  # probability of a span that counts
READ_AT_ONCE = 64
_NAMING = re.compile(
    r"\b(?:we|paper|work|study|article)\b[^.;:]*\b(?:propos|introduc|present|develop|design|releas|build|construct"
    r"|contribut|call|term|dub|nam)\w*\b|\b(?:called|termed|dubbed|named|coined)\b",
    re.IGNORECASE,
)
_BREAK = re.compile(r"[.;:!?]\s")
_BEFORE = 160  # code points before a name in which the paper says that it is its own


@dataclass(frozen=True, slots=True)
class ReadPaper:
    """A paper's abstract on its day, with the spans that a model found in it."""

    identifier: str
    day: date
    reading: ReadingText
    found: tuple[FoundSpan, ...]


@dataclass(slots=True)
class Tally:
    """One term key over many papers: how many carry it and how many of these coin it, the days on which they
    stand, its spellings with the number of papers of each, the sum of its best probability a paper."""

    papers: int = 0
    coined: int = 0
    days: set[date] = field(default_factory=set)
    surfaces: Counter[str] = field(default_factory=Counter)
    score_sum: float = 0.0

    @property
    def score(self) -> float:
        """The mean, over its papers, of the best probability that it is a term, 0 to 1."""
        return self.score_sum / self.papers


def read_papers(language: Language, papers: Iterable[RawPaper]) -> Iterator[ReadPaper]:
    """Each paper that has a day, its abstract typeset and read by the pipeline, READ_AT_ONCE side by side."""
    dated = ((paper, paper.day) for paper in papers if paper.day is not None)
    while some := list(islice(dated, READ_AT_ONCE)):
        readings = [typeset(paper.abstract) for paper, _ in some]
        docs = language.pipe(reading.text for reading in readings)
        for (paper, day), reading, doc in zip(some, readings, docs, strict=True):
            yield ReadPaper(paper.identifier, day, reading, found_in(doc))


def found_in(doc: Doc) -> tuple[FoundSpan, ...]:
    """The spans that the pipeline found in a Doc, in their order."""
    group = doc.spans["candidate_terms"]
    return tuple(
        FoundSpan(span.start_char, span.end_char, score, span.label_)
        for span, score in zip(group, group.attrs["scores"], strict=True)
    )


def tally(papers: Iterable[ReadPaper], least: float = LEAST) -> dict[str, Tally]:
    """Every key of a span of at least this probability."""
    tallies: dict[str, Tally] = {}
    for paper in papers:
        for key, (score, surfaces, is_coined) in _keys_of(paper, least).items():
            each = tallies.setdefault(key, Tally())
            each.papers += 1
            each.coined += is_coined
            each.days.add(paper.day)
            each.surfaces.update(surfaces)
            each.score_sum += score
    return tallies


def introduced(papers: Iterable[ReadPaper]) -> dict[str, Counter[str]]:
    """For each short form the keys of the long forms that papers give it, with the number of papers."""
    longs: dict[str, Counter[str]] = {}
    for paper in papers:
        pairs = {
            (in_singular(pair.short), term_key(pair.long)) for pair in abbreviation_pairs(paper.reading.text)
        }
        for short, long in sorted(pairs):
            if is_short(short) and long:
                longs.setdefault(short, Counter())[long] += 1
    return longs


def marked_shares(
    papers: Iterable[ReadPaper], matcher: Matcher, least: float = LEAST
) -> dict[str, tuple[int, int]]:
    """For each term of the matcher: how many of its mentions are spans that the model found, of how many.

    A word that is often a part of something longer, or no term at all, is seldom found where it stands.
    """
    counts: dict[str, list[int]] = {}
    for paper in papers:
        spans = {(span.start, span.end) for span in paper.found if span.score >= least}
        for mention in find_mentions(paper.reading, matcher):
            count = counts.setdefault(mention.term, [0, 0])
            count[0] += (mention.start, mention.end) in spans
            count[1] += 1
    return {key: (marked, seen) for key, (marked, seen) in counts.items()}


def is_coined_at(text: str, start: int, end: int) -> bool:
    """Whether the paper gives this name itself: it looks like a name, and the words before it say so."""
    quote = text[start:end]
    if not any(ch.isupper() for ch in quote[1:]) and not quote[:1].isupper():
        return False
    begin = max(0, start - _BEFORE)
    for stop in _BREAK.finditer(text, begin, start):
        begin = stop.end()
    return _NAMING.search(text, begin, start) is not None


def _keys_of(paper: ReadPaper, least: float) -> Mapping[str, tuple[float, Sequence[str], bool]]:
    keys: dict[str, tuple[float, list[str], bool]] = {}
    text = paper.reading.text
    for span in (each for each in paper.found if each.score >= least):
        surface = " ".join(text[span.start : span.end].split())
        key = term_key(surface)
        if not key:
            continue
        score, surfaces, is_coined = keys.get(key, (0.0, [], False))
        if surface not in surfaces:
            surfaces.append(surface)
        is_coined = is_coined or is_coined_at(text, span.start, span.end)
        keys[key] = (max(score, span.score), surfaces, is_coined)
    return keys
