"""The sentence that a mention stands in: enough of an abstract to see how a term is used. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nlp.records import Mention, ReadingText

LONGEST = 420  # code points; a longer sentence is cut at blanks around the mention

# A full stop ends no sentence after these, nor after a single letter ("J. Smith").
_ABBREVIATIONS = "".join(rf"(?<!\b{word})" for word in ("e\\.g", "i\\.e", "et al", "cf", "vs", "Fig", "Eq"))
_END = re.compile(
    rf"(?<!\b[A-Za-z]){_ABBREVIATIONS}[.!?][\"'’”)\]]*\s+"
    r"(?=[\"“‘(\[]?[A-Z0-9\ufffc])"  # the next one begins: a capital, a digit or a formula
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a reading text with the mentions that lie in it; whether it was cut at either end."""

    reading: ReadingText
    mentions: tuple[Mention, ...]
    is_cut_before: bool
    is_cut_after: bool


def sentence_around(reading: ReadingText, mentions: Sequence[Mention]) -> Sentence:
    """The sentence of the first of ``mentions``, which are in order, one at least."""
    first = mentions[0]
    begins = [0, *(found.end() for found in _END.finditer(reading.text))]
    start = max(begin for begin in begins if begin <= first.start)
    end = min([begin for begin in begins if begin >= first.end], default=len(reading.text))
    while reading.text[end - 1].isspace():
        end -= 1
    left, right = _shortened(reading.text, start, end, first)
    inside = tuple(
        mention._replace(start=mention.start - left, end=mention.end - left)
        for mention in mentions
        if left <= mention.start and mention.end <= right
    )
    return Sentence(part_of(reading, left, right), inside, left > start, right < end)


def part_of(reading: ReadingText, start: int, end: int) -> ReadingText:
    """[start, end) of a reading text as one of its own; formulas in it stay whole, being one code point."""
    runs = tuple(
        run._replace(start=max(run.start, start) - start, end=min(run.end, end) - start)
        for run in reading.runs
        if run.start < end and run.end > start
    )
    return ReadingText(reading.text[start:end], runs)


def _shortened(text: str, start: int, end: int, mention: Mention) -> tuple[int, int]:
    """The sentence, or of a long one what fits into LONGEST around the mention, cut at blanks."""
    if end - start <= LONGEST:
        return start, end
    spare = max(0, LONGEST - (mention.end - mention.start)) // 2
    left, right = max(start, mention.start - spare), min(end, mention.end + spare)
    if left > start:
        left = text.find(" ", left, mention.start) + 1 or mention.start
    if right < end:
        blank = text.rfind(" ", mention.end, right)
        right = blank if blank > 0 else mention.end
    return left, right
