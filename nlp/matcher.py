"""Every surface form in a text, in one pass: whole words, in code points of the text as it is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ahocorasick_rs import AhoCorasick, MatchKind

from nlp.normalize import HYPHENS
from nlp.surfaces import Pattern, straighten

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Match:
    """A place [start, end) of a text at which a surface form of a term stands, before any veto."""

    start: int
    end: int
    term: str  # the term key


class Matcher:
    """The compiled surface forms of a lexicon; immutable, to be built once and used for every text."""

    def __init__(self, entries: Iterable[tuple[str, Pattern]], long_forms: Mapping[str, str]) -> None:
        by_spelling: dict[str, list[tuple[str, Pattern]]] = {}
        for term, pattern in entries:
            by_spelling.setdefault(pattern.folded, []).append((term, pattern))
        self._candidates = list(by_spelling.values())
        self._automaton = AhoCorasick(list(by_spelling), matchkind=MatchKind.Standard)
        self._term_of = dict(long_forms)
        self._long_forms: dict[str, list[str]] = {}
        for form, term in long_forms.items():
            self._long_forms.setdefault(term, []).append(form)

    def term_of(self, long_form: str) -> str | None:
        """The key of the term that has a long form with this key, or None."""
        return self._term_of.get(long_form)

    def long_forms(self, term: str) -> tuple[str, ...]:
        """The keys of a term's long forms."""
        return tuple(self._long_forms.get(term, ()))

    def matches(self, text: str) -> list[Match]:
        """Every whole-word match, overlapping ones too, by start and then the longest first."""
        straight = straighten(text)
        folded = straight.lower()
        try:
            places = self._automaton.find_matches_as_indexes(folded, overlapping=True)
        except UnicodeEncodeError:  # a lone surrogate is no character, so no form holds one
            folded = _SURROGATE.sub("\ufffd", folded)
            places = self._automaton.find_matches_as_indexes(folded, overlapping=True)
        found = []
        for index, start, end in places:
            if not _is_whole(folded, start, end):
                continue
            for term, pattern in self._candidates[index]:
                if _stands(pattern, start, text, straight):
                    found.append(Match(start, end, term))
                    break
        found.sort(key=lambda match: (match.start, -match.end))
        return found


def leftmost_longest(matches: Sequence[Match]) -> list[Match]:
    """Of matches by start and longest first, those that overlap none taken before them."""
    taken: list[Match] = []
    end = 0
    for match in matches:
        if match.start >= end:
            taken.append(match)
            end = match.end
    return taken


def is_word_character(ch: str) -> bool:
    """Whether a word goes on through this character: a letter, digit, underscore or combining mark."""
    return ch.isalnum() or ch == "_" or unicodedata.combining(ch) != 0


def _is_whole(text: str, start: int, end: int) -> bool:
    if start > 0 and is_word_character(text[start]) and is_word_character(text[start - 1]):
        return False
    return not (end < len(text) and is_word_character(text[end]) and is_word_character(text[end - 1]))


def _stands(pattern: Pattern, start: int, text: str, straight: str) -> bool:
    if any(straight[start + at : start + at + len(word)] != word for at, word in pattern.exact):
        return False
    at = start + pattern.broken_at
    return pattern.broken_at < 0 or (text[at] in HYPHENS and text[at + 1] not in HYPHENS)
