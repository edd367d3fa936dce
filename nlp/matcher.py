"""Every surface form in a text, in one pass: whole words, in code points of the text as it is.

The automaton runs over bytes: a copy of the text with one byte for each code point, so that its offsets are
those of the text. In the copy whatever is no Latin letter or digit is a blank, and a form is looked for as
" form ", which finds whole words only. What the copy blurs is decided by `Standings`, once for each spelling.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import NamedTuple

from ahocorasick_rs import BytesAhoCorasick, Implementation, MatchKind

from nlp.broken_words import breaks, without
from nlp.standings import Standing, Standings, copied
from nlp.surfaces import Pattern, is_whole

_start = itemgetter(0)
_new = tuple.__new__  # a named tuple's own constructor takes three times as long
_SMALL = 2_000_000  # bytes of all patterns up to which the fastest automaton, a DFA, takes little memory


class Match(NamedTuple):
    """A place [start, end) of a text at which a surface form of a term stands, before any veto."""

    start: int
    end: int
    standing: Standing

    @property
    def term(self) -> str:
        """The term key."""
        return self.standing.term


class Matcher:
    """The compiled surface forms of a lexicon; to be built once and used for every text."""

    def __init__(self, entries: Iterable[tuple[str, Pattern]], long_forms: Mapping[str, str]) -> None:
        self._standings = Standings(entries)
        self._has_signs = self._standings.has_signs()
        spellings = self._standings.spellings()
        is_small = sum(map(len, spellings)) <= _SMALL
        self._automaton = BytesAhoCorasick(
            spellings,
            matchkind=MatchKind.Standard,
            implementation=Implementation.DFA if is_small else Implementation.ContiguousNFA,
        )
        self._term_of = dict(long_forms)
        self._long_forms: dict[str, list[str]] = {}
        for form_key, term in long_forms.items():
            self._long_forms.setdefault(term, []).append(form_key)

    def term_of(self, long_form: str) -> str | None:
        """The key of the term that has a long form with this key, or None."""
        return self._term_of.get(long_form)

    def long_forms(self, term: str) -> tuple[str, ...]:
        """The keys of a term's long forms."""
        return tuple(self._long_forms.get(term, ()))

    def matches(self, text: str) -> list[Match]:
        """Every whole-word match, overlapping ones too, by start and then the longest first."""
        found = self._whole(text)
        if places := breaks(text):
            found += self._over_breaks(text, places)
            found.sort(key=lambda match: (match[0], -match[1]))
        return found

    def _whole(self, text: str) -> list[Match]:
        standings = self._standings
        padded = f" {text} "
        places = self._automaton.find_matches_as_indexes(copied(padded), overlapping=True)
        places.reverse()  # they come by their ends: the longest first of those with one start
        found = [
            _new(Match, (begin + standing.lead, stop - standing.tail, standing))
            for _, begin, stop in places
            if (standing := standings[padded[begin:stop]])
        ]
        if self._has_signs:
            found = [match for match in found if is_whole(text, match.start, match.end)]
        found.sort(key=_start)
        return found

    def _over_breaks(self, text: str, places: list[int]) -> Iterable[Match]:
        """The matches with one broken word in them: those of the text without its breaks."""
        for start, end, standing in self._whole(without(text, places)):
            # A break at `place` is the code point before that of the same number less the breaks before it.
            inside = [place for number, place in enumerate(places) if start < place - number < end]
            if len(inside) == 1:
                before = places.index(inside[0])
                start, end = start + before, end + before + 1
                yield Match(start, end, Standing(standing.term, text[start:end]))
