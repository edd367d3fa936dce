"""Every surface form in a text, in one pass: whole words, in code points of the text as it is.

The automaton runs over bytes: a copy of the text with one byte for each code point, so that its offsets are
those of the text. In the copy whatever is no Latin letter or digit is a blank, and a form is looked for as
" form ", which finds whole words only. What the copy blurs is checked in the text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import NamedTuple

from ahocorasick_rs import BytesAhoCorasick, Implementation, MatchKind

from nlp.normalize import HYPHENS
from nlp.surfaces import Pattern, straighten

_LOWER = bytes(ord(chr(code).lower()) for code in range(256))
_PLAIN = bytes(code if chr(code).isalnum() or chr(code) == "_" else 0x20 for code in range(256))
_start = itemgetter(0)
_UNKNOWN = b"?"  # what stands in the copy for a character beyond Latin-1
_SMALL = 2_000_000  # bytes of all patterns up to which the fastest automaton, a DFA, takes little memory


class Match(NamedTuple):
    """A place [start, end) of a text at which a surface form of a term stands, before any veto."""

    start: int
    end: int
    term: str  # the term key


class _Form(NamedTuple):
    """A pattern of a term: what of it the copy of a text shows, and what has to be looked up in the text."""

    term: str
    pattern: Pattern
    lower: bytes
    length: int
    offset: int  # of its first byte from where the automaton finds it, less the one blank before a text
    is_blurred: bool  # whether other patterns may have the same `lower`
    is_plain: bool  # whether there is nothing to look up but whole words


class Matcher:
    """The compiled surface forms of a lexicon; immutable, to be built once and used for every text."""

    def __init__(self, entries: Iterable[tuple[str, Pattern]], long_forms: Mapping[str, str]) -> None:
        by_spelling: dict[bytes, list[_Form]] = {}
        for term, pattern in entries:
            sought, form = _compiled(term, pattern)
            by_spelling.setdefault(sought, []).append(form)
        self._forms = list(by_spelling.values())
        is_small = sum(map(len, by_spelling)) <= _SMALL
        self._automaton = BytesAhoCorasick(
            list(by_spelling),
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
        straight = straighten(text)
        lower = straight.encode("latin-1", "replace").translate(_LOWER)
        plain = b" " + lower.translate(_PLAIN) + b" "
        is_ascii = straight.isascii()
        found = []
        # By ends; backwards, so that a stable sort by starts puts the longest first.
        places = self._automaton.find_matches_as_indexes(plain, overlapping=True)
        for index, begin, _ in reversed(places):
            for form in self._forms[index]:
                start = begin + form.offset
                end = start + form.length
                if (
                    lower.startswith(form.lower, start)
                    and (is_ascii or _is_whole(text, start, end))
                    and (form.is_plain or _stands(form, start, text, straight))
                ):
                    found.append(Match(start, end, form.term))
                    break
        found.sort(key=_start)
        return found


def is_word_character(ch: str) -> bool:
    """Whether a word goes on through this character: a letter, digit, underscore or combining mark."""
    return ch.isalnum() or ch == "_" or unicodedata.combining(ch) != 0


def _compiled(term: str, pattern: Pattern) -> tuple[bytes, _Form]:
    """What the automaton looks for, and what is then checked."""
    lower = pattern.folded.encode("latin-1", "replace")
    plain = lower.translate(_PLAIN)
    begins_word, ends_word = plain[:1] != b" ", plain[-1:] != b" "
    is_blurred = _UNKNOWN in lower
    is_plain = not (is_blurred or pattern.exact or pattern.broken_at >= 0)
    form = _Form(term, pattern, lower, len(lower), 0 if begins_word else -1, is_blurred, is_plain)
    return b" " * begins_word + plain + b" " * ends_word, form


def _is_whole(text: str, start: int, end: int) -> bool:
    if start and is_word_character(text[start - 1]) and is_word_character(text[start]):
        return False
    return not (end < len(text) and is_word_character(text[end]) and is_word_character(text[end - 1]))


def _stands(form: _Form, start: int, text: str, straight: str) -> bool:
    pattern = form.pattern
    for at, word in pattern.exact:
        if not straight.startswith(word, start + at):
            return False
    if form.is_blurred and straight[start : start + len(pattern.folded)].lower() != pattern.folded:
        return False
    at = start + pattern.broken_at
    return pattern.broken_at < 0 or (text[at] in HYPHENS and text[at + 1] not in HYPHENS)
