"""The terms of a paper, best first, each with how likely it is to be one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from spacy.attrs import ORTH, POS, SPACY
from spacy.language import Language
from spacy.parts_of_speech import NAMES
from spacy.tokens import Doc

from nlp.candidates import Candidates, FoundSpan, Part, find_candidates
from nlp.ranker import Ranker
from nlp.records import ReadingText, RunKind
from nlp.term_finder import CANDIDATES, POSSIBLE
from nlp.units import units_of

BATCH = 64  # papers that the pipeline reads side by side
_PARTS: dict[int, str] = dict(NAMES)
_BLOCKED = frozenset({RunKind.MATH, RunKind.DISPLAY, RunKind.CODE, RunKind.LINK, RunKind.CITE})

Paper = tuple[ReadingText, ReadingText]  # title, abstract


@dataclass(frozen=True, slots=True)
class ExtractedTerm:
    """One term of a paper.

    ``spans`` are [start, end) in code points of the abstract's reading text, in order and apart; there are
    none where it stands in the title alone.
    """

    text: str  # as it stands first in the abstract, or else in the title
    key: str
    score: float  # how likely a careful reader is to mark it, 0 to 1
    spans: tuple[tuple[int, int], ...]
    label: str  # TERM, NAME, or COINED for a name that the paper gives to what is its own


def extract_terms(
    language: Language, ranker: Ranker, title: ReadingText, abstract: ReadingText
) -> tuple[ExtractedTerm, ...]:
    """The terms of one paper, best first; a title may be empty."""
    return next(extract_many(language, ranker, [(title, abstract)]))


def extract_many(
    language: Language, ranker: Ranker, papers: Iterable[Paper]
) -> Iterator[tuple[ExtractedTerm, ...]]:
    """The same for each paper in turn, several times as fast; no more than a batch is read ahead."""
    for batch in batches(papers):
        for candidates in candidates_of(language, batch):
            yield ranked(ranker, candidates)


def ranked(ranker: Ranker, candidates: Candidates) -> tuple[ExtractedTerm, ...]:
    """The candidates as terms, best first."""
    return tuple(
        ExtractedTerm(each.text, each.key, score, each.spans, each.label)
        for each, score in ranker.rank(candidates)
    )


def batches(papers: Iterable[Paper]) -> Iterator[list[Paper]]:
    """Lists of at most BATCH papers."""
    waiting: list[Paper] = []
    for paper in papers:
        waiting.append(paper)
        if len(waiting) == BATCH:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def candidates_of(language: Language, papers: Sequence[Paper]) -> Iterator[Candidates]:
    """The candidates of each paper; all of them are read by the pipeline first."""
    return candidates_in(papers, list(language.pipe(texts_of(papers))))


def texts_of(papers: Sequence[Paper]) -> list[str]:
    """What there is to read of them: each title that is not empty, and each abstract."""
    return [reading.text for paper in papers for reading in paper if reading.text]


def candidates_in(papers: Sequence[Paper], docs: Iterable[Doc]) -> Iterator[Candidates]:
    """The candidates of each paper, whose `texts_of` have been read as these Docs."""
    unused = iter(docs)
    for title, abstract in papers:
        parts = [
            part_of(next(unused), reading, is_title)
            for reading, is_title in ((title, True), (abstract, False))
            if reading.text
        ]
        yield find_candidates(parts)


def part_of(doc: Doc, reading: ReadingText, is_title: bool) -> Part:
    """A Doc that the pipeline has read, as candidates are made from it."""
    blocked = [(run.start, run.end) for run in reading.runs if run.kind in _BLOCKED]
    # All tokens' numbers at once: asking token by token takes several times as long.
    columns = doc.to_array([ORTH, POS, SPACY]).T.tolist() if len(doc) else [[], [], []]
    strings = doc.vocab.strings
    texts = [strings[number] for number in columns[0]]
    sizes = [len(text) + space for text, space in zip(texts, columns[2], strict=True)]
    offsets = list(accumulate(sizes[:-1], initial=0)) if sizes else []
    units = units_of(reading.text, texts, offsets, [_PARTS[part] for part in columns[1]], blocked, is_title)
    return Part(units, _found(doc, offsets, texts))


def _found(doc: Doc, offsets: Sequence[int], texts: Sequence[str]) -> tuple[FoundSpan, ...]:
    group = doc.spans.get(CANDIDATES, ())
    labels = {(span.start, span.end): span.label_ for span in group}
    return tuple(
        FoundSpan(
            offsets[span.start], offsets[span.end - 1] + len(texts[span.end - 1]), span.probability,
            labels.get((span.start, span.end), "TERM"),
        )
        for span in doc.user_data.get(POSSIBLE, ())
    )  # fmt: skip
