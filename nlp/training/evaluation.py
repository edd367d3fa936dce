"""How well spans are found: exact spans against those that a reader marked, with and without their types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from spacy.language import Language
from spacy.tokens import Doc

from nlp.term_finder import CANDIDATES
from nlp.training.annotated import TYPES, Annotated, in_reading

ANY = "any type"

Spans = Iterable[tuple[int, int, str]]


@dataclass(frozen=True, slots=True)
class Score:
    """How many spans are right, of how many that were found and that were marked."""

    right: int
    found: int
    marked: int

    @property
    def precision(self) -> float:
        """Share of the found spans that are right, 0 to 1; 0 where none was found."""
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """Share of the marked spans that were found, 0 to 1; 0 where none was marked."""
        return self.right / self.marked if self.marked else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, 0 to 1."""
        both = self.found + self.marked
        return 2 * self.right / both if both else 0.0


def evaluate(language: Language, abstracts: Sequence[Annotated]) -> dict[str, Score]:
    """The score for spans of any type, which need only stand in the right place, and for each type alone.

    Offsets are those of the reading text. A marked span that stands in a formula or an address there cannot
    be found, and counts as missed.
    """
    placed = [in_reading(abstract) for abstract in abstracts]
    docs = language.pipe([each.reading.text for each in placed])
    pairs = []
    for each, doc in zip(placed, docs, strict=True):
        nowhere = [(-1 - number, -1 - number, kind) for number, kind in enumerate(each.lost)]
        pairs.append((found_in(doc), [*each.spans, *nowhere]))
    return score(pairs)


def found_in(doc: Doc) -> list[tuple[int, int, str]]:
    """The candidate terms of a Doc, in code points."""
    return [(span.start_char, span.end_char, span.label_) for span in doc.spans[CANDIDATES]]


def score(pairs: Iterable[tuple[Spans, Spans]]) -> dict[str, Score]:
    """The scores of many texts together; each pair is (found spans, marked spans) of one text."""
    counts = {name: [0, 0, 0] for name in (ANY, *TYPES)}
    for found, marked in pairs:
        here, there = set(found), set(marked)
        _count(counts[ANY], {span[:2] for span in here}, {span[:2] for span in there})
        for kind in TYPES:
            _count(counts[kind], {s for s in here if s[2] == kind}, {s for s in there if s[2] == kind})
    return {name: Score(*three) for name, three in counts.items()}


def _count(three: list[int], found: Set[object], marked: Set[object]) -> None:
    three[0] += len(found & marked)
    three[1] += len(found)
    three[2] += len(marked)
