"""What in a paper may be a term: runs of up to five units, the spans that a model found, abbreviations.

A candidate is what its occurrences have in common, a term key. Candidates nest and overlap freely; which of
them are terms is for the ranker to say.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nlp.abbreviations import abbreviation_pairs
from nlp.normalize import term_key
from nlp.units import ADJECTIVE, ADVERB, BREAK, GERUND, NAME, NOUN, NUMBER, OF, OTHER, PARTICIPLE, Ints, Units

LONGEST = 5  # units of a run
FROM_SHORT, FROM_LONG = 1, 2  # the role of an occurrence in an abbreviation that the text introduces

_KINDS = OTHER + 1
_FIRST, _WITHIN, _LAST, _ALONE = (np.zeros(_KINDS, bool) for _ in range(4))
_FIRST[[NOUN, NAME, ADJECTIVE, PARTICIPLE, GERUND, NUMBER, ADVERB]] = True
_WITHIN[[NOUN, NAME, ADJECTIVE, PARTICIPLE, GERUND, NUMBER, OF]] = True
_LAST[[NOUN, NAME, GERUND, NUMBER]] = True
_ALONE[[NOUN, NAME, GERUND]] = True
_UNCERTAIN = frozenset({"base"})  # words whose key hangs on the word before them


class FoundSpan(NamedTuple):
    """What a model holds for a term: [start, end) in code points, a probability, TERM, NAME or COINED."""

    start: int
    end: int
    score: float
    label: str


@dataclass(frozen=True, slots=True)
class Part:
    """A title or an abstract: its units, and what a model found in it."""

    units: Units
    found: tuple[FoundSpan, ...]


class Occurrence(NamedTuple):
    """One place of a candidate: units [first, last] of all parts' units together, code points of its part."""

    first: int
    last: int
    start: int
    end: int
    score: float  # of a model's span that is equal to it, or 0
    label: str  # of that span, or ""
    role: int  # FROM_SHORT, FROM_LONG or 0
    is_title: bool


@dataclass(frozen=True, slots=True)
class Candidate:
    """One term key and where it stands: [start, end) in code points of the abstract and of the title."""

    key: str
    text: str  # as it stands first in the abstract, or else in the title
    spans: tuple[tuple[int, int], ...]
    title_spans: tuple[tuple[int, int], ...]
    label: str  # of the likeliest span; "TERM" where a model found none


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates of a paper in the order of their first occurrence, and what features are made of."""

    values: tuple[Candidate, ...]
    numbers: Ints  # for each occurrence the candidate it is of
    occurrences: tuple[Occurrence, ...]
    kinds: Ints  # of all units, with a break before each part and after the last
    words: tuple[str, ...]  # and their keys


def find_candidates(parts: Sequence[Part]) -> Candidates:
    """The candidates of a paper's parts: its title, if it has one, and its abstract."""
    of_key: dict[str, int] = {}
    gathered: list[list[tuple[Occurrence, str]]] = []
    numbers: list[int] = []
    occurrences: list[Occurrence] = []
    kinds: list[Ints] = [np.array([BREAK])]
    words = [""]
    for part in parts:
        text = part.units.text
        for key, each in _occurrences(part, len(words)):
            number = of_key.setdefault(key, len(gathered))
            if number == len(gathered):
                gathered.append([])
            gathered[number].append((each, text[each.start : each.end]))
            numbers.append(number)
            occurrences.append(each)
        kinds += [part.units.kinds, np.array([BREAK])]
        words += [*part.units.words, ""]
    values = tuple(_candidate(key, rows) for key, rows in zip(of_key, gathered, strict=True))
    every = np.array(numbers, np.int64)
    return Candidates(values, every, tuple(occurrences), np.concatenate(kinds), tuple(words))


def _candidate(key: str, rows: Sequence[tuple[Occurrence, str]]) -> Candidate:
    likeliest, text = rows[0]
    if len(rows) == 1:  # as most are
        span = ((likeliest.start, likeliest.end),)
        spans, title_spans = ((), span) if likeliest.is_title else (span, ())
        return Candidate(key, text, spans, title_spans, likeliest.label or "TERM")
    text = next((text for each, text in rows if not each.is_title), text)
    likeliest = max(rows, key=lambda row: row[0].score)[0]
    return Candidate(
        key,
        text,
        _apart([(each.start, each.end) for each, _ in rows if not each.is_title]),
        _apart([(each.start, each.end) for each, _ in rows if each.is_title]),
        likeliest.label or "TERM",
    )


def _apart(spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """In order; of two that overlap the first."""
    kept: list[tuple[int, int]] = []
    for span in sorted(spans):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return tuple(kept)


def _occurrences(part: Part, base: int) -> Iterator[tuple[str, Occurrence]]:
    """Each occurrence in a part with its term key; runs from left to right, then what is no run."""
    units = part.units
    starts, ends, words = units.starts, units.ends, units.words
    found = {(span.start, span.end): (span.score, span.label) for span in part.found}
    roles = _roles(units.text)
    nothing = (0.0, "")
    for first, last in _runs(units.kinds):
        place = (starts[first], ends[last])
        key = words[first] if first == last else _key(units, first, last)
        score, label = found.pop(place, nothing) if found else nothing
        role = roles.pop(place, 0) if roles else 0
        if key:
            yield key, Occurrence(base + first, base + last, *place, score, label, role, units.is_title)
    for place in sorted({*found, *roles}):
        covered = _covered(units, *place)
        key = term_key(units.text[slice(*place)]) if covered else ""
        if covered and key:
            score, label = found.get(place, nothing)
            first, last = base + covered[0], base + covered[1]
            yield key, Occurrence(first, last, *place, score, label, roles.get(place, 0), units.is_title)


def _runs(kinds: Ints) -> list[tuple[int, int]]:
    """(first, last) of each run of units that may be a term by what its units are."""
    found = []
    within = _WITHIN[kinds]
    ends = _LAST[kinds]
    going = _FIRST[kinds]
    found.append(np.stack([np.flatnonzero(_ALONE[kinds])] * 2))
    for length in range(2, LONGEST + 1):
        if len(kinds) < length:
            break
        going = going[: len(kinds) - length + 1]
        places = np.flatnonzero(going & ends[length - 1 :])
        found.append(np.stack([places, places + length - 1]))
        going = going & within[length - 1 :]
    runs = np.concatenate(found, axis=1)
    return list(map(tuple, runs[:, np.lexsort((runs[1], runs[0]))].T.tolist()))


def _key(units: Units, first: int, last: int) -> str:
    words = units.words[first : last + 1]
    if _UNCERTAIN.isdisjoint(words) and not units.touching.intersection(range(first, last)):
        return " ".join(words)
    return term_key(units.text[units.starts[first] : units.ends[last]])


def _roles(text: str) -> dict[tuple[int, int], int]:
    roles: dict[tuple[int, int], int] = {}
    for pair in abbreviation_pairs(text):
        roles[pair.short_start, pair.short_end] = FROM_SHORT
        roles[pair.long_start, pair.long_end] = FROM_LONG
    return roles


def _covered(units: Units, start: int, end: int) -> tuple[int, int] | None:
    """The first and last unit that a span touches, or None where one of them is a break but for a sign."""
    first = bisect_right(units.ends, start)
    last = bisect_left(units.starts, end) - 1
    if last < first or any(not units.is_open[number] for number in range(first, last + 1)):
        return None
    return first, last
