"""Every surface form in a text, in one pass: whole words, in code points of the text as it is.

The automaton runs over bytes: a copy of the text with one byte for each code point, so that its offsets are
those of the text. In the copy whatever is no Latin letter or digit is a blank, and a form is looked for as
" form ", which finds whole words only. What the copy blurs is decided by `Standings`, once for each spelling.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter

from ahocorasick_rs import BytesAhoCorasick, Implementation, MatchKind

from nlp.broken_words import breaks
from nlp.standings import Match, Standing, Standings, copied
from nlp.surfaces import Pattern, is_whole
from nlp.vetoes import is_vetoed

_start = itemgetter(0)
# Bytes of all patterns up to which a DFA is the faster automaton. A larger one leaves the processor's cache:
# with 10,000 terms it takes 54 us an abstract and 29 MB, the contiguous NFA 22 us and 3 MB.
_SMALL = 150_000


class Matcher:
    """The compiled surface forms of a lexicon; to be built once and used for every text, from any thread."""

    def __init__(self, entries: Iterable[tuple[str, Pattern]], long_forms: Mapping[str, str]) -> None:
        self._standings = Standings(entries)
        sought = self._standings.sought
        self.longest = max(map(len, sought), default=0)  # code points that a match may take
        is_small = sum(map(len, sought)) <= _SMALL
        self._automaton = BytesAhoCorasick(
            sought,
            matchkind=MatchKind.Standard,
            implementation=Implementation.DFA if is_small else Implementation.ContiguousNFA,
        )
        sought.clear()  # the automaton has it now, in less memory
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
            broken = {place + 2 for place in places}  # the second half of a word may begin here
            found = [
                match if match[0] not in broken else (*match[:2], match[2]._replace(rules=(is_vetoed,)))
                for match in found
            ]
            found += [match for place in places for match in self._over_break(text, place)]
            found.sort(key=lambda match: (match[0], -match[1]))
        return found

    def _whole(self, text: str) -> list[Match]:
        known, decide = self._standings.known, self._standings.decide
        padded = f" {text} "
        found: list[Match] = []
        places = self._automaton.find_matches_as_indexes(copied(padded), overlapping=True)
        # They come by their ends: backwards, so that a stable sort by starts puts the longest first.
        for number, begin, stop in reversed(places):
            standing = known.get(spelling := padded[begin:stop])
            if standing is None:
                standing = decide(number, spelling)
            if standing:
                found.append((begin, stop - 2, standing))  # its blank, and the one before the text
        if self._standings.has_signs:
            moved = ((start + form.lead, end + form.tail, form) for start, end, form in found)
            found = [match for match in moved if is_whole(text, match[0], match[1])]
        found.sort(key=_start)
        return found

    def _over_break(self, text: str, place: int) -> Iterator[Match]:
        """The matches with this hyphen in them, and no other that is followed by a blank."""
        begin = max(0, place - self.longest - 1)
        mended = text[begin:place] + text[place + 1 : place + self.longest + 3]
        for start, end, standing in self._whole(mended):
            if start < place - begin < end:
                start, end = start + begin, end + begin + 1
                yield start, end, Standing(standing.term)
