"""Are words lost or added? And does the map of offsets lead back to where a word came from?"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from nlp.records import ReadingText, RunKind
from nlp.typeset import source_range
from tests.bench.plain_tex import folded, names, words

FORMULAS = (RunKind.MATH, RunKind.DISPLAY)
PROSE = 6  # plain words in a row of one formula, outside \text: more than formulas have

_WORD = re.compile(r"[^\W_\ufffc]+")
_SET_AS_TEXT = re.compile(r"\\[A-Za-z]+\*?\s*(?:\{[^{}]*\})?")
_PROSE = re.compile(rf"(?:(?<![A-Za-z\\])[A-Za-z]{{2,}}[,.]?\s+){{{PROSE},}}")


@dataclass(frozen=True, slots=True)
class Difference:
    """What the reading text of one abstract lacks of its source's words, and has beyond them."""

    identifier: str
    lost: tuple[str, ...]
    added: tuple[str, ...]


def compare(identifier: str, source: str, reading: ReadingText) -> Difference | None:
    """None where both have the same words the same number of times.

    The name of an author's macro counts as neither: nothing else can be shown of it.
    """
    there, here = Counter(words(source)), Counter(words(_unfolded(reading)))
    shown = names(source)
    lost = tuple((there - here).elements())
    added = tuple(word for word in (here - there).elements() if word not in shown)
    return Difference(identifier, lost, added) if lost or added else None


def prose_in_formulas(reading: ReadingText) -> list[str]:
    """Formulas that hold a row of plain words, and so may be prose between two dollars."""
    contents = (run.content for run in reading.runs if run.kind in FORMULAS)
    return [content for content in contents if _PROSE.search(_SET_AS_TEXT.sub(" ", content) + " ")]


@dataclass(frozen=True, slots=True)
class Found:
    """How many of the drawn words stand at the source range that the map gives for them."""

    drawn: int
    alike: int  # letter by letter
    marked: int  # once the marks inside the word are taken off: `S}oft`, `R\'enyi`
    lost: tuple[tuple[str, str, str], ...]  # (identifier, word, what stands there instead)

    @property
    def share(self) -> float:
        return (self.alike + self.marked) / self.drawn


def look_up(
    papers: Sequence[tuple[str, str]], readings: Sequence[ReadingText], count: int, seed: int
) -> Found:
    """Draw ``count`` words of the reading texts, each as likely as any other; look for them in the sources.

    The mark that a citation reads as is no word of the source's.
    """
    places = [
        (number, *found.span())
        for number, reading in enumerate(readings)
        for found in _WORD.finditer(_without_citations(reading))
    ]
    alike, marked, lost = 0, 0, []
    for number, start, end in random.Random(seed).choices(places, k=count):
        identifier, source = papers[number]
        reading = readings[number]
        word = reading.text[start:end]
        source_start, source_end = source_range(reading, start, end)
        piece = source[source_start:source_end]
        if piece == word:
            alike += 1
        elif "".join(words(piece)) == folded(word):
            marked += 1
        else:
            lost.append((identifier, word, piece))
    return Found(count, alike, marked, tuple(lost))


def _without_citations(reading: ReadingText) -> str:
    """The text with blanks for its citations, at the same length."""
    text = reading.text
    for run in reading.runs:
        if run.kind is RunKind.CITE:
            text = text[: run.start] + " " * (run.end - run.start) + text[run.end :]
    return text


def _unfolded(reading: ReadingText) -> str:
    """The reading text with each formula's TeX in its place, and without the marks of citations."""
    return "".join(
        f"{{{run.content}}}"
        if run.kind in FORMULAS
        else " "
        if run.kind is RunKind.CITE
        else reading.text[run.start : run.end]
        for run in reading.runs
    )
